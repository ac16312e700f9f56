package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// RunLogInput names the run whose events are wanted.
type RunLogInput struct {
	RunID string `json:"run_id" arg:"ID" jsonschema:"run ID"`
}

// RunLogResult has the events of a run so far, in the order in which they happened.
type RunLogResult struct {
	RunID  string       `json:"run_id"`
	Graph  string       `json:"graph,omitempty"`
	Status string       `json:"status"`
	Events []run.Notice `json:"events"`
}

// RunLog returns the events of a run of the caller's, in whichever process it runs.
func (pb *App) RunLog(ctx context.Context, in RunLogInput) (*RunLogResult, *diag.Fault) {
	rec, fault := pb.record(ctx, in.RunID)
	if fault != nil {
		return nil, fault
	}
	return &RunLogResult{RunID: rec.ID, Graph: rec.Graph, Status: string(rec.Status), Events: rec.Notices()}, nil
}
