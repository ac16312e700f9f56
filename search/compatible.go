package search

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Compatible reports whether the output of one node can satisfy the required
// inputs of another: each required argument has some place in the output, itself
// or a field of it at any depth, of a type it takes. What either side does not
// say is taken as fitting.
func Compatible(giver, taker *specs.Spec) bool {
	if len(taker.InputSchema) == 0 || len(giver.OutputSchema) == 0 {
		return taker.NodeType != "entry"
	}
	offered := map[string]bool{}
	offers(schema.ReadDocument(giver.OutputSchema), offered, 0)
	in := schema.ReadDocument(taker.InputSchema)
	for _, name := range in.Required {
		if !slices.ContainsFunc(schema.ReadDocument(in.Properties.Values[name]).Types(), func(t string) bool { return fits(offered, t) }) {
			return false
		}
	}
	return true
}

// offers collects the types found in a value and its parts.
func offers(s *schema.Document, found map[string]bool, depth int) {
	for _, t := range s.Types() {
		found[t] = true
	}
	if depth >= schema.MaxSampleDepth {
		return
	}
	for _, name := range s.Properties.Keys {
		offers(schema.ReadDocument(s.Properties.Values[name]), found, depth+1)
	}
	if len(s.Items) > 0 {
		offers(schema.ReadDocument(s.Items), found, depth+1)
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
