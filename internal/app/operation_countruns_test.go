package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// countRuns is a row of Operations.
var countRuns = define(Operation{
	Tool: "count_runs", Title: "Count runs", Command: "runs count", Summary: "Count runs by status",
	Description: "How many runs are stored, by status: running, succeeded, failed, cancelled, interrupted.",
	Scope:       access.Run,
	Hints:       Hints{ReadOnly: true, Idempotent: true},
}, (*App).CountRuns)

// CountRunsInput says which runs are counted.
type CountRunsInput struct {
	Graph string `json:"graph,omitempty" flag:"graph-name" jsonschema:"only runs of this graph"`
}

// CountRunsResult is how many runs there are of each status.
type CountRunsResult struct {
	Runs map[run.Status]int `json:"runs"`
}

// CountRuns counts the caller's runs.
func (a *App) CountRuns(ctx context.Context, in CountRunsInput) (*CountRunsResult, *diag.Fault) {
	list, fault := a.Runner.List(run.Filter{Actor: request.ActorFrom(ctx), Graph: in.Graph})
	if fault != nil {
		return nil, fault
	}
	r := &CountRunsResult{Runs: map[run.Status]int{}}
	for _, s := range list {
		r.Runs[s.Status]++
	}
	return r, nil
}
