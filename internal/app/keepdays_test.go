package app

import (
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// At its start serve deletes the runs of its project that stopped longer ago than
// keepDays; 0 is no bound.
func TestKeepDays(t *testing.T) {
	for keep, want := range map[time.Duration]int{0: 3, 24 * time.Hour: 2} {
		store := journal.NewMemory(nil)
		for id, age := range map[string]time.Duration{"old": 48 * time.Hour, "new": time.Hour, "other": 48 * time.Hour} {
			project := "p"
			if id == "other" {
				project = "q"
			}
			if err := store.End(&run.Record{ID: id, Project: project, Status: run.Succeeded, Ended: time.Now().Add(-age)}, true); err != nil {
				t.Fatal(err)
			}
		}
		pb := New(Options{Project: "p", Store: func() (runs.RunStore, error) { return store, nil }})
		pb.SetConfig(&config.Config{Runs: config.Runs{Keep: keep}})
		pb.recoverAndPrune()
		if list, err := store.List(run.Filter{Actor: run.Actor{Operator: true}}); err != nil || len(list) != want {
			t.Errorf("kept for %s: %d runs, want %d (%v)", keep, len(list), want, err)
		}
	}
}
