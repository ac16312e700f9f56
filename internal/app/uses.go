package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

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

// useOf is the use of a graph by the caller in this project, nil if it is not known.
func (pb *App) useOf(ctx context.Context, graph string) *GraphUse {
	uses, fault := pb.runs.Uses(run.Filter{Actor: actor(ctx), Graph: graph, Project: pb.project})
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
func (pb *App) usesByGraph(f run.Filter) (*RunsResult, *diag.Fault) {
	uses, fault := pb.runs.Uses(f)
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
