package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/graphfiles"
)

// lacks returns what a saved graph, and those that it calls, need and this server has not:
// servers, and tools that are pinned and that the server of that name has never had here by
// the definition of the pin. A graph that lacks something belongs elsewhere: it is neither a
// node nor a tool here. seen are the graphs that were looked at already.
func (pb *App) lacks(g *graphfiles.Graph, seen map[string]bool) (lacks []string) {
	if pb.hub == nil || seen[g.Name] {
		return nil
	}
	seen[g.Name] = true
	pins, _ := pb.graphs.Pins(g.Name) // of what cannot be read, running the graph says it
	for _, t := range g.Doc.Tools() {
		for _, n := range t.Nodes {
			server, tool := n.Get("server").Text(), n.Get("tool").Text()
			was, pinned := pins[server+"/"+tool]
			switch {
			case server == "" || tool == "":
			case !pb.hub.Has(server):
				lacks = append(lacks, fmt.Sprintf("server %q", server))
			case pinned && !pb.hub.Knows(server, tool, was.Hash, was.Version):
				lacks = append(lacks, fmt.Sprintf("tool %q of server %q as it is where the graph was saved", tool, server))
			}
		}
	}
	for _, name := range g.Doc.Calls() {
		if called, _, fault := pb.graphs.Find(name); fault == nil {
			lacks = append(lacks, pb.lacks(called, seen)...)
		}
	}
	slices.Sort(lacks)
	return slices.Compact(lacks)
}

// cannotRunHere says what a saved graph lacks.
func (pb *App) cannotRunHere(name string) string {
	return fmt.Sprintf("the saved graph %q cannot run here: there is no %s", name, strings.Join(pb.elsewhere(name), ", no "))
}

// elsewhere returns what a saved graph lacks here, as it was when the graphs were looked at
// last.
func (pb *App) elsewhere(name string) []string {
	if all := pb.lacking.Load(); all != nil {
		return (*all)[name]
	}
	return nil
}
