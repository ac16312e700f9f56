package runs_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// TestRunsOfPeersTakeTurns: a client whose runs fill the queue does not hold up the run
// of another for longer than one of them takes.
func TestRunsOfPeersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		var mu sync.Mutex
		var order []string
		store := journal.NewMemory(nil)
		l := runs.NewLocal(runs.Options{
			Store: func() (runs.RunStore, error) { return store, nil }, Compile: compile, MaxRuns: 1,
			Calls: func(context.Context, string) run.Caller {
				return callerFunc(func(_ context.Context, c run.Call) (*run.Result, error) {
					<-open
					mu.Lock()
					defer mu.Unlock()
					order = append(order, string(c.Args))
					return &run.Result{Structured: c.Args}, nil
				})
			},
		})
		defer l.Close(stopped)
		plan := planOf(t, `nodes: [{id: entry, type: entry, next: a}, {id: a, type: mcp, server: s, tool: work, args: {expr: $.entry}, next: exit}, {id: exit, type: exit}]`)
		var wg sync.WaitGroup
		startFor := func(peer string) {
			wg.Go(func() {
				if _, fault := l.Start(t.Context(), plan, json.RawMessage(`{"of":"`+peer+`"}`), runs.StartOptions{Principal: "p", Client: runs.Client{Peer: peer}}); fault != nil {
					t.Error(fault)
				}
			})
			synctest.Wait()
		}
		for range 100 {
			startFor("greedy")
		}
		startFor("modest")
		if running, queued := l.InFlight(); running != 1 || queued != 100 {
			t.Errorf("%d runs execute and %d wait, want 1 and 100", running, queued)
		}
		close(open)
		wg.Wait()
		if len(order) != 101 || order[2] != `{"of":"modest"}` {
			t.Errorf("%d runs, the third of %s, want modest", len(order), order[2])
		}
	})
}
