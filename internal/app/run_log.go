package app

import (
	"context"
	"slices"

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

// ItemsOf returns for how many items a step of a run executes its node, also while it does;
// 0 where it has no foreach, or the number cannot be computed from what is recorded.
func (pb *App) ItemsOf(ctx context.Context, id, key string) int {
	rec, fault := pb.record(ctx, id)
	if fault != nil {
		return 0
	}
	at := slices.IndexFunc(rec.Steps, func(s *run.StepRecord) bool { return s.Key == key })
	plan, fault := pb.recordedPlan(ctx, rec.Source)
	if at < 0 || fault != nil {
		return 0
	}
	count := 0
	_ = pb.compute(ctx, 0, func(ctx context.Context) { count = plan.ItemCount(ctx, rec, at) })
	return count
}
