package runner_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/runner"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// Who starts a run, or follows one, is told of its steps as they happen; who watches, also
// after its client has left. A worker is asked only when the history has grown.
func TestEvents(t *testing.T) {
	for name, c := range map[string]runs.Client{"a client that waits": {}, "a client that leaves": {Wait: time.Second}, "a client in the background": {Background: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &service{workflows: map[string]*execution{}, act: executes}
				var events, notices []string
				o := runs.Options{Project: "shop", Observer: runs.Observer{Watch: func(string) func(run.Notice) {
					return func(n run.Notice) { notices = append(notices, string(n.Type)+" "+n.Key) }
				}}}
				r := runner.New(s, runner.Options{Temporal: config.Temporal{TaskQueue: "queue"}}, o)
				c.OnEvent = func(e run.Event) { events = append(events, fmt.Sprint(e.Key, " ", e.Ended, " ", e.Items)) }
				done := make(chan struct{})
				go func() {
					defer close(done)
					if _, fault := r.Start(t.Context(), plan(t), nil, runs.StartOptions{Options: run.Options{ID: "run_1"}, Client: c}); fault != nil {
						t.Error(fault)
					}
				}()
				synctest.Wait()
				for i, step := range []struct {
					index int
					key   string
					ended bool
				}{{0, "each#0", false}, {1, "each#0[0]", false}, {1, "each#0[0]", true}} {
					s.mu.Lock()
					s.workflows["run_1"].does(step.index, step.key, step.index, step.ended)
					s.mu.Unlock()
					time.Sleep(20 * time.Second)
					synctest.Wait()
					if len(events) != i+1 {
						t.Errorf("after %d events: %q", i+1, events)
					}
				}
				asked := s.workflows["run_1"].news
				time.Sleep(time.Minute)
				if s.workflows["run_1"].news != asked {
					t.Error("a worker is asked for news of a run in which nothing happens")
				}
				s.mu.Lock()
				s.workflows["run_1"].end(run.Succeeded)
				s.mu.Unlock()
				time.Sleep(time.Minute)
				synctest.Wait()
				if want := []string{"each#0 false 0", "each#0[0] false 2", "each#0[0] true 2"}; !slices.Equal(events, want) {
					t.Errorf("events %q", events)
				}
				if want := []string{"nodeStarted each#0", "nodeStarted each#0[0]", "nodeCompleted each#0[0]", "ended "}; !slices.Equal(notices, want) {
					t.Errorf("notices %q", notices)
				}
				<-done
				r.Close(t.Context())
			})
		})
	}
}

// Of a run that continues, only what happens from then on is told.
func TestEventsOfAResumedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var notices []string
		s := &service{workflows: map[string]*execution{}, act: func(e *execution, message string, _ any) error {
			switch message {
			case "":
				e.does(0, "entry#0", 1, true)
				e.does(1, "ask#0", 2, false)
				e.park(run.NeedsAnswer)
			case wire.UpdateResume:
				e.does(1, "ask#0", 2, true)
				e.end(run.Succeeded)
			}
			return nil
		}}
		r := runner.New(s, runner.Options{}, runs.Options{Observer: runs.Observer{Watch: func(string) func(run.Notice) {
			return func(n run.Notice) { notices = append(notices, string(n.Type)+" "+n.Key) }
		}}})
		rec, fault := r.Start(t.Context(), plan(t), nil, runs.StartOptions{})
		if fault != nil {
			t.Fatal(fault)
		}
		first := len(notices)
		rec.Resumed = append(rec.Resumed, run.Resumption{At: time.Unix(3, 0), After: run.NeedsAnswer})
		if _, fault := r.Resume(t.Context(), plan(t), rec, runs.Client{}); fault != nil {
			t.Fatal(fault)
		}
		if want := []string{"resumed ", "nodeCompleted ask#0", "ended "}; !slices.Equal(notices[first:], want) {
			t.Errorf("after %q: %q", notices[:first], notices[first:])
		}
		r.Close(t.Context())
	})
}

// Breakpoints are refused, before anything is started.
func TestBreakpoints(t *testing.T) {
	r, s := over(t, succeeds)
	d := run.NewDebugger(nil, true, 0)
	if _, fault := r.Start(t.Context(), plan(t), nil, runs.StartOptions{Client: runs.Client{Debugger: d}}); fault == nil || fault.Code != "not-on-temporal" || len(s.workflows) > 0 || !d.Ended() {
		t.Errorf("%v, %d runs", fault, len(s.workflows))
	}
}
