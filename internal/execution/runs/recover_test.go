package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// left is a store with runs that another process left.
type left struct {
	*journal.Memory
	orphans []*run.Record
}

func (s *left) ClaimOrphans(string) ([]*run.Record, error) {
	claimed := s.orphans
	s.orphans = nil
	return claimed, nil
}

func leftRuns(t *testing.T, status run.Status, n int, src string) *left {
	s := &left{Memory: journal.NewMemory(nil)}
	for i := range n {
		rec := &run.Record{ID: fmt.Sprintf("run_%d", i), Project: "p", Status: status, Started: time.Now(), Source: run.Source{Name: "g.yaml", Text: src}}
		if status == run.Running {
			s.orphans = append(s.orphans, rec)
			continue
		}
		rec.Fault = diag.Faultf(run.ShuttingDown, "it ended")
		if err := s.Begin(rec, true); err != nil {
			t.Fatal(err)
		}
		if err := s.End(rec, true); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Runs that were executed when their process ended are resumed one after the other:
// the next when a call has returned, or after ten seconds. Runs that were parked are
// resumed at the same time.
func TestRecoverOneAtATime(t *testing.T) {
	const twice = `
nodes:
  - {id: entry, type: entry, next: work}
  - {id: work, type: mcp, server: s, tool: work, args: {}, next: more}
  - {id: more, type: mcp, server: s, tool: work, args: {}, next: exit}
  - {id: exit, type: exit}
`
	for _, c := range []struct {
		status run.Status
		takes  time.Duration // a call
		starts []time.Duration
	}{
		{run.Running, time.Second, []time.Duration{0, time.Second, time.Second, 2 * time.Second, 2 * time.Second, 3 * time.Second}},
		{run.Running, time.Minute, []time.Duration{0, 10 * time.Second, 20 * time.Second, 60 * time.Second, 70 * time.Second, 80 * time.Second}},
		{run.Interrupted, time.Second, []time.Duration{0, 0, 0, time.Second, time.Second, time.Second}},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			calls := make(chan time.Duration, 10)
			l := newRunnerOver(t, leftRuns(t, c.status, 3, twice), func(context.Context, run.Call) (*run.Result, error) {
				calls <- time.Since(began)
				time.Sleep(c.takes)
				return &run.Result{Structured: json.RawMessage(`{}`)}, nil
			})
			l.Recover()
			time.Sleep(time.Hour)
			l.Close(stopped)
			close(calls)
			var starts []time.Duration
			for at := range calls {
				starts = append(starts, at)
			}
			if !slices.Equal(starts, c.starts) {
				t.Errorf("%s runs with calls of %s call after %v, want %v", c.status, c.takes, starts, c.starts)
			}
		})
	}
}

// A run whose servers are missing waits for them, and is resumed by the next Recover
// once they are there. It is not resumed twice at the same time.
func TestRecoverWhenAServerComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var there atomic.Bool
		var calls atomic.Int32
		store := leftRuns(t, run.Running, 1, callOnce)
		l := runs.NewLocal(runs.Options{
			Store: func() (runs.RunStore, error) { return store, nil },
			Calls: func(context.Context, string) run.Caller {
				return callerFunc(func(ctx context.Context, c run.Call) (*run.Result, error) {
					calls.Add(1)
					time.Sleep(time.Second)
					return work(ctx, c)
				})
			},
			Compile: func(ctx context.Context, src run.Source) (*engine.Plan, *diag.Fault) {
				if !there.Load() {
					return nil, diag.Faultf(runs.NeedsServer, "it is away")
				}
				return compile(ctx, src)
			},
			Project: "p",
		})
		for _, comes := range []bool{false, false, true} {
			there.Store(comes)
			l.Recover()
			l.Recover()
			time.Sleep(time.Minute)
			synctest.Wait()
			want := "interrupted needs-server"
			if comes {
				want = "succeeded"
			}
			if got := stands(t, l, "run_0"); got != want {
				t.Errorf("the run is %s, want %s", got, want)
			}
		}
		if n := calls.Load(); n != 1 {
			t.Errorf("%d calls", n)
		}
		l.Close(stopped)
	})
}
