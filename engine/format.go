package engine

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/graph"
)

// Format returns a document in its canonical form, as [graph.Canonical] describes it. The
// keys of a node are its id, its type, the fields of its kind, those that others have in
// common, what is next, and where an editor shows it.
func Format(name, text string, kinds *KindSet) (string, error) {
	return graph.Canonical(name, text, kinds.orBuiltIn().keyOrder)
}

// keyOrder lists the keys of nodes of a type; "" is where other keys are.
func (s *KindSet) keyOrder(nodeType string) []string {
	keys := []string{"id", "type"}
	last := []string{"foreach", "retry", "timeoutMs", "onError", "next", positionKey}
	if k := s.types[nodeType]; k != nil {
		own := k.Fields[:len(k.Fields)-len(k.Modifiers)]
		for _, f := range own {
			if f.Name != "next" {
				keys = append(keys, f.Name)
				last = slices.DeleteFunc(last, func(name string) bool { return name == f.Name })
			}
		}
	}
	return append(append(keys, ""), last...)
}
