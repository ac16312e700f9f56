package local_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

// debug runs a plan with a debugger, and calls use at each pause, of one branch after the
// other.
func debug(ctx context.Context, plan *engine.Plan, o local.Options, use func(*run.Pause)) *run.Record {
	ended := make(chan *run.Record, 1)
	go func() {
		rec := local.Run(ctx, plan, echo{}, nil, o)
		o.Debugger.End()
		ended <- rec
	}()
	for {
		paused, over, changed := o.Debugger.Paused()
		switch {
		case len(paused) > 0:
			use(paused[0])
		case over:
			return <-ended
		default:
			<-changed
		}
	}
}

func compiled(t *testing.T, src string) *engine.Plan {
	t.Helper()
	doc, found := graph.Parse("g.yaml", src)
	plan, more := engine.Compile(doc, "", engine.Env{})
	if found = append(found, more...); found.HasErrors() {
		t.Fatal(found)
	}
	return plan
}

// TestSteppedRunIsTheSame: a run that pauses before every node has the result of one that
// does not, branches and loops included, and replays as it was. Each of its own steps pauses
// once.
func TestSteppedRunIsTheSame(t *testing.T) {
	plan := compiled(t, withEverything)
	var mu sync.Mutex
	var told []string
	o := local.Options{Debugger: run.NewDebugger(nil, true, 0), Observer: local.Observer{Pause: func(n run.Notice) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, string(n.Type)+" "+n.Key+" "+n.Why)
	}}}
	var keys []string
	rec := debug(t.Context(), plan, o, func(p *run.Pause) {
		keys = append(keys, p.Key)
		o.Debugger.Step(p.Key)
	})
	if rec.Fault != nil {
		t.Fatal(rec.Fault)
	}
	var want []string
	for _, s := range rec.Steps {
		if !s.Part {
			want = append(want, s.Key)
		}
	}
	slices.Sort(keys)
	slices.Sort(want)
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("steps and pauses (-want +got):\n%s", diff)
	}
	for _, key := range keys {
		if !slices.Contains(told, "paused "+key+" step") || !slices.Contains(told, "resumed "+key+" step") {
			t.Errorf("%s: its pause is not told", key)
		}
	}
	replayed := local.Replay(t.Context(), plan, rec)
	if found := local.Compare(rec, replayed); len(found) > 0 {
		t.Errorf("the replay differs: %v", found)
	}
	var log []string
	for _, n := range rec.Notices() {
		if n.Type == run.RunPaused || n.Type == run.RunResumed {
			log = append(log, string(n.Type)+" "+n.Key+" "+n.Why)
		}
	}
	slices.Sort(log)
	slices.Sort(told)
	if diff := cmp.Diff(told, log); diff != "" {
		t.Errorf("told and recorded events (-told +recorded):\n%s", diff)
	}
}

// TestLimitsDoNotCountPauses: neither the limit of the run, nor the time of the step.
func TestLimitsDoNotCountPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := compiled(t, `
executionLimits: {maxExecutionTimeMs: 1000}
nodes:
  - {id: entry, type: entry, next: a}
  - {id: a, type: transform, transform: {expr: $millis()}, next: exit}
  - {id: exit, type: exit, result: {expr: $.a}}
`)
		o := local.Options{Debugger: run.NewDebugger([]string{"a"}, false, 0)}
		var until time.Time
		rec := debug(t.Context(), plan, o, func(p *run.Pause) {
			time.Sleep(time.Hour)
			until = time.Now()
			o.Debugger.Continue(p.Key)
		})
		if rec.Fault != nil {
			t.Fatal(rec.Fault)
		}
		if got, want := text(rec.Result), strconv.FormatInt(until.UnixMilli(), 10); got != want {
			t.Errorf("$millis() of a step that was paused is %s, want %s, when it started", got, want)
		}
		if d := rec.Steps[1].Duration; d != 0 {
			t.Errorf("the step took %s", d)
		}
	})
}

// TestPausedRunCanBeCancelled: before the node, which has not started then.
func TestPausedRunCanBeCancelled(t *testing.T) {
	plan := compiled(t, withEverything)
	ctx, cancel := context.WithCancel(t.Context())
	o := local.Options{Debugger: run.NewDebugger([]string{"right"}, false, 0)}
	rec := debug(ctx, plan, o, func(p *run.Pause) {
		seen := ""
		if !p.Look(func(s *expr.Scope) { seen = text(s.Context()) }) || !strings.Contains(seen, `"loop"`) || strings.Contains(seen, `"right"`) {
			t.Errorf("it sees %s", seen)
		}
		_, _, changed := o.Debugger.Paused()
		cancel()
		<-changed
	})
	if rec.Status != run.Cancelled {
		t.Errorf("the run has %s: %v", rec.Status, rec.Fault)
	}
	for _, s := range rec.Steps {
		if s.Node == "right" {
			t.Error("the node has started")
		}
	}
}
