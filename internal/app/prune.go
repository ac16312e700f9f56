package app

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
)

// PruneInput says which runs are kept.
type PruneInput struct {
	Older time.Duration `json:"older,omitempty" default:"720h" jsonschema:"how long a run is kept"`
	MaxMB int64         `json:"max_mb,omitempty" default:"1024" jsonschema:"how many MB all runs may take; 0 is no bound"`
}

// PruneRuns deletes the runs that stopped longer ago than Older, and the oldest of
// the rest until they take at most MaxMB.
func (pb *App) PruneRuns(ctx context.Context, in PruneInput) (*PruneResult, *diag.Fault) {
	return pb.Prune(ctx, time.Now().Add(-in.Older), in.MaxMB<<20)
}
