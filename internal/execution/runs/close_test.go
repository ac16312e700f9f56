package runs_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
)

// During the end of the process a call that has left may return, and its result is
// kept. One that takes too long may have taken effect. Nothing else goes on.
func TestCloseLetsCallsReturn(t *testing.T) {
	const grace = 1500 * time.Millisecond
	const waits = `
nodes:
  - {id: entry, type: entry, next: work}
  - {id: work, type: wait, ms: 3600000, next: exit}
  - {id: exit, type: exit}
`
	for _, c := range []struct {
		name, src   string
		takes       time.Duration // a call
		isError     bool
		end         time.Duration // how long Close takes
		then, after string        // how the run stands, and after the next start
		calls       int           // in all
	}{
		{"a call returns", callOnce, time.Second, false, time.Second, "interrupted shutting-down", "succeeded", 1},
		{"a call fails", callOnce, time.Second, true, time.Second, "interrupted shutting-down", "failed tool-failed", 1},
		{"a call takes too long", callOnce, time.Minute, false, grace, "interrupted shutting-down", "interrupted outcome-unknown", 1},
		{"a second call", callOnce[:len(callOnce)-len("  - {id: exit, type: exit}\n")] + "  - {id: exit, type: mcp, server: s, tool: work, args: {}, next: end}\n  - {id: end, type: exit}\n", time.Second, false, time.Second, "interrupted shutting-down", "succeeded", 2},
		{"a wait", waits, 0, false, 0, "interrupted shutting-down", "interrupted shutting-down", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				answer := func(ctx context.Context, _ run.Call) (*run.Result, error) {
					calls++
					select {
					case <-time.After(c.takes):
						return &run.Result{Structured: json.RawMessage(`{"done":true}`), IsError: c.isError}, nil
					case <-ctx.Done():
						return nil, context.Cause(ctx)
					}
				}
				l, store := newRunner(t, answer)
				done := startInBackground(t, l, "ann", c.src)
				synctest.Wait()
				id := l.RunningIDs()[0]
				ctx, cancel := context.WithTimeout(t.Context(), grace)
				defer cancel()
				began := time.Now()
				l.Close(ctx)
				if took := time.Since(began); took != c.end {
					t.Errorf("the end takes %s, want %s", took, c.end)
				}
				if rec := <-done; string(rec.Status)+" "+rec.Fault.Code != c.then {
					t.Errorf("the run is %s: %v", rec.Status, rec.Fault)
				}
				if _, fault := l.Start(t.Context(), planOf(t, callOnce), nil, runs.StartOptions{}); fault == nil || fault.Code != run.ShuttingDown {
					t.Errorf("a run begins after the end: %v", fault)
				}

				next := newRunnerOver(t, store, answer)
				next.Recover()
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if c.after == c.then {
					next.Close(stopped)
				}
				rec, err := store.Load(operator, id)
				if err != nil {
					t.Fatal(err)
				}
				got := string(rec.Status)
				if rec.Fault != nil {
					got += " " + rec.Fault.Code
				}
				if got != c.after || calls != c.calls {
					t.Errorf("after the next start it is %s with %d calls, want %s with %d", got, calls, c.after, c.calls)
				}
			})
		})
	}
}

// A call that does not listen to its context does not hold up the end.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newRunner(t, func(context.Context, run.Call) (*run.Result, error) {
			time.Sleep(time.Minute)
			return &run.Result{Structured: json.RawMessage(`{}`)}, nil
		})
		done := startInBackground(t, l, "ann", callOnce)
		synctest.Wait()
		began := time.Now()
		l.Close(stopped)
		if took := time.Since(began); took > time.Second {
			t.Errorf("the end takes %s", took)
		}
		<-done
	})
}
