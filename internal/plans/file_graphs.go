package plans

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/specs"
)

// PublishGraphs puts the saved graphs into the catalog, each under what it does.
func (pl *Plans) PublishGraphs() {
	docs := slices.Clone(pl.Documents)
	var named []namedDocument
	for _, doc := range docs {
		var names []string
		for _, t := range doc.Tools() {
			names = append(names, t.Name.Text())
		}
		named = append(named, namedDocument{doc, names})
	}
	if pl.Saved == nil {
		pl.setCallees(named)
		pl.Following.file(docs)
		return
	}
	pl.filing.Lock()
	defer pl.filing.Unlock()
	list, broken := pl.Saved.List()
	for _, b := range broken {
		pl.process.Log.Warn("a saved graph cannot be read", "path", b.Path, "error", b.Fault.Message)
	}
	pl.noteUnapproved(list)
	var templates, all, others []*specs.Spec // others of a document: the name of a file has precedence
	lacking := map[string][]string{}
	for _, g := range list {
		if err := Alone(func() {
			named = append(named, namedDocument{g.Doc, g.ToolNames()})
			if lacks := pl.lacks(g, map[string]bool{}); len(lacks) > 0 {
				lacking[g.Name], templates = lacks, append(templates, templateSpec(g, lacks))
				return
			}
			for i, name := range g.ToolNames() {
				switch spec := pl.graphSpec(g, name); {
				case spec == nil:
				case i == 0:
					all, docs = append(all, spec), append(docs, g.Doc)
				default:
					others = append(others, spec)
				}
			}
		}); err != nil {
			pl.process.Log.Error("a saved graph cannot be loaded", "path", g.Path, "error", err)
		}
	}
	pl.lacking.Store(&lacking)
	pl.Following.file(docs)
	pl.setCallees(named) // first: what is in the catalog is judged by it
	pl.Catalog.Replace("graphs", append(all, others...))
	pl.Catalog.Replace("templates", Typed(templates))
}

// graphSpec describes a tool of a saved graph as a node, nil when it has faults.
func (pl *Plans) graphSpec(g *graphfiles.Graph, name string) *specs.Spec {
	plan := pl.knownPlan(g.Doc, g.Named(name).Name.Text())
	if plan == nil || plan.Workflow() != nil {
		return nil
	}
	spec := plan.Spec(name, g.Revision)
	if a := pl.Saved.Approval(g); a == graphfiles.Unapproved {
		spec.NotApproved = WhyUnapproved(a)
	}
	return spec
}

// knownPlan compiles a tool of a document with the tools that are known, or else without
// looking at them; nil if it has faults.
func (pl *Plans) knownPlan(doc *graph.Document, tool string) *engine.Plan {
	plan, _ := engine.Compile(doc, tool, engine.Env{Kinds: pl.Kinds, Limits: pl.Limits, Tools: &ToolResolver{Plans: pl, Known: true}})
	if plan == nil {
		plan, _ = engine.Compile(doc, tool, engine.Env{Kinds: pl.Kinds, Limits: pl.Limits})
	}
	return plan
}
