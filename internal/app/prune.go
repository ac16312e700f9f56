package app

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
)

// PruneInput says which runs are kept.
type PruneInput struct {
	Older       time.Duration `json:"older,omitempty" default:"720h" jsonschema:"delete runs of this project that stopped longer ago than this"`
	MaxMB       int64         `json:"max_mb,omitempty" default:"1024" jsonschema:"delete the oldest runs of any project until all runs take at most this many MiB; 0 for no limit"`
	AllProjects bool          `json:"all_projects,omitempty" jsonschema:"delete old runs of every project"`
}

// PruneResult is how many runs were deleted.
type PruneResult struct {
	Deleted int `json:"deleted"`
}

// PruneRuns deletes the runs that stopped longer ago than Older, those of its own
// project unless AllProjects is set, and then the oldest of all until they take at most
// MaxMB.
func (pb *App) PruneRuns(_ context.Context, in PruneInput) (*PruneResult, *diag.Fault) {
	if in.MaxMB < 0 {
		return nil, diag.BadArgument("/max_mb", "0 is without a limit", "max_mb is %d, expected 0 or more", in.MaxMB)
	}
	n, fault := pb.runs.Prune(pb.projects(in.AllProjects), time.Now().Add(-in.Older), in.MaxMB<<20)
	if fault != nil {
		return nil, fault
	}
	return &PruneResult{Deleted: n}, nil
}
