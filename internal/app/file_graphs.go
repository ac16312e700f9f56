package app

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/graphfiles"
	"github.com/patchbay-mcp/patchbay/specs"
)

// publishGraphs puts the saved graphs into the catalog, each under what it does.
func (pb *App) publishGraphs() {
	docs := slices.Clone(pb.documents)
	if pb.graphs == nil {
		pb.following.file(docs)
		return
	}
	pb.filing.Lock()
	defer pb.filing.Unlock()
	list, broken := pb.graphs.List()
	for _, b := range broken {
		pb.log.Warn("a saved graph cannot be read", "path", b.Path, "error", b.Fault.Message)
	}
	var all []*specs.Spec
	for _, g := range list {
		if err := alone(func() {
			if spec := pb.graphSpec(g); spec != nil {
				all, docs = append(all, spec), append(docs, g.Doc)
			}
		}); err != nil {
			pb.log.Error("a saved graph cannot be loaded", "path", g.Path, "error", err)
		}
	}
	pb.following.file(docs)
	pb.catalog.Replace("graphs", all)
}

// graphSpec describes a saved graph as a node, nil when it has faults.
func (pb *App) graphSpec(g *graphfiles.Graph) *specs.Spec {
	plan, _ := engine.Compile(g.Doc, "", engine.Env{Kinds: pb.kinds, Limits: pb.limits, Tools: &toolResolver{pb: pb, known: true}})
	if plan == nil {
		plan, _ = engine.Compile(g.Doc, "", engine.Env{Kinds: pb.kinds, Limits: pb.limits})
	}
	if plan == nil {
		return nil
	}
	return plan.Spec(g.Name, g.Revision)
}
