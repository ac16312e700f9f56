package execution

import (
	"context"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Difference is where a replay departs from its recording.
type Difference = local.Difference

// ReplayResult says whether a run, done again with its recorded results, takes
// the same path to the same outputs.
type ReplayResult struct {
	RunID       string       `json:"run_id"`
	Same        bool         `json:"same"`
	Steps       int          `json:"node_executions"`
	Differences []Difference `json:"differences,omitempty"`
}

// Failed reports whether the replay departed from the recording.
func (r *ReplayResult) Failed() bool { return !r.Same }

// ReplayRunInput names the run to do again.
type ReplayRunInput struct {
	RunID string `json:"run_id" arg:"ID" jsonschema:"run ID"`
}

// ReplayRun does a run again with its recorded results. Nothing outside is
// touched.
func (rs *Records) ReplayRun(ctx context.Context, in ReplayRunInput) (*ReplayResult, *diag.Fault) {
	rec, fault := rs.LookedAt(ctx, in.RunID)
	if fault != nil {
		return nil, fault
	}
	plan, fault := rs.execution.RunPlans.Alone(ctx, rec.Source)
	if fault != nil {
		return nil, fault
	}
	again := local.Replay(ctx, plan, rec)
	found := local.Compare(rec, again)
	return &ReplayResult{RunID: rec.ID, Same: len(found) == 0, Steps: again.Executions(), Differences: found}, nil
}

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
func (rs *Records) RunLog(ctx context.Context, in RunLogInput) (*RunLogResult, *diag.Fault) {
	rec, fault := rs.record(ctx, in.RunID)
	if fault != nil {
		return nil, fault
	}
	return &RunLogResult{RunID: rec.ID, Graph: rec.Graph, Status: string(rec.Status), Events: rec.Notices()}, nil
}

// CountItems returns for how many items a step of a run executes its node, also while it does;
// 0 where it has no foreach, or the number cannot be computed from what is recorded.
func (rs *Records) CountItems(ctx context.Context, id, key string) int {
	rec, fault := rs.record(ctx, id)
	if fault != nil {
		return 0
	}
	at := slices.IndexFunc(rec.Steps, func(s *run.StepRecord) bool { return s.Key == key })
	plan, fault := rs.execution.RunPlans.Alone(ctx, rec.Source)
	if at < 0 || fault != nil {
		return 0
	}
	count := 0
	_ = rs.execution.process.Compute(ctx, 0, func(ctx context.Context) { count = plan.ItemCount(ctx, rec, at) })
	return count
}
