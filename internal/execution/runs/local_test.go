package runs_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
)

func work(context.Context, run.Call) (*run.Result, error) {
	return &run.Result{Structured: json.RawMessage(`{"done":true}`)}, nil
}

// metrics panics for one type of node.
type metrics struct {
	mu     sync.Mutex
	runs   int
	panics string
}

func (m *metrics) Run(string, time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs++
}

func (m *metrics) Node(kind, _ string, _ time.Duration) {
	if kind == m.panics {
		panic("a fault of ours")
	}
}

// A run that panics fails, and is not left running: its slot is free and its record
// says so.
func TestAPanicEndsItsRun(t *testing.T) {
	l, _ := newRunner(t, work)
	l.AddMetrics(&metrics{panics: "mcp"})
	rec := start(t, l, "ann", callOnce)
	if got := stands(t, l, rec.ID); got != "failed internal-error" {
		t.Errorf("the run is %s", got)
	}
	if running, queued := l.InFlight(); running != 0 || queued != 0 {
		t.Errorf("%d runs execute, %d wait", running, queued)
	}
}

// Metrics can be added while runs execute.
func TestAddMetricsWhileRunsExecute(t *testing.T) {
	l, _ := newRunner(t, work)
	plan := planOf(t, callOnce)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, fault := l.Start(t.Context(), plan, nil, runs.StartOptions{}); fault != nil {
				t.Error(fault)
			}
		})
		wg.Go(func() { l.AddMetrics(&metrics{}) })
	}
	wg.Wait()
	last := &metrics{}
	l.AddMetrics(last)
	start(t, l, "ann", callOnce)
	if last.runs != 1 {
		t.Errorf("%d runs are counted, want 1", last.runs)
	}
}

// Of two answers to one question that were both given to the run as it stood, one
// resumes it; the other is refused, so no step is executed twice.
func TestAnsweredTwice(t *testing.T) {
	calls := 0
	l, _ := newRunner(t, func(ctx context.Context, c run.Call) (*run.Result, error) {
		calls++
		return work(ctx, c)
	})
	plan := planOf(t, `
nodes:
  - {id: entry, type: entry, next: ask}
  - {id: ask, type: ask, message: Well?, next: work}
  - {id: work, type: mcp, server: s, tool: work, args: {}, next: exit}
  - {id: exit, type: exit}
`)
	rec, fault := l.Start(t.Context(), plan, nil, runs.StartOptions{})
	if fault != nil || rec.Status != run.Interrupted {
		t.Fatalf("%+v %v", rec, fault)
	}
	var copies []*run.Record
	for range 2 {
		own, fault := l.Load(operator, rec.ID)
		if fault != nil {
			t.Fatal(fault)
		}
		if _, fault := own.Reply("", run.Answer{Action: "accept"}, time.Now()); fault != nil {
			t.Fatal(fault)
		}
		copies = append(copies, own)
	}
	for i, want := range []string{"", "run-changed"} {
		got, fault := l.Resume(t.Context(), plan, copies[i], runs.Client{})
		if fault == nil {
			fault = got.Fault
		}
		if want == "" && fault != nil || want != "" && (fault == nil || fault.Code != want) {
			t.Errorf("answer %d: %v, want %q", i, fault, want)
		}
	}
	if calls != 1 || stands(t, l, rec.ID) != "succeeded" {
		t.Errorf("%d calls, the run is %s", calls, stands(t, l, rec.ID))
	}
}

// A run that executes can be loaded, by its principal alone.
func TestLoadWhileItExecutes(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	l, _ := newRunner(t, func(ctx context.Context, c run.Call) (*run.Result, error) {
		close(entered)
		<-leave
		return work(ctx, c)
	})
	done := startInBackground(t, l, "ann", callOnce)
	<-entered
	id := l.RunningIDs()[0]
	rec, fault := l.Load(run.Actor{Principal: "ann"}, id)
	if fault != nil || rec.Status != run.Running || len(rec.Steps) != 2 || rec.Steps[1].Key != "work#0" {
		t.Errorf("%+v %v", rec, fault)
	}
	for _, who := range []run.Actor{{}, {Principal: "bob"}} {
		if _, fault := l.Load(who, id); fault == nil || fault.Code != "unknown-run" {
			t.Errorf("%+v: %v", who, fault)
		}
		if list, fault := l.List(run.Filter{Actor: who}); len(list) > 0 || fault != nil {
			t.Errorf("%+v: %+v %v", who, list, fault)
		}
	}
	if list, fault := l.List(run.Filter{Actor: operator, Status: run.Running}); len(list) != 1 || fault != nil {
		t.Errorf("the operator: %+v %v", list, fault)
	}
	close(leave)
	<-done
}
