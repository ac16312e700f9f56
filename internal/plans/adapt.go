package plans

import (
	"cmp"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/specs"
)

// TemplatePrefix begins the subtype of the idiom that a saved graph is where it cannot run.
const TemplatePrefix = "graph/"

// templateSpec describes a saved graph that lacks something here, as an idiom to adapt.
func templateSpec(g *graphfiles.Graph, lacks []string) *specs.Spec {
	t := g.Named(g.Name)
	return &specs.Spec{
		NodeType: specs.Idiom, Subtype: TemplatePrefix + g.Name, Title: cmp.Or(t.Title.Text(), reply.FirstLine(t.Description.Text())), Description: t.Description.Text(),
		Intents: []string{t.Description.Text()}, Category: "graph", Source: "graphs", Version: g.Revision, NotRunnable: true,
		NotApproved: "there is no " + strings.Join(lacks, ", no "), Examples: []specs.Example{{Title: g.Name, Graph: g.Src}},
	}
}

// Typed gives idioms the schemas of their graphs, for searches by type.
func Typed(list []*specs.Spec) []*specs.Spec {
	for _, spec := range list {
		for _, ex := range spec.Examples {
			if doc, _ := graph.Parse("idiom", ex.Graph); doc != nil && len(doc.Tools()) > 0 {
				spec.InputSchema, spec.OutputSchema = doc.Tools()[0].InputSchema.JSON(), doc.Tools()[0].OutputSchema.JSON()
			}
		}
	}
	return list
}
