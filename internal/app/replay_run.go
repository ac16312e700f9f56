package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine/local"
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
func (pb *App) ReplayRun(ctx context.Context, in ReplayRunInput) (*ReplayResult, *diag.Fault) {
	rec, fault := pb.lookedAt(ctx, in.RunID)
	if fault != nil {
		return nil, fault
	}
	plan, fault := pb.recordedPlan(ctx, rec.Source)
	if fault != nil {
		return nil, fault
	}
	again := local.Replay(ctx, plan, rec)
	found := local.Compare(rec, again)
	return &ReplayResult{RunID: rec.ID, Same: len(found) == 0, Steps: again.Executions(), Differences: found}, nil
}
