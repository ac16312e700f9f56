package plans

import (
	"cmp"
	"context"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/specs"
)

// MaxRevisions is how many revisions of a saved graph are kept.
const MaxRevisions = graphfiles.MaxRevisions

var codeNoGraphsFolder = diag.DefineFault("no-graphs-folder", diag.RefusesRequest, "this server has no folder for saved graphs", "set `graphs` in `patchbay.yaml`")

// NoGraphs is the fault of a process that has no folder of saved graphs.
func NoGraphs() *diag.Fault {
	return diag.Faultf(codeNoGraphsFolder, "this server has no folder for saved graphs").WithHint("the operator sets one: graphs: <folder> in patchbay.yaml")
}

// Editable reads the graph to change: a saved one, with the tool of that name, or the one given.
func (pl *Plans) Editable(ctx context.Context, in GraphInput, saved string) (*Source, *graph.Tool, *diag.Fault) {
	if saved == "" {
		s, fault := pl.Source(ctx, in)
		return s, nil, fault
	}
	if pl.Saved == nil {
		return nil, nil, NoGraphs()
	}
	if fault := pl.Views.GraphHidden(ctx, saved); fault != nil {
		return nil, nil, fault
	}
	g, tool, fault := pl.Saved.Find(saved)
	if fault != nil {
		return nil, nil, fault
	}
	return &Source{Name: g.Name, Text: g.Src, Trusted: in.Trusted}, tool, nil
}

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
