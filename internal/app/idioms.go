package app

import (
	"github.com/patchbay-mcp/patchbay/specs"
)

// idiomDetails shows a pattern or a part of the guide: its text, and the graph to
// copy. An idiom is not a node, so it has no parameters, ports or skeleton.
func idiomDetails(spec *specs.Spec, examples bool) NodeDetails {
	no := false
	d := NodeDetails{ID: spec.ID(), NodeType: spec.NodeType, Subtype: spec.Subtype, Title: spec.Title, Description: spec.Description, Runnable: &no}
	for _, ex := range spec.Examples {
		d.Graph = ex.Graph
		if ex.Graph = ""; examples {
			d.Examples = append(d.Examples, ex)
		}
	}
	return d
}
