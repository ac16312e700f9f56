package walk_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

const loop = `name: loop
executionLimits: {maxNodeExecutions: 10000}
nodes:
  - {id: entry, type: entry, next: n}
  - {id: n, type: mcp, server: s, tool: put, args: {n: {expr: '$executionCount("n") + 1'}}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.n.n}, LIMIT]}, next: n}], next: sum}
  - {id: sum, type: transform, transform: {expr: '$sum([$nodeExecutions("n").n])'}, next: exit}
  - {id: exit, type: exit}
`

// A loop makes each call once, also where it continues as a new execution many times.
func TestLoopContinuesAsNew(t *testing.T) {
	s := &site{}
	text := strings.Replace(loop, "LIMIT", "30", 1)
	in := inputOf(t, text, s)
	executions := 0
	for {
		e := newTrial(t, text, s, &walk.Options{MaxEvents: 40})
		e.in = in
		rec, next := e.once()
		executions++
		if next != nil {
			if next.Attempt != executions || !next.Resume || len(next.Record.Steps) == 0 {
				t.Fatalf("continues with attempt %d and %d steps", next.Attempt, len(next.Record.Steps))
			}
			in = *next
			continue
		}
		result(t, rec, "465")
		break
	}
	if keys := s.calls(); len(keys) != 30 || len(slices.Compact(keys)) != 30 {
		t.Errorf("%d calls", len(keys))
	}
	if executions < 4 {
		t.Errorf("%d executions of the workflow", executions)
	}
}

// A wait of days is a timer.
func TestWaitOfDays(t *testing.T) {
	e := newTrial(t, graphOf("w", "{id: w, type: wait, ms: 864000000, next: at}", "{id: at, type: transform, transform: {expr: '$millis()'}, next: exit}"), &site{}, nil)
	rec := e.run()
	result(t, rec, "1800864000000")
}

// The author's retries of a call that fails are timers, and the call that may not be
// repeated is made as often as the graph says.
func TestRetries(t *testing.T) {
	fails := 0
	s := &site{tools: map[string]func(context.Context, run.Call) (*run.Result, error){"put": func(_ context.Context, c run.Call) (*run.Result, error) {
		if fails++; fails < 3 {
			return nil, &run.CallError{Outcome: run.CallRefused, Err: diag.Faultf("tool-failed", "not now")}
		}
		return structured(c.Args), nil
	}}}
	e := newTrial(t, graphOf("a", "{id: a, type: mcp, server: s, tool: put, args: {x: 1}, retry: {maxAttempts: 5, initialMs: 3600000, maxMs: 3600000, unsafe: true}, next: exit}"), s, nil)
	began := e.in.Record.Started
	rec := e.run()
	result(t, rec, `{"x":1}`)
	if took := rec.Ended.Sub(began); took < time.Minute || rec.Steps[1].Attempts != 3 {
		t.Errorf("took %s in %d attempts", took, rec.Steps[1].Attempts)
	}
}

// A foreach keeps to its limit, and a parallel joins its branches.
func TestTogether(t *testing.T) {
	e := newTrial(t, graphOf("each",
		"{id: each, type: mcp, server: s, tool: read, args: {n: {expr: $item}}, foreach: {items: {expr: '[1..20]'}, concurrency: 4}, next: fork}",
		"{id: fork, type: parallel, branches: [left, right], join: exit}",
		"{id: left, type: mcp, server: s, tool: read, args: {n: 1}, next: exit}",
		"{id: right, type: wait, ms: 1000, next: exit}",
	), &site{}, nil)
	rec := e.run()
	result(t, rec, `{"left":{"n":1},"right":{"waitedMs":1000}}`)
	if keys := e.site.calls(); len(keys) != 21 {
		t.Errorf("calls: %v", keys)
	}
}

// A question parks the run in its workflow. The answer continues it, and a second one is
// refused; so is one of the wrong form.
func TestAnswer(t *testing.T) {
	e := newTrial(t, graphOf("read",
		"{id: read, type: mcp, server: s, tool: put, args: {}, next: ask}",
		"{id: ask, type: ask, message: Sure?, schema: {type: object, properties: {sure: {type: boolean}}, required: [sure]}, next: exit}",
	), &site{}, nil)
	e.RegisterDelayedCallback(func() {
		rec := e.query()
		failed(t, rec, run.Interrupted, run.NeedsAnswer)
		key := rec.Questions()[0].Key
		e.update(wire.UpdateAnswer, "bad", wire.Answer{Key: key, Answer: json.RawMessage(`{"action":"accept","content":{}}`)}, "bad-argument")
		e.update(wire.UpdateAnswer, "none", wire.Answer{Key: "x", Answer: json.RawMessage(`{"action":"accept"}`)}, "not-asked")
		e.update(wire.UpdateAnswer, "yes", wire.Answer{Key: key, Answer: json.RawMessage(`{"action":"accept","content":{"sure":true}}`)}, "")
	}, 48*time.Hour)
	rec := e.run()
	result(t, rec, `{"action":"accept","content":{"sure":true}}`)
	if len(e.site.calls()) != 1 || len(rec.Resumed) != 1 || rec.Resumed[0].Decision != "answer" {
		t.Errorf("calls %v, resumed %v", e.site.calls(), rec.Resumed)
	}
}

// A question with a time limit has the answer timeout when that is over.
func TestQuestionTimesOut(t *testing.T) {
	e := newTrial(t, graphOf("ask", "{id: ask, type: ask, message: Sure?, timeoutMs: 60000, next: exit}"), &site{}, nil)
	result(t, e.run(), `{"action":"timeout"}`)
}

// A signal cancels a run: while it calls, waits, and is parked.
func TestCancel(t *testing.T) {
	for name, node := range map[string]string{
		"wait": "{id: a, type: wait, ms: 99999999, next: exit}",
		"ask":  "{id: a, type: ask, message: Sure?, next: exit}",
		"call": "{id: a, type: mcp, server: s, tool: put, args: {}, next: exit}",
	} {
		t.Run(name, func(t *testing.T) {
			calls, released := make(chan struct{}, 1), make(chan struct{})
			blocked := map[string]func(context.Context, run.Call) (*run.Result, error){"put": func(context.Context, run.Call) (*run.Result, error) {
				calls <- struct{}{}
				<-released
				return nil, context.Canceled
			}}
			e := newTrial(t, graphOf("a", node), &site{tools: blocked}, nil)
			cancel := func() {
				e.SignalWorkflow(wire.SignalCancel, wire.FaultOf(&diag.Fault{Code: "cancelled", Message: "enough"}))
			}
			if name == "call" {
				e.SetOnActivityCanceledListener(func(*activity.Info) { close(released) })
				go func() {
					<-calls
					cancel()
				}()
			} else {
				e.RegisterDelayedCallback(cancel, time.Minute)
			}
			rec := e.run()
			failed(t, rec, run.Cancelled, "cancelled")
			if rec.Fault.Message != "enough" {
				t.Errorf("%s", rec.Fault.Message)
			}
		})
	}
}

// The time limit of a run ends it, and that of a node its attempt.
func TestTimeLimits(t *testing.T) {
	e := newTrial(t, strings.Replace(graphOf("a", "{id: a, type: wait, ms: 6000, next: exit}"), "31536000000", "5000", 1), &site{}, nil)
	failed(t, e.run(), run.Failed, "time-limit")
}

// query returns the record of the run as it is.
func (e *trial) query() *run.Record {
	e.t.Helper()
	v, err := e.QueryWorkflow(wire.QueryRecord)
	if err != nil {
		e.t.Fatal(err)
	}
	var rec wire.Record
	if err := v.Get(&rec); err != nil {
		e.t.Fatal(err)
	}
	return &rec.Record
}
