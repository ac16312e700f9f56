package plans

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/run"
)

// Projects is whose runs a command is about: its own project's, or every project's.
func (pl *Plans) Projects(all bool) string {
	if all {
		return ""
	}
	return pl.process.Project
}

var codeOtherProject = diag.DefineFault("other-project", diag.RefusesRequest, "the run belongs to another [project](durability.md#projects)", "work in that project, or `runs adopt`")

// OwnRun refuses to resume a run of another project: its calls would reach this
// project's servers, which may only have the same names. A run without a project may
// be resumed, and is of this project then.
func (pl *Plans) OwnRun(rec *run.Record) *diag.Fault {
	if pl.process.Project == "" || rec.Project == "" || rec.Project == pl.process.Project {
		return nil
	}
	f := diag.Faultf(codeOtherProject, "the run %s belongs to the project %s; this is %s", rec.ID, rec.Project, pl.process.Project)
	f.Path = "/run_id"
	f.Hint = "start patchbay in the folder or with the configuration of that project; if its folder was moved here, patchbay runs adopt --from " + rec.Project
	return f
}

// ProjectName is how people read a project.
func ProjectName(project string) string { return cmp.Or(project, config.NoProject) }

// BytesOfToken is how many bytes of JSON count as a token that a model does not read:
// about what English texts and JSON have. It is an estimate.
const BytesOfToken = 4

// lacks returns what a saved graph, and those that it calls, need and this server has not:
// servers, and tools that are pinned and that the server of that name has never had here by
// the definition of the pin. A graph that lacks something belongs elsewhere: it is neither a
// node nor a tool here. seen are the graphs that were looked at already.
func (pl *Plans) lacks(g *graphfiles.Graph, seen map[string]bool) (lacks []string) {
	if pl.servers.Hub == nil || seen[g.Name] {
		return nil
	}
	seen[g.Name] = true
	pins := sync.OnceValue(func() graphfiles.Pins {
		pins, _ := pl.Saved.Pins(g.Name) // of what cannot be read, running the graph says it
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
			case !pl.servers.Hub.Has(server):
				lacks = append(lacks, fmt.Sprintf("server %q", server))
			case pinned && !pl.servers.Hub.Knows(server, tool, was.Hash, was.Version):
				lacks = append(lacks, fmt.Sprintf("tool %q of server %q as it is where the graph was saved", tool, server))
			}
		}
	}
	for _, name := range g.Doc.Calls() {
		if called, _, fault := pl.Saved.Find(name); fault == nil {
			lacks = append(lacks, pl.lacks(called, seen)...)
		}
	}
	slices.Sort(lacks)
	return slices.Compact(lacks)
}

// CannotRunHere says what a saved graph lacks.
func (pl *Plans) CannotRunHere(name string) string {
	return fmt.Sprintf("the saved graph %q cannot run here: there is no %s", name, strings.Join(pl.Elsewhere(name), ", no "))
}

// Elsewhere returns what a saved graph lacks here, as it was when the graphs were looked at
// last.
func (pl *Plans) Elsewhere(name string) []string { return pl.lackingNow()[name] }

func (pl *Plans) lackingNow() map[string][]string {
	pl.Catalog.Snapshot() // of graphs that are not yet looked at
	if all := pl.lacking.Load(); all != nil {
		return *all
	}
	return nil
}
