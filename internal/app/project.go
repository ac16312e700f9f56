package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/run"
)

// projects is whose runs a command is about: its own project's, or every project's.
func (a *App) projects(all bool) string {
	if all {
		return ""
	}
	return a.execution.project
}

var codeOtherProject = diag.DefineFault("other-project", diag.RefusesRequest, "the run belongs to another [project](durability.md#projects)", "work in that project, or `runs adopt`")

// ownRun refuses to resume a run of another project: its calls would reach this
// project's servers, which may only have the same names. A run without a project may
// be resumed, and is of this project then.
func (a *App) ownRun(rec *run.Record) *diag.Fault {
	if a.execution.project == "" || rec.Project == "" || rec.Project == a.execution.project {
		return nil
	}
	f := diag.Faultf(codeOtherProject, "the run %s belongs to the project %s; this is %s", rec.ID, rec.Project, a.execution.project)
	f.Path = "/run_id"
	f.Hint = "start patchbay in the folder or with the configuration of that project; if its folder was moved here, patchbay runs adopt --from " + rec.Project
	return f
}

// projectName is how people read a project.
func projectName(project string) string { return cmp.Or(project, config.NoProject) }

// bytesOfToken is how many bytes of JSON count as a token that a model does not read:
// about what English texts and JSON have. It is an estimate.
const bytesOfToken = 4

// A GraphUse says what the completed runs of a graph have kept out of the model's
// context. Runs that ended before these figures were recorded count as uses only.
type GraphUse struct {
	Graph         string `json:"graph,omitempty"`
	Uses          int    `json:"uses"`
	CallsKeptOut  int    `json:"calls_kept_out"`  // calls of the runs, less the one of the graph
	TokensKeptOut int    `json:"tokens_kept_out"` // of the results of calls, less those of the runs' results: their bytes divided by 4
}

func graphUse(u run.Use) GraphUse {
	return GraphUse{Graph: u.Graph, Uses: u.Runs, CallsKeptOut: u.Calls - u.Counted, TokensKeptOut: int(u.Called-u.Replied) / bytesOfToken}
}

// graphUse is the use of a graph by the caller in this project, nil if it is not known.
func (a *App) graphUse(ctx context.Context, graph string) *GraphUse {
	uses, fault := a.execution.runs.Uses(run.Filter{Actor: actor(ctx), Graph: graph, Project: a.execution.project})
	if fault != nil {
		return nil
	}
	r := GraphUse{}
	if len(uses) > 0 {
		r = graphUse(uses[0])
		r.Graph = ""
	}
	return &r
}

// usesByGraph are the uses of graphs with a name, the most used graph first.
func (a *App) usesByGraph(f run.Filter) (*RunsResult, *diag.Fault) {
	uses, fault := a.execution.runs.Uses(f)
	if fault != nil {
		return nil, fault
	}
	r := &RunsResult{Runs: []run.Summary{}, Graphs: []GraphUse{}}
	for _, u := range uses {
		named := u.Graph != "" && u.Graph != oneCallName
		if named && (f.Limit <= 0 || len(r.Graphs) < f.Limit) {
			r.Graphs = append(r.Graphs, graphUse(u))
		}
	}
	return r, nil
}

// lacks returns what a saved graph, and those that it calls, need and this server has not:
// servers, and tools that are pinned and that the server of that name has never had here by
// the definition of the pin. A graph that lacks something belongs elsewhere: it is neither a
// node nor a tool here. seen are the graphs that were looked at already.
func (a *App) lacks(g *graphfiles.Graph, seen map[string]bool) (lacks []string) {
	if a.servers.hub == nil || seen[g.Name] {
		return nil
	}
	seen[g.Name] = true
	pins, _ := a.library.graphs.Pins(g.Name) // of what cannot be read, running the graph says it
	for _, t := range g.Doc.Tools() {
		for _, n := range t.Nodes {
			server, tool := n.Get("server").Text(), n.Get("tool").Text()
			was, pinned := pins[server+"/"+tool]
			switch {
			case server == "" || tool == "":
			case !a.servers.hub.Has(server):
				lacks = append(lacks, fmt.Sprintf("server %q", server))
			case pinned && !a.servers.hub.Knows(server, tool, was.Hash, was.Version):
				lacks = append(lacks, fmt.Sprintf("tool %q of server %q as it is where the graph was saved", tool, server))
			}
		}
	}
	for _, name := range g.Doc.Calls() {
		if called, _, fault := a.library.graphs.Find(name); fault == nil {
			lacks = append(lacks, a.lacks(called, seen)...)
		}
	}
	slices.Sort(lacks)
	return slices.Compact(lacks)
}

// cannotRunHere says what a saved graph lacks.
func (a *App) cannotRunHere(name string) string {
	return fmt.Sprintf("the saved graph %q cannot run here: there is no %s", name, strings.Join(a.elsewhere(name), ", no "))
}

// elsewhere returns what a saved graph lacks here, as it was when the graphs were looked at
// last.
func (a *App) elsewhere(name string) []string {
	if all := a.library.lacking.Load(); all != nil {
		return (*all)[name]
	}
	return nil
}
