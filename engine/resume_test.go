package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// errDown says that a call did not reach its server: it may be made again.
var errDown error = &run.CallError{Outcome: run.CallNotSent, Err: errors.New("the server is down")}

// flaky answers every call with its arguments, but those of which it is told that
// they fail.
type flaky struct {
	mu    sync.Mutex
	fail  map[string]bool
	calls []string
}

func (f *flaky) CallTool(_ context.Context, c run.Call) (*run.Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, c.Tool+string(c.Args))
	if f.fail[c.Tool+string(c.Args)] {
		return nil, errDown
	}
	return &run.Result{Structured: c.Args}, nil
}

const inItems = `
nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: mcp, server: s, tool: begin, args: {}, next: each}
  - {id: each, type: mcp, server: s, tool: put, args: {n: {expr: $item}}, foreach: {items: {expr: '[1..4]'}}, next: sum}
  - {id: sum, type: transform, transform: {expr: '{"sum": $sum($.each.n)}'}, next: exit}
  - {id: exit, type: exit}
`

// TestResume continues a run at the item that failed: what was done is not
// done again.
func TestResume(t *testing.T) {
	plan := compile(t, inItems, engine.Env{})
	server := &flaky{fail: map[string]bool{`put{"n":3}`: true}}
	rec := local.Run(t.Context(), plan, server, nil, local.Options{})
	if rec.Status != run.Failed || len(server.calls) != 4 {
		t.Fatalf("%s after %q", rec.Status, server.calls)
	}
	if open := rec.Open(); len(open) != 1 || open[0].Key != "each#0[2]" {
		t.Fatalf("the run stands at %v", open)
	}
	server.fail, server.calls = nil, nil
	if fault := rec.Decide(run.Decision{Do: "retry"}, time.Now()); fault != nil {
		t.Fatal(fault)
	}
	rec = local.Resume(t.Context(), plan, server, rec, local.Options{})
	if got, _ := expr.Encode(rec.Result); string(got) != `{"sum":10}` {
		t.Errorf("%s %v: %s", rec.Status, rec.Fault, got)
	}
	if diff := cmp.Diff([]string{`put{"n":3}`, `put{"n":4}`}, server.calls); diff != "" {
		t.Errorf("calls after the resumption (-want +got):\n%s", diff)
	}
	var keys []string
	for i, step := range rec.Steps {
		if step.Index != i || !step.Done() {
			t.Errorf("step %d: %+v", i, step)
		}
		keys = append(keys, step.Key)
	}
	slices.Sort(keys)
	if keys = slices.Compact(keys); len(keys) != len(rec.Steps) {
		t.Errorf("%d steps have %d keys", len(rec.Steps), len(keys))
	}
}

func TestResumeDecisions(t *testing.T) {
	for _, test := range []struct {
		do, want string
		pin      string
	}{
		{"skip", `{"sum":7}`, ""},
		{"pin", `{"sum":107}`, `{"n":100}`},
	} {
		t.Run(test.do, func(t *testing.T) {
			plan := compile(t, inItems, engine.Env{})
			server := &flaky{fail: map[string]bool{`put{"n":3}`: true}}
			rec := local.Run(t.Context(), plan, server, nil, local.Options{})
			d := run.Decision{Do: test.do, Step: "each#0[2]"}
			if test.pin != "" {
				d.Pin, _ = expr.Decode([]byte(test.pin))
			}
			if fault := rec.Decide(d, time.Now()); fault != nil {
				t.Fatal(fault)
			}
			rec = local.Resume(t.Context(), plan, server, rec, local.Options{})
			if got, _ := expr.Encode(rec.Result); string(got) != test.want {
				t.Errorf("%s %v: %s, want %s", rec.Status, rec.Fault, got, test.want)
			}
		})
	}
}

// TestResumeWithAnotherGraph continues with a corrected graph where what was done
// is unchanged, and says what changed where it is not.
func TestResumeWithAnotherGraph(t *testing.T) {
	server := &flaky{fail: map[string]bool{`put{"n":1}`: true}}
	rec := local.Run(t.Context(), compile(t, inItems, engine.Env{}), server, nil, local.Options{})
	changed := compile(t, strings.Replace(inItems, "tool: begin, args: {}", "tool: begin, args: {x: 1}", 1), engine.Env{})
	if diff := cmp.Diff([]string{"first"}, changed.Changed(rec)); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	corrected := compile(t, strings.Replace(inItems, "{n: {expr: $item}}", "{n: {expr: $item * 10}}", 1), engine.Env{})
	if changed := corrected.Changed(rec); len(changed) > 0 {
		t.Errorf("changed: %q", changed)
	}
	if fault := rec.Decide(run.Decision{Do: "retry"}, time.Now()); fault != nil {
		t.Fatal(fault)
	}
	rec = local.Resume(t.Context(), corrected, server, rec, local.Options{})
	if got, _ := expr.Encode(rec.Result); string(got) != `{"sum":100}` {
		t.Errorf("%s %v: %s", rec.Status, rec.Fault, got)
	}
}

// TestAsk parks a run in a branch while the other continues, and continues it with
// the answer.
func TestAsk(t *testing.T) {
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [work, ask], join: done}
  - {id: work, type: mcp, server: s, tool: work, args: {}, next: done}
  - {id: ask, type: ask, message: {expr: '"Go on " & $.entry.name & "?"'}, schema: {type: object, properties: {n: {type: integer}}, required: [n]}, next: done}
  - {id: done, type: transform, transform: {expr: '{"action": $.ask.action, "n": $.ask.content.n}'}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	server := &flaky{}
	rec := local.Run(t.Context(), plan, server, json.RawMessage(`{"name":"Ada"}`), local.Options{})
	if rec.Status != run.Interrupted || rec.Fault.Code != run.NeedsAnswer || !strings.Contains(rec.Fault.Message, "Go on Ada?") {
		t.Fatalf("%s: %v", rec.Status, rec.Fault)
	}
	if len(server.calls) != 1 {
		t.Errorf("the other branch made %d calls", len(server.calls))
	}
	for _, bad := range []string{`{}`, `{"n":"x"}`, `[1]`} {
		if _, fault := rec.Reply("", run.Answer{Action: "accept", Content: json.RawMessage(bad)}, time.Now()); fault == nil {
			t.Errorf("the answer %s was taken", bad)
		}
	}
	if _, fault := rec.Reply("", run.Answer{Action: "accept", Content: json.RawMessage(`{"n":3}`)}, time.Now()); fault != nil {
		t.Fatal(fault)
	}
	rec = local.Resume(t.Context(), plan, server, rec, local.Options{})
	if got, _ := expr.Encode(rec.Result); string(got) != `{"action":"accept","n":3}` || len(server.calls) != 1 {
		t.Errorf("%s %v: %s after %d calls", rec.Status, rec.Fault, got, len(server.calls))
	}
}

func TestAskTimesOut(t *testing.T) {
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: ask}
  - {id: ask, type: ask, message: Well?, timeoutMs: 60000, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	synctest.Test(t, func(t *testing.T) {
		rec := local.Run(t.Context(), plan, nil, nil, local.Options{})
		if rec.Status != run.Interrupted {
			t.Fatalf("%s: %v", rec.Status, rec.Fault)
		}
		time.Sleep(time.Minute + 1)
		if _, fault := rec.Reply("", run.Answer{Action: "decline"}, time.Now()); fault == nil || fault.Code != "too-late" {
			t.Errorf("an answer after the deadline: %v", fault)
		}
		rec = local.Resume(t.Context(), plan, nil, rec, local.Options{})
		if got, _ := expr.Encode(rec.Result); string(got) != `{"action":"timeout"}` {
			t.Errorf("%s: %s", rec.Status, got)
		}
	})
}

// crash is a journal that is cut off after some writes, as by the end of the
// process.
type crash struct {
	run.Journal
	left int
	once bool // only one write fails
	rec  *run.Record
	mu   sync.Mutex
}

var errCrash = errors.New("the process ended")

func (c *crash) spend(write func()) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == -1 || c.left < 0 && !c.once {
		return errCrash
	}
	write()
	return nil
}

func (c *crash) Begin(r *run.Record, _ bool) error {
	copied := *r
	copied.Steps, copied.Intents = run.CloneSteps(nil, r.Steps), slices.Clone(r.Intents)
	return c.spend(func() { c.rec = &copied })
}

func (c *crash) Step(_ string, s run.StepRecord) error {
	return c.spend(func() {
		for len(c.rec.Steps) <= s.Index {
			c.rec.Steps = append(c.rec.Steps, &run.StepRecord{Index: len(c.rec.Steps)})
		}
		c.rec.Steps[s.Index] = &s
	})
}

func (c *crash) Intend(_ string, in run.Intent, _ bool) error {
	return c.spend(func() {
		at := slices.IndexFunc(c.rec.Intents, func(i run.Intent) bool { return i.Key == in.Key })
		if at < 0 {
			c.rec.Intents = append(c.rec.Intents, in)
		} else {
			c.rec.Intents[at] = in
		}
	})
}

func (c *crash) End(r *run.Record, _ bool) error {
	return c.spend(func() { c.rec.Status, c.rec.Result = r.Status, r.Result })
}

// TestCrashAtEveryWrite ends the process after each write in turn and resumes:
// no call is made twice, and whatever cannot be known parks the run.
func TestCrashAtEveryWrite(t *testing.T) {
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [a, wait], join: each}
  - {id: a, type: mcp, server: s, tool: a, args: {}, next: each}
  - {id: wait, type: wait, ms: 1, next: each}
  - {id: each, type: mcp, server: s, tool: put, args: {n: {expr: $item}, at: {expr: $random()}}, foreach: {items: {expr: '[1..3]'}, concurrency: 2}, next: again}
  - {id: again, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("each")'}, 2]}, next: each}], next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $count($nodeExecutions("each")), "sum": $sum($.each.n)}'}}
`, engine.Env{})
	for writes := 0; ; writes++ {
		server := &flaky{}
		journal := &crash{left: writes}
		rec := local.Run(t.Context(), plan, server, nil, local.Options{Options: run.Options{ID: "run"}, Journal: journal})
		if rec.Status == run.Succeeded {
			if writes < 30 {
				t.Errorf("the run made only %d writes", writes)
			}
			break
		}
		for journal.rec != nil {
			journal.left = 1 << 30
			kept := journal.rec
			before := len(server.calls)
			rec = local.Resume(t.Context(), plan, server, kept, local.Options{Journal: journal})
			if rec.Status == run.Succeeded {
				break
			}
			if rec.Status != run.Interrupted || rec.Fault.Code != run.OutcomeUnknown {
				t.Fatalf("after %d writes: %s %v", writes, rec.Status, rec.Fault)
			}
			if len(server.calls) > before+3 {
				t.Fatalf("after %d writes: %q", writes, server.calls)
			}
			// The test's server tells what the person would find out.
			open := rec.Open()
			if fault := rec.Decide(run.Decision{Do: "retry", Step: open[0].Key}, time.Now()); fault != nil {
				t.Fatal(fault)
			}
			journal.rec = rec
		}
		if journal.rec == nil {
			continue
		}
		if got, _ := expr.Encode(rec.Result); string(got) != `{"n":2,"sum":6}` {
			t.Errorf("after %d writes: %s", writes, got)
		}
	}
}

// TestNothingCatchesAJournalThatFails fails one write of a run, each in turn: no
// node stands in for one whose work cannot be kept.
func TestNothingCatchesAJournalThatFails(t *testing.T) {
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: s, tool: put, args: {n: {expr: $item}}, foreach: {items: [1, 2], onItemError: continue}, onError: instead, next: exit}
  - {id: instead, type: mcp, server: s, tool: instead, args: {}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	for writes := range 100 {
		server := &flaky{}
		rec := local.Run(t.Context(), plan, server, nil, local.Options{Journal: &crash{left: writes, once: true}})
		if rec.Status == run.Succeeded {
			if writes < 8 {
				t.Errorf("the run made only %d writes", writes)
			}
			return
		}
		if rec.Fault.Code != "journal-failed" || slices.Contains(server.calls, "instead{}") {
			t.Errorf("after %d writes: %v, calls %q", writes, rec.Fault, server.calls)
		}
	}
}

func copied(r *run.Record) *run.Record {
	c := *r
	c.Steps, c.Intents, c.Resumed = run.CloneSteps(nil, r.Steps), slices.Clone(r.Intents), slices.Clone(r.Resumed)
	return &c
}
