package plans

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

// lacks returns what a saved graph, and those that it calls, need and this server has not:
// servers, and tools that are pinned and that the server of that name has never had here by
// the definition of the pin. A graph that lacks something belongs elsewhere: it is neither a
// node nor a tool here. seen are the graphs that were looked at already.
func (gs *graphSpecs) lacks(g *graphfiles.Graph, seen map[string]bool) (lacks []string) {
	if gs.plans.servers.Hub == nil || seen[g.Name] {
		return nil
	}
	seen[g.Name] = true
	pins := sync.OnceValue(func() graphfiles.Pins {
		pins, _ := gs.plans.Saved.Pins(g.Name) // of what cannot be read, running the graph says it
		return pins
	})
	for _, t := range g.Doc.Tools() {
		for _, n := range t.Nodes {
			server, tool := n.Get("server").Text(), n.Get("tool").Text()
			if server == "" || tool == "" {
				continue
			}
			was, pinned := pins()[server+"/"+tool]
			switch {
			case !gs.plans.servers.Hub.Has(server):
				lacks = append(lacks, fmt.Sprintf("server %q", server))
			case pinned && !gs.plans.servers.Hub.Knows(server, tool, was.Hash, was.Version):
				lacks = append(lacks, fmt.Sprintf("tool %q of server %q as it is where the graph was saved", tool, server))
			}
		}
	}
	for _, name := range g.Doc.Calls() {
		if called, _, fault := gs.plans.Saved.Find(name); fault == nil {
			lacks = append(lacks, gs.lacks(called, seen)...)
		}
	}
	slices.Sort(lacks)
	return slices.Compact(lacks)
}

// CannotRun says what a saved graph lacks.
func (gs *graphSpecs) CannotRun(name string) string {
	return fmt.Sprintf("the saved graph %q cannot run here: there is no %s", name, strings.Join(gs.Lacks(name), ", no "))
}

// Lacks returns what a saved graph lacks here, as it was when the graphs were looked at
// last.
func (gs *graphSpecs) Lacks(name string) []string { return gs.lackingNow()[name] }

func (gs *graphSpecs) lackingNow() map[string][]string {
	gs.plans.Catalog.Snapshot() // of graphs that are not yet looked at
	if all := gs.lacking.Load(); all != nil {
		return *all
	}
	return nil
}
