package specs

import "slices"

// Compatible reports whether the output of one node can satisfy the required
// inputs of another: each required argument has some place in the output, itself
// or a field of it at any depth, of a type it takes. What either side does not
// say is taken as fitting.
func Compatible(giver, taker *Spec) bool {
	if len(taker.InputSchema) == 0 || len(giver.OutputSchema) == 0 {
		return taker.NodeType != "entry"
	}
	offered := map[string]bool{}
	offers(readSchema(giver.OutputSchema), offered, 0)
	in := readSchema(taker.InputSchema)
	for _, name := range in.Required {
		if !slices.ContainsFunc(readSchema(in.Properties.values[name]).types(), func(t string) bool { return fits(offered, t) }) {
			return false
		}
	}
	return true
}

// offers collects the types found in a value and its parts.
func offers(s *schema, found map[string]bool, depth int) {
	for _, t := range s.types() {
		found[t] = true
	}
	if depth >= maxSampleDepth {
		return
	}
	for _, name := range s.Properties.keys {
		offers(readSchema(s.Properties.values[name]), found, depth+1)
	}
	if len(s.Items) > 0 {
		offers(readSchema(s.Items), found, depth+1)
	}
}

func fits(offered map[string]bool, want string) bool {
	switch want {
	case "any":
		return true
	case "number":
		return offered["any"] || offered["number"] || offered["integer"]
	case "integer":
		return offered["any"] || offered["integer"] || offered["number"]
	}
	return offered["any"] || offered[want]
}
