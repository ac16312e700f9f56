package app

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
)

// PruneInput says which runs are kept.
type PruneInput struct {
	Older time.Duration `json:"older,omitempty" default:"720h" jsonschema:"delete runs that stopped longer ago than this"`
	MaxMB int64         `json:"max_mb,omitempty" default:"1024" jsonschema:"delete the oldest runs until all take at most this many MB; 0 for no limit"`
}

// PruneRuns deletes the runs that stopped longer ago than Older, and the oldest of
// the rest until they take at most MaxMB.
func (pb *App) PruneRuns(ctx context.Context, in PruneInput) (*PruneResult, *diag.Fault) {
	return pb.Prune(ctx, time.Now().Add(-in.Older), in.MaxMB<<20)
}
