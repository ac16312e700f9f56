package search

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Compatible reports whether the output of one node can satisfy the required
// inputs of another: each required argument has some place in the output, itself
// or a field of it at any depth, of a type it takes. What either side does not
// say is taken as fitting. If one of them is a node of another system, an output port
// has to fit an input port, as [schema.Connect] decides for the checker.
func Compatible(giver, taker *specs.Spec) bool {
	if giver.NotRunnable || taker.NotRunnable {
		return schema.Connects(givenPorts(giver), takenPorts(taker))
	}
	if len(taker.InputSchema) == 0 || len(giver.OutputSchema) == 0 {
		return !taker.Starts
	}
	offered := map[string]bool{}
	offers(schema.Read(giver.OutputSchema), offered, 0)
	in := schema.Read(taker.InputSchema)
	for _, name := range in.Required() {
		if !slices.ContainsFunc(in.Property(name).Types(), func(t string) bool { return fits(offered, t) }) {
			return false
		}
	}
	return true
}

// givenPorts are the output ports of a node. Those of one that runs here are one, with
// its output.
func givenPorts(s *specs.Spec) []specs.Port {
	if s.NotRunnable {
		return s.OutputPorts
	}
	return []specs.Port{{Name: "output", Type: "any", DataFormat: &specs.DataFormat{MimeType: "application/json", Schema: s.OutputSchema}}}
}

// takenPorts are the input ports of a node. One that runs here takes what its expressions
// read, whatever comes.
func takenPorts(s *specs.Spec) []specs.Port {
	switch {
	case s.NotRunnable:
		return s.InputPorts
	case s.Starts:
		return nil
	}
	return []specs.Port{{Name: "input", Type: "any"}}
}

// offersDepth is how deep the parts of a value are looked at.
const offersDepth = 6

// offers collects the types found in a value and its parts.
func offers(n *schema.Node, found map[string]bool, depth int) {
	for _, t := range n.Types() {
		found[t] = true
	}
	if depth >= offersDepth {
		return
	}
	for _, property := range n.Properties() {
		offers(property, found, depth+1)
	}
	if items := n.Get("items"); items != nil {
		offers(items, found, depth+1)
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
