package walk_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// A call of a server that no worker has waits, which the status of the run says, and is made
// when one has it.
func TestMissingServer(t *testing.T) {
	calls := 0
	s := &site{tools: map[string]func(context.Context, run.Call) (*run.Result, error){"put": func(_ context.Context, c run.Call) (*run.Result, error) {
		if calls++; calls < 20 {
			return nil, &run.CallError{Outcome: run.CallNotSent, Err: diag.Faultf("unknown-server", "there is no server %q", c.Server)}
		}
		return structured(c.Args), nil
	}}}
	e := newTrial(t, graphOf("a", "{id: a, type: mcp, server: s, tool: put, args: {x: 1}, next: exit}"), s, nil)
	seen := false
	e.RegisterDelayedCallback(func() {
		v, err := e.QueryWorkflow(wire.QueryStatus)
		if err != nil {
			t.Error(err)
			return
		}
		var status wire.Status
		if err := v.Get(&status); err != nil {
			t.Error(err)
		}
		seen = len(status.Waiting) == 1 && strings.Contains(status.Waiting[0], "s/put") && status.Status == run.Running
	}, 5*time.Minute)
	result(t, e.run(), `{"x":1}`)
	if !seen {
		t.Error("the status does not say that the run waits")
	}
}

// Before a call, a person may be asked whether it is permitted: the run parks, and the call
// is made with the answer.
func TestPermitted(t *testing.T) {
	made := 0
	s := &site{tools: map[string]func(context.Context, run.Call) (*run.Result, error){"put": func(ctx context.Context, c run.Call) (*run.Result, error) {
		answer, err := c.Ask.Ask(ctx, c, run.Question{Permits: "s/put", Message: "May it?"})
		if err != nil {
			return nil, &run.CallError{Outcome: run.CallNotSent, Err: err}
		}
		made++
		return structured(json.RawMessage(`"` + answer.Action + `"`)), nil
	}}}
	e := newTrial(t, graphOf("each", "{id: each, type: mcp, server: s, tool: put, args: {}, foreach: {items: [1, 2, 3], concurrency: 3}, next: exit}"), s, nil)
	e.RegisterDelayedCallback(func() {
		rec := e.query()
		asked := rec.Questions()
		if made != 0 || len(asked) != 1 {
			t.Errorf("%d calls were made, %d questions asked", made, len(asked))
			return
		}
		e.update(wire.UpdateAnswer, "yes", wire.Answer{Key: asked[0].Key, Answer: json.RawMessage(`{"action":"accept"}`)}, "")
	}, time.Hour)
	result(t, e.run(), `["accept","accept","accept"]`)
	if made != 3 {
		t.Errorf("%d calls were made", made)
	}
}

// A run is resumed only with its latest record, and only while it is parked.
func TestResumeIsRefused(t *testing.T) {
	e := newTrial(t, graphOf("w", "{id: w, type: wait, ms: 7200000, next: ask}", "{id: ask, type: ask, message: Sure?, timeoutMs: 7200000, next: exit}"), &site{}, nil)
	e.RegisterDelayedCallback(func() { e.update(wire.UpdateResume, "busy", e.in, "run-busy") }, time.Hour)
	e.RegisterDelayedCallback(func() { e.update(wire.UpdateResume, "changed", e.in, "run-changed") }, 3*time.Hour)
	result(t, e.run(), `{"action":"timeout"}`)
}

// The workflow of a run can be cancelled by the means of Temporal.
func TestCancelledWorkflow(t *testing.T) {
	e := newTrial(t, graphOf("w", "{id: w, type: wait, ms: 7200000, next: exit}"), &site{}, nil)
	e.RegisterDelayedCallback(e.CancelWorkflow, time.Hour)
	failed(t, e.run(), run.Cancelled, "cancelled")
}

// A graph that this worker cannot compile parks the run, which nothing is lost of.
func TestGraphOfAnotherVersion(t *testing.T) {
	e := newTrial(t, graphOf("w", "{id: w, type: wait, ms: 1, next: exit}"), &site{}, nil)
	e.in.Record.Source.Text = "nodes: [{id: entry, type: unheard-of}]"
	e.RegisterDelayedCallback(func() {
		failed(t, e.query(), run.Interrupted, "graph-changed")
		e.SignalWorkflow(wire.SignalCancel, wire.FaultOf(&diag.Fault{Code: "cancelled", Message: "enough"}))
	}, time.Hour)
	failed(t, e.run(), run.Cancelled, "cancelled")
}

// A long loop without calls is split into several workflow tasks.
func TestPureLoop(t *testing.T) {
	text := strings.Replace(loop, "LIMIT", "2000", 1)
	text = strings.Replace(text, "type: mcp, server: s, tool: put, args: {n: {expr: '$executionCount(\"n\") + 1'}}", "type: transform, transform: {expr: '{\"n\": $executionCount(\"n\") + 1}'}", 1)
	e := newTrial(t, text, &site{}, nil)
	timers := 0
	e.SetOnTimerScheduledListener(func(string, time.Duration) { timers++ })
	result(t, e.run(), "2001000")
	if timers < 5 {
		t.Errorf("%d timers", timers)
	}
}

// work is an expression that takes more than three million steps.
const work = `$sum($map([1..500000], function($x){$x * 2}))`

// A run that computes much without a call or a wait does so in several workflow tasks, and
// in several executions of its workflow, so that no task takes long, in a replay neither.
func TestMuchToCompute(t *testing.T) {
	s := &site{}
	text := graphOf("each", "{id: each, type: transform, transform: {expr: '$item + "+work+"'}, foreach: {items: {expr: '[1..12]'}, concurrency: 3}, next: sum}",
		"{id: sum, type: transform, transform: {expr: '$sum($.each)'}, next: exit}")
	in, timers := inputOf(t, text, s), 0
	for executions := 1; ; executions++ {
		e := newTrial(t, text, s, nil)
		e.in = in
		e.SetOnTimerScheduledListener(func(string, time.Duration) { timers++ })
		rec, next := e.once()
		if next == nil {
			result(t, rec, "3000006000078")
			if executions < 2 || timers < 6 {
				t.Errorf("%d executions, %d timers", executions, timers)
			}
			return
		}
		in = *next
	}
}

// A node whose expressions take too much together fails with a fault that says so.
func TestTooMuchToCompute(t *testing.T) {
	var args []string
	for i := range 10 {
		args = append(args, "a"+strconv.Itoa(i)+": {expr: '"+work+"'}")
	}
	rec := newTrial(t, graphOf("a", "{id: a, type: mcp, server: s, tool: put, args: {"+strings.Join(args, ", ")+"}, next: exit}"), &site{}, nil).run()
	failed(t, rec, run.Failed, "expression-failed")
	if rec.Fault.Node != "a" || !strings.Contains(rec.Fault.Message, "together") || rec.Fault.Hint == "" {
		t.Errorf("%+v", rec.Fault)
	}
}
