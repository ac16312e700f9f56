package walk_test

import (
	"path/filepath"
	"testing"

	"go.temporal.io/sdk/worker"

	"github.com/patchbay-mcp/patchbay/temporal/walk"
)

// TestGoldenHistories replays the histories of runs that package record has made on a
// server, in earlier versions too: a run in flight continues with this version.
func TestGoldenHistories(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no histories: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			r := worker.NewWorkflowReplayer()
			walk.New(&walk.Options{MaxEvents: 50}).Register(r)
			if err := r.ReplayWorkflowHistoryFromJSONFile(quiet{}, path); err != nil {
				t.Error(err)
			}
		})
	}
}
