package execution

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// A GraphUse says what the completed runs of a graph have kept out of the model's
// context. Runs that ended before these figures were recorded count as uses only.
type GraphUse struct {
	Graph         string `json:"graph,omitempty"`
	Uses          int    `json:"uses"`
	CallsKeptOut  int    `json:"calls_kept_out"`  // calls of the runs, less the one of the graph
	TokensKeptOut int    `json:"tokens_kept_out"` // of the results of calls, less those of the runs' results: their bytes divided by 4
}

func graphUse(u run.Use) GraphUse {
	return GraphUse{Graph: u.Graph, Uses: u.Runs, CallsKeptOut: u.Calls - u.Counted, TokensKeptOut: int(u.Called-u.Replied) / plans.BytesOfToken}
}

// GraphUse is the use of a graph by the caller in this project, nil if it is not known.
func (ex *Execution) GraphUse(ctx context.Context, graph string) *GraphUse {
	uses, fault := ex.Runner.Uses(run.Filter{Actor: request.ActorFrom(ctx), Graph: graph, Project: ex.process.Project})
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
func (ex *Execution) usesByGraph(f run.Filter) (*RunsResult, *diag.Fault) {
	uses, fault := ex.Runner.Uses(f)
	if fault != nil {
		return nil, fault
	}
	r := &RunsResult{Runs: []run.Summary{}, Graphs: []GraphUse{}}
	for _, u := range uses {
		named := u.Graph != "" && u.Graph != OneCallName
		if named && (f.Limit <= 0 || len(r.Graphs) < f.Limit) {
			r.Graphs = append(r.Graphs, graphUse(u))
		}
	}
	return r, nil
}
