package runs_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

const (
	waitAnHour = `nodes: [{id: entry, type: entry, next: a}, {id: a, type: wait, ms: 3600000, next: exit}, {id: exit, type: exit}]`
	callTool   = `nodes: [{id: entry, type: entry, next: a}, {id: a, type: mcp, server: s, tool: work, args: {}, next: exit}, {id: exit, type: exit}]`
	// waitBeside waits in one branch for two minutes, and calls in the other.
	waitBeside = `
nodes:
  - {id: entry, type: entry, next: both}
  - {id: both, type: parallel, branches: [w, c], join: exit}
  - {id: w, type: wait, ms: 120000, next: exit}
  - {id: c, type: mcp, server: s, tool: work, args: {}, next: exit}
  - {id: exit, type: exit}`
)

// newRunnerOf returns a runner of so many runs, whose runs call f.
func newRunnerOf(t *testing.T, places, queued int, f callerFunc) *runs.Local {
	t.Helper()
	store := journal.NewMemory(nil)
	return runs.NewLocal(runs.Options{
		Store: func() (runs.RunStore, error) { return store, nil }, Compile: compile, MaxRuns: places, MaxQueued: queued,
		Calls: func(context.Context, string) run.Caller { return f },
	})
}

// answered runs a graph with one call as a principal's, and returns what is wrong with it
// a second later: "" if it has ended.
func answered(t *testing.T, l *runs.Local, principal string) string {
	t.Helper()
	rec, fault := l.Start(t.Context(), planOf(t, callTool), json.RawMessage(`{}`), runs.StartOptions{Principal: principal, Client: runs.Client{Wait: time.Second}})
	switch {
	case fault != nil:
		return fault.Code
	case rec.Status != run.Succeeded:
		return string(rec.Status)
	}
	return ""
}

// TestWaitingRunsHaveNoPlace: however many runs of one principal wait for a time or are
// paused by a debugger, the run of another executes.
func TestWaitingRunsHaveNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRunnerOf(t, 4, 100, work)
		for range 20 {
			startInBackground(t, l, "greedy", waitAnHour)
		}
		for range 20 {
			o := runs.StartOptions{Principal: "greedy", Client: runs.Client{Background: true, Debugger: run.NewDebugger(nil, true, 0)}}
			if _, fault := l.Start(t.Context(), planOf(t, callTool), json.RawMessage(`{}`), o); fault != nil {
				t.Fatal(fault)
			}
		}
		synctest.Wait()
		if why := answered(t, l, "modest"); why != "" {
			t.Errorf("while 40 runs wait, the run of another principal is %s", why)
		}
		if running, queued := l.InFlight(); running != 40 || queued != 0 {
			t.Errorf("%d runs are in progress and %d queued, want 40 that wait", running, queued)
		}
		l.Close(stopped)
	})
}

// TestQuestionsDuringCallsHaveNoPlace: a call that waits for the answer of a person does
// not keep others from executing, and continues with the answer.
func TestQuestionsDuringCallsHaveNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRunnerOf(t, 1, 10, func(ctx context.Context, c run.Call) (*run.Result, error) {
			if asker, ok := c.Ask.(run.CallAsker); ok && strings.Contains(string(c.Args), "ask") {
				answer, err := asker.AskDuring(ctx, c, run.Question{Message: "Go on?"})
				if err != nil {
					return nil, err
				}
				return &run.Result{Structured: json.RawMessage(`{"got":"` + answer.Action + `"}`)}, nil
			}
			return work(ctx, c)
		})
		asking := startInBackground(t, l, "greedy", strings.Replace(callTool, "args: {}", "args: {what: ask}", 1))
		synctest.Wait()
		if why := answered(t, l, "modest"); why != "" {
			t.Errorf("while a call asks, the run of another principal is %s", why)
		}
		list, _ := l.List(run.Filter{Actor: operator, Status: run.Running})
		rec, _ := l.Load(operator, list[0].ID)
		if fault := l.Reply(operator, rec.ID, rec.Questions()[0].Key, json.RawMessage(`{"action":"accept"}`)); fault != nil {
			t.Fatal(fault)
		}
		if rec := <-asking; rec.Status != run.Succeeded {
			t.Errorf("the run is %s: %v", rec.Status, rec.Fault)
		}
		l.Close(stopped)
	})
}

// TestARunThatStillDoesSomethingHasAPlace: one of its branches waits, the other calls.
func TestARunThatStillDoesSomethingHasAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		l := newRunnerOf(t, 1, 10, func(ctx context.Context, c run.Call) (*run.Result, error) {
			<-open
			return work(ctx, c)
		})
		both := startInBackground(t, l, "greedy", waitBeside)
		synctest.Wait()
		if why := answered(t, l, "modest"); why != diag.CodeTooManyRuns {
			t.Errorf("while a branch of the only run calls, another run is %q, want %s", why, diag.CodeTooManyRuns)
		}
		close(open)
		synctest.Wait()
		if why := answered(t, l, "modest"); why != "" {
			t.Errorf("when all branches wait, the run of another principal is %s", why)
		}
		if rec := <-both; rec.Status != run.Succeeded {
			t.Errorf("the run is %s: %v", rec.Status, rec.Fault)
		}
		l.Close(stopped)
	})
}

// TestRunsComeBack: many runs that wait and call again and again, in several branches,
// all end, never more of them at once than there are places, and the time in which they
// have none does not count.
func TestRunsComeBack(t *testing.T) {
	const places, each = 3, 20
	synctest.Test(t, func(t *testing.T) {
		var calls, most atomic.Int64
		l := newRunnerOf(t, places, 100, func(ctx context.Context, c run.Call) (*run.Result, error) {
			n := calls.Add(1)
			defer calls.Add(-1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			time.Sleep(50 * time.Second)
			return work(ctx, c)
		})
		plan := planOf(t, `
executionLimits: {maxExecutionTimeMs: 170000}
nodes:
  - {id: entry, type: entry, next: both}
  - {id: both, type: parallel, branches: [w, v], join: pause}
  - {id: w, type: wait, ms: 10000, next: c}
  - {id: c, type: mcp, server: s, tool: work, args: {}, next: pause}
  - {id: v, type: wait, ms: 20000, next: d}
  - {id: d, type: mcp, server: s, tool: work, args: {}, next: pause}
  - {id: pause, type: wait, ms: 10000, next: last}
  - {id: last, type: mcp, server: s, tool: work, args: {}, next: exit}
  - {id: exit, type: exit}`)
		var all sync.WaitGroup
		for i := range 2 * each {
			all.Go(func() {
				rec, fault := l.Start(t.Context(), plan, json.RawMessage(`{}`), runs.StartOptions{Principal: []string{"a", "b"}[i%2]})
				if fault != nil || rec.Status != run.Succeeded {
					t.Errorf("a run is %+v: %v", rec, fault)
				}
			})
		}
		all.Wait()
		if most := most.Load(); most > 2*places {
			t.Errorf("%d calls at once, want at most the two of each of %d runs", most, places)
		}
		if running, queued := l.InFlight(); running != 0 || queued != 0 {
			t.Errorf("%d runs are in progress and %d queued at the end", running, queued)
		}
		l.Close(stopped)
	})
}

// TestRunsWithoutAPlaceEnd: they can be cancelled while they wait, and while they wait for
// a place.
func TestRunsWithoutAPlaceEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRunnerOf(t, 1, 10, func(ctx context.Context, _ run.Call) (*run.Result, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		waits, returns := startInBackground(t, l, "p", waitAnHour), startInBackground(t, l, "p", strings.Replace(waitAnHour, "3600000", "1000", 1))
		synctest.Wait()
		startInBackground(t, l, "p", callTool)
		time.Sleep(time.Minute)
		if running, queued := l.InFlight(); running != 3 || queued != 1 {
			t.Errorf("%d runs are in progress and %d queued, want 3, of which one waits for its place", running, queued)
		}
		l.Close(stopped)
		for _, done := range []<-chan *run.Record{waits, returns} {
			if rec := <-done; rec.Status != run.Interrupted {
				t.Errorf("the run is %s, want it to be interrupted", rec.Status)
			}
		}
	})
}

// TestTooManyRunsWait: what waits without a place is bounded, for one client and for all.
func TestTooManyRunsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRunnerOf(t, 2, 8, work)
		for range 5 {
			startInBackground(t, l, "greedy", waitAnHour)
			synctest.Wait()
		}
		if why := answered(t, l, "greedy"); why != diag.CodeTooManyRuns {
			t.Errorf("while 5 of its runs wait, a run is %q, want %s", why, diag.CodeTooManyRuns)
		}
		if why := answered(t, l, "modest"); why != "" {
			t.Errorf("the run of another principal is %s", why)
		}
		l.Close(stopped)
	})
}
