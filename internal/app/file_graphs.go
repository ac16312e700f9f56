package app

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/specs"
)

// publishGraphs puts the saved graphs into the catalog, each under what it does.
func (a *App) publishGraphs() {
	docs := slices.Clone(a.library.documents)
	var named []namedDocument
	for _, doc := range docs {
		var names []string
		for _, t := range doc.Tools() {
			names = append(names, t.Name.Text())
		}
		named = append(named, namedDocument{doc, names})
	}
	if a.library.graphs == nil {
		a.setCallees(named)
		a.discovery.following.file(docs)
		return
	}
	a.library.filing.Lock()
	defer a.library.filing.Unlock()
	list, broken := a.library.graphs.List()
	for _, b := range broken {
		a.log.Warn("a saved graph cannot be read", "path", b.Path, "error", b.Fault.Message)
	}
	a.noteUnapproved(list)
	var templates, all, others []*specs.Spec // others of a document: the name of a file has precedence
	lacking := map[string][]string{}
	for _, g := range list {
		if err := alone(func() {
			named = append(named, namedDocument{g.Doc, g.ToolNames()})
			if lacks := a.lacks(g, map[string]bool{}); len(lacks) > 0 {
				lacking[g.Name], templates = lacks, append(templates, templateSpec(g, lacks))
				return
			}
			for i, name := range g.ToolNames() {
				switch spec := a.graphSpec(g, name); {
				case spec == nil:
				case i == 0:
					all, docs = append(all, spec), append(docs, g.Doc)
				default:
					others = append(others, spec)
				}
			}
		}); err != nil {
			a.log.Error("a saved graph cannot be loaded", "path", g.Path, "error", err)
		}
	}
	a.library.lacking.Store(&lacking)
	a.discovery.following.file(docs)
	a.setCallees(named) // first: what is in the catalog is judged by it
	a.discovery.catalog.Replace("graphs", append(all, others...))
	a.discovery.catalog.Replace("templates", typed(templates))
}

// graphSpec describes a tool of a saved graph as a node, nil when it has faults.
func (a *App) graphSpec(g *graphfiles.Graph, name string) *specs.Spec {
	plan := a.knownPlan(g.Doc, g.Named(name).Name.Text())
	if plan == nil || plan.Workflow() != nil {
		return nil
	}
	spec := plan.Spec(name, g.Revision)
	if a := a.library.graphs.Approval(g); a == graphfiles.Unapproved {
		spec.NotApproved = whyUnapproved(a)
	}
	return spec
}

// knownPlan compiles a tool of a document with the tools that are known, or else without
// looking at them; nil if it has faults.
func (a *App) knownPlan(doc *graph.Document, tool string) *engine.Plan {
	plan, _ := engine.Compile(doc, tool, engine.Env{Kinds: a.authoring.kinds, Limits: a.authoring.limits, Tools: &toolResolver{app: a, known: true}})
	if plan == nil {
		plan, _ = engine.Compile(doc, tool, engine.Env{Kinds: a.authoring.kinds, Limits: a.authoring.limits})
	}
	return plan
}
