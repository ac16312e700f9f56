package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/run"
)

// What clients complete: see [App.Candidates].
const (
	NodeIDs    = "node"
	GraphNames = "graph"
	RunIDs     = "run"
)

// maxCandidates is how many runs are looked through.
const maxCandidates = 1000

// Candidates returns the nodes, saved graphs or runs that the caller can name, in the order
// of the catalog, of their names, or the latest first.
func (pb *App) Candidates(ctx context.Context, kind string) []string {
	var names []string
	switch kind {
	case NodeIDs:
		for _, s := range pb.snapshot(ctx).All() {
			names = append(names, s.ID())
		}
	case GraphNames:
		if pb.graphs == nil {
			return nil
		}
		list, _ := pb.graphs.List()
		for _, g := range list {
			if pb.MayUseGraph(ctx, g.Name) {
				names = append(names, g.Name)
			}
		}
	case RunIDs:
		list, fault := pb.runs.List(run.Filter{Actor: actor(ctx), Project: pb.projects(false), Limit: maxCandidates})
		if fault != nil {
			return nil
		}
		for _, r := range list {
			names = append(names, r.ID)
		}
	}
	return names
}
