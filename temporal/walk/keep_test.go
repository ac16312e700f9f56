package walk_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/blobs"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// shelf keeps blobs, unless it fails.
type shelf struct {
	mu    sync.Mutex
	fails int // how often
	kept  int // bytes
}

func (s *shelf) Put(_ context.Context, _ string, b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails > 0 {
		s.fails--
		return errors.New("the disk is full")
	}
	s.kept += len(b)
	return nil
}

func (*shelf) Delete(context.Context, string) error { return nil }

func (*shelf) Get(context.Context, string) ([]byte, error) { return nil, blobs.ErrNotFound }

const largeArguments = `{id: a, type: mcp, server: s, tool: put, args: {text: {expr: '$pad("", 300000, "x")'}}, next: size}`

const sizeOfText = `{id: size, type: transform, transform: {expr: '$length($.a.text)'}, next: exit}`

// Arguments that cannot be stored fail their step, before the call is made. The run is
// resumed when the store works.
func TestArgumentsThatCannotBeStored(t *testing.T) {
	s := &site{}
	text := graphOf("a", largeArguments, sizeOfText)
	e := newTrial(t, text, s, &walk.Options{Blobs: &shelf{fails: 1}})
	rec := e.run()
	failed(t, rec, run.Failed, "value-not-stored")
	for _, part := range []string{"the arguments of a#0", "300186 bytes", "256 KiB", "disk is full", "runtime.temporal.blobs"} {
		if !strings.Contains(rec.Fault.Message, part) {
			t.Errorf("the fault does not say %q: %s", part, rec.Fault.Message)
		}
	}
	if rec.Fault.Node != "a" || rec.Fault.Hint == "" || len(s.calls()) != 0 {
		t.Errorf("node %q, hint %q, calls %v", rec.Fault.Node, rec.Fault.Hint, s.calls())
	}
	if fault := rec.Decide(run.Decision{Do: "retry"}, e.Now()); fault != nil {
		t.Fatal(fault)
	}
	again := newTrial(t, text, s, &walk.Options{Blobs: &shelf{}})
	again.in.Record.Record, again.in.Resume = *rec, true
	result(t, again.run(), "300000")
	if len(s.calls()) != 1 {
		t.Errorf("calls: %v", s.calls())
	}
}

// Without a store, a value is in the history up to what a service takes.
func TestNoStore(t *testing.T) {
	text := graphOf("a", largeArguments, sizeOfText)
	result(t, newTrial(t, text, &site{}, nil).run(), "300000")
	e := newTrial(t, strings.Replace(text, "300000", "3000000", 1), &site{}, nil)
	e.RegisterDelayedCallback(func() {
		failed(t, e.query(), run.Interrupted, "value-too-large")
		e.SignalWorkflow(wire.SignalCancel, wire.Fault{})
	}, time.Hour)
	rec := e.run()
	failed(t, rec, run.Cancelled, "cancelled")
	if f := rec.Steps[1].Fault; f == nil || f.Code != "value-too-large" {
		t.Errorf("the step has the fault %v", f)
	}
}

// A result that cannot be stored fails the step of its call, which has completed: it is not
// made again without a decision.
func TestResultThatCannotBeStored(t *testing.T) {
	large := structured(json.RawMessage(`{"text":"` + strings.Repeat("x", 3_000_000) + `"}`))
	s := &site{tools: map[string]func(context.Context, run.Call) (*run.Result, error){
		"put": func(context.Context, run.Call) (*run.Result, error) { return large, nil },
	}}
	text := graphOf("a", "{id: a, type: mcp, server: s, tool: put, args: {}, next: size}", sizeOfText)
	e := newTrial(t, text, s, nil)
	rec := e.run()
	failed(t, rec, run.Failed, "value-too-large")
	if doubt := rec.InDoubt(); len(doubt) != 1 || doubt[0].Step != "a#0" {
		t.Errorf("to be decided: %v", doubt)
	}
	if fault := rec.Decide(run.Decision{Do: "pin", Step: "a#0", Pin: mustDecode(t, `{"text":"short"}`)}, e.Now()); fault != nil {
		t.Fatal(fault)
	}
	again := newTrial(t, text, s, nil)
	again.in.Record.Record, again.in.Resume = *rec, true
	result(t, again.run(), "5")
	if len(s.calls()) != 1 {
		t.Errorf("calls: %v", s.calls())
	}
}

// A record that cannot be stored interrupts the run, which says so, and ends when the store
// works again. So it is where the run would continue as a new execution.
func TestRecordThatCannotBeStored(t *testing.T) {
	text := graphOf("a", `{id: a, type: transform, transform: {expr: '$pad("", 300000, "x")'}, next: b}`,
		"{id: b, type: mcp, server: s, tool: put, args: {}, next: c}", "{id: c, type: transform, transform: {expr: '$length($.a)'}, next: exit}")
	for name, most := range map[string]int{"end": 0, "continuation": 6} {
		t.Run(name, func(t *testing.T) {
			e := newTrial(t, text, &site{}, &walk.Options{MaxEvents: most, Blobs: &shelf{fails: 3}})
			seen := false
			e.RegisterDelayedCallback(func() {
				rec := e.query()
				failed(t, rec, run.Interrupted, "value-not-stored")
				seen = strings.Contains(rec.Fault.Message, "the record of the run")
			}, 2*time.Minute)
			rec, next := e.once()
			if next != nil {
				rec = &next.Record.Record
			} else {
				result(t, rec, "300000")
			}
			if !seen || rec.Steps[1].Output == nil {
				t.Errorf("the run did not say what it waits for, or lost a value: %t", seen)
			}
		})
	}
}

// A run whose record cannot be stored can be cancelled.
func TestCancelledWhileItCannotBeStored(t *testing.T) {
	text := graphOf("a", `{id: a, type: transform, transform: {expr: '$pad("", 300000, "x")'}, next: b}`,
		"{id: b, type: mcp, server: s, tool: put, args: {}, next: c}", "{id: c, type: wait, ms: 100, next: exit}")
	e := newTrial(t, text, &site{}, &walk.Options{MaxEvents: 6, Blobs: &shelf{fails: 5}})
	e.RegisterDelayedCallback(func() { e.SignalWorkflow(wire.SignalCancel, wire.Fault{}) }, 2*time.Minute)
	failed(t, e.run(), run.Cancelled, "cancelled")
}

// Calls at the same time whose arguments are more than a message takes are sent in several
// workflow tasks, which timers separate.
func TestManyLargeCalls(t *testing.T) {
	e := newTrial(t, graphOf("each",
		`{id: each, type: mcp, server: s, tool: read, args: {text: {expr: '$pad("", 200000, "x")'}}, foreach: {items: {expr: '[1..40]'}, concurrency: 40}, next: n}`,
		"{id: n, type: transform, transform: {expr: '$count($.each)'}, next: exit}"), &site{}, &walk.Options{Blobs: &shelf{}})
	timers := 0
	e.SetOnTimerScheduledListener(func(string, time.Duration) { timers++ })
	result(t, e.run(), "40")
	if timers < 8 { // 8 MB, 1 MiB at a time, and the limit of the run
		t.Errorf("%d timers", timers)
	}
}

func mustDecode(t *testing.T, text string) expr.Value {
	t.Helper()
	v, err := expr.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
