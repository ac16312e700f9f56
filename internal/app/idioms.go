package app

import (
	"github.com/patchbay-mcp/patchbay/internal/idioms"
	"github.com/patchbay-mcp/patchbay/specs"
)

// idiomDetails shows a pattern or a part of the guide: its text, and the graph to
// copy. An idiom is not a node, so it has no parameters, ports or skeleton.
func idiomDetails(spec *specs.Spec, examples bool) NodeDetails {
	no := false
	d := NodeDetails{ID: spec.ID(), NodeType: spec.NodeType, Subtype: spec.Subtype, Title: spec.Title, Description: spec.Description, Runnable: &no}
	if spec.Subtype == idioms.GuideName {
		d.Description = Guide().Text()
	}
	for _, ex := range spec.Examples {
		d.Graph = ex.Graph
		if ex.Graph = ""; examples {
			d.Examples = append(d.Examples, ex)
		}
	}
	return d
}

// maxGraphText is how long the text of a saved graph in its details may be, in bytes.
const maxGraphText = 4 << 10

// graphText is the text of a saved graph to copy nodes from, or "" where it is long:
// get_graph returns that.
func (pb *App) graphText(name string) string {
	if pb.graphs == nil {
		return ""
	}
	g, _, fault := pb.graphs.Find(name)
	if fault != nil || len(g.Src) > maxGraphText {
		return ""
	}
	return g.Src
}
