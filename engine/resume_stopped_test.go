package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// counted is a downstream that counts the calls of each tool, and answers as its
// function does: nil is an object.
type counted struct {
	mu    sync.Mutex
	calls map[string]int
	reply func(ctx context.Context, tool string, nth int) error
}

func (c *counted) CallTool(ctx context.Context, call run.Call) (*run.Result, error) {
	c.mu.Lock()
	if c.calls == nil {
		c.calls = map[string]int{}
	}
	c.calls[call.Tool]++
	nth := c.calls[call.Tool]
	c.mu.Unlock()
	if c.reply != nil {
		if err := c.reply(ctx, call.Tool, nth); err != nil {
			return nil, err
		}
	}
	return &run.Result{Structured: json.RawMessage(`{"ok":true}`)}, nil
}

func resumed(t *testing.T, plan *engine.Plan, caller run.Caller, rec *run.Record, d run.Decision, o local.Options) *run.Record {
	t.Helper()
	if fault := rec.Decide(d, time.Now()); fault != nil {
		t.Fatal(fault)
	}
	return local.Resume(t.Context(), plan, caller, rec, o)
}

// journals are the ways to keep a run: in memory alone, and in a journal.
func journals(t *testing.T, test func(t *testing.T, o local.Options)) {
	t.Run("memory", func(t *testing.T) { test(t, local.Options{}) })
	t.Run("journal", func(t *testing.T) { test(t, local.Options{Journal: &crash{left: 1 << 30}}) })
}

const callInLoop = `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: s, tool: charge, args: {}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("call")'}, 3]}, next: call}], next: sum}
  - {id: sum, type: transform, transform: {expr: '{"calls": $executionCount("call")}'}, next: exit}
  - {id: exit, type: exit}
`

// A run that was stopped between two steps, by its limit or by somebody, continues
// there: the call before was completed and is not made again.
func TestResumeBetweenSteps(t *testing.T) {
	journals(t, func(t *testing.T, o local.Options) {
		for executions := 1; executions < 9; executions++ {
			server := &counted{}
			small := compile(t, fmt.Sprintf("executionLimits: {maxNodeExecutions: %d}", executions)+callInLoop, engine.Env{})
			rec := local.Run(t.Context(), small, server, nil, o)
			if rec.Fault == nil || rec.Fault.Code != "too-many-executions" || len(rec.Open()) > 0 {
				t.Errorf("limit %d: %v, open %v", executions, rec.Fault, rec.Open())
			}
			for _, do := range []string{"skip", "pin"} {
				if fault := rec.Decide(run.Decision{Do: do}, time.Now()); fault == nil || fault.Code != "not-resumable" {
					t.Errorf("limit %d: %s: %v", executions, do, fault)
				}
			}
			rec = resumed(t, compile(t, strings.TrimPrefix(callInLoop, "\n"), engine.Env{}), server, rec, run.Decision{Do: "retry"}, o)
			if got, _ := expr.Encode(rec.Result); string(got) != `{"calls":3}` || server.calls["charge"] != 3 {
				t.Errorf("limit %d: %s %v after %d calls", executions, got, rec.Fault, server.calls["charge"])
			}
		}
		for nth := 1; nth <= 3; nth++ {
			ctx, cancel := context.WithCancel(t.Context())
			server := &counted{reply: func(_ context.Context, _ string, n int) error {
				if n == nth {
					cancel()
				}
				return nil
			}}
			plan := compile(t, callInLoop, engine.Env{})
			rec := local.Run(ctx, plan, server, nil, o)
			if rec.Status != run.Cancelled || server.calls["charge"] != nth {
				t.Fatalf("cancelled in call %d: %s %v", nth, rec.Status, rec.Fault)
			}
			rec = resumed(t, plan, server, rec, run.Decision{Do: "retry"}, o)
			if got, _ := expr.Encode(rec.Result); string(got) != `{"calls":3}` || server.calls["charge"] != 3 {
				t.Errorf("cancelled in call %d: %s %v after %d calls", nth, got, rec.Fault, server.calls["charge"])
			}
		}
	})
}

// Where only the result was refused, the exit alone is done again, also by a graph
// with another exit.
func TestResumeAfterAnInvalidResult(t *testing.T) {
	const src = `name: g
outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: s, tool: charge, args: {}, next: exit}
  - {id: exit, type: exit, result: {expr: '$.call.ok ? {"n": $string($.call.ok)} : {"n": 0}'}}
`
	journals(t, func(t *testing.T, o local.Options) {
		server := &counted{}
		rec := local.Run(t.Context(), compile(t, src, engine.Env{}), server, nil, o)
		if rec.Fault == nil || rec.Fault.Code != "invalid-result" || len(rec.Open()) != 1 || rec.Open()[0].Node != "exit" {
			t.Fatalf("%v, open %v", rec.Fault, rec.Open())
		}
		corrected := compile(t, strings.Replace(src, "$string($.call.ok)", "$number($.call.ok)", 1), engine.Env{})
		if changed := corrected.Changed(rec); len(changed) > 0 {
			t.Errorf("changed: %q", changed)
		}
		rec = resumed(t, corrected, server, rec, run.Decision{Do: "retry"}, o)
		if got, _ := expr.Encode(rec.Result); string(got) != `{"n":1}` || server.calls["charge"] != 1 {
			t.Errorf("%s %v after %d calls", got, rec.Fault, server.calls["charge"])
		}
	})
}

// What runs beside a step that fails is stopped in the middle of a call. A decision
// about that step does not decide about the call: the run asks for one.
func TestResumeBesideACallInFlight(t *testing.T) {
	for name, src := range map[string]string{
		"branches": `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [send, bad], join: done}
  - {id: send, type: mcp, server: s, tool: send, args: {}, next: done}
  - {id: bad, type: mcp, server: s, tool: bad, args: {}, next: done}
  - {id: done, type: transform, transform: {expr: '{"done": true}'}, next: exit}
  - {id: exit, type: exit}
`,
		"graphs in branches": `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [left, bad], join: done}
  - {id: left, type: graph, graph: sender, args: {}, next: done}
  - {id: bad, type: mcp, server: s, tool: bad, args: {}, next: done}
  - {id: done, type: transform, transform: {expr: '{"done": true}'}, next: exit}
  - {id: exit, type: exit}
`,
	} {
		t.Run(name, func(t *testing.T) {
			journals(t, func(t *testing.T, o local.Options) {
				sending := make(chan struct{})
				server := &counted{reply: func(ctx context.Context, tool string, nth int) error {
					switch {
					case tool == "send" && nth == 1:
						close(sending)
						<-ctx.Done()
						return ctx.Err()
					case tool == "bad" && nth <= 2:
						<-sending
						return errDown
					}
					return nil
				}}
				sender := compile(t, callGraphOf("send"), engine.Env{})
				plan := compile(t, src, engine.Env{Graphs: library{"sender": sender}})
				rec := local.Run(t.Context(), plan, server, nil, o)
				if rec.Status != run.Failed || rec.Fault.Node != "bad" {
					t.Fatalf("%s %v", rec.Status, rec.Fault)
				}
				for i, want := range []struct {
					status run.Status
					code   string
					calls  map[string]int
				}{
					{run.Failed, "node-failed", map[string]int{"send": 1, "bad": 2}}, // it fails again
					{run.Interrupted, run.OutcomeUnknown, map[string]int{"send": 1, "bad": 3}},
					{run.Succeeded, "", map[string]int{"send": 2, "bad": 3}}, // who resumes has been told
				} {
					rec = resumed(t, plan, server, rec, run.Decision{Do: "retry", Step: run.CallOf(rec.Fault).Step}, o)
					code := ""
					if rec.Fault != nil {
						code = rec.Fault.Code
					}
					if diff := cmp.Diff(want.calls, server.calls); diff != "" || rec.Status != want.status || code != want.code {
						t.Errorf("resumption %d: %s %v, calls (-want +got):\n%s", i+1, rec.Status, rec.Fault, diff)
					}
				}
			})
		})
	}
}

func callGraphOf(tool string) string {
	return `name: sender
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: s, tool: ` + tool + `, args: {}, next: exit}
  - {id: exit, type: exit}
`
}

// A run that was cancelled in the middle of a call asks what became of it.
func TestResumeAfterACancelledCall(t *testing.T) {
	journals(t, func(t *testing.T, o local.Options) {
		ctx, cancel := context.WithCancel(t.Context())
		server := &counted{reply: func(ctx context.Context, _ string, nth int) error {
			if nth == 1 {
				cancel()
			}
			return ctx.Err()
		}}
		plan := compile(t, callGraphOf("send"), engine.Env{})
		rec := local.Run(ctx, plan, server, nil, o)
		rec = resumed(t, plan, server, rec, run.Decision{Do: "retry"}, o)
		if rec.Status != run.Interrupted || rec.Fault.Code != run.OutcomeUnknown || server.calls["send"] != 1 {
			t.Fatalf("%s %v after %d calls", rec.Status, rec.Fault, server.calls["send"])
		}
		rec = resumed(t, plan, server, rec, run.Decision{Do: "retry", Step: "call"}, o)
		if rec.Status != run.Succeeded || server.calls["send"] != 2 {
			t.Errorf("%s %v after %d calls", rec.Status, rec.Fault, server.calls["send"])
		}
	})
}

// A failure inside of a step that the run has caught is not open, and stays in the
// record when another step is tried again.
func TestResumeAfterACaughtFailure(t *testing.T) {
	server := &counted{reply: func(_ context.Context, tool string, nth int) error {
		if tool == "bad" || tool == "late" && nth == 1 {
			return errDown
		}
		return nil
	}}
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [good, bad], concurrency: 1, join: late, onError: late}
  - {id: good, type: mcp, server: s, tool: good, args: {}, next: late}
  - {id: bad, type: mcp, server: s, tool: bad, args: {}, next: late}
  - {id: late, type: mcp, server: s, tool: late, args: {}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	rec := local.Run(t.Context(), plan, server, nil, local.Options{})
	if open := rec.Open(); len(open) != 1 || open[0].Key != "late#0" {
		t.Fatalf("%v: the run stands at %v", rec.Fault, open)
	}
	rec = resumed(t, plan, server, rec, run.Decision{Do: "skip"}, local.Options{})
	for _, step := range rec.Steps {
		if step.Node == "bad" && (step.Fault == nil || step.Ended == 0) {
			t.Errorf("the failure that was caught is no longer recorded: %+v", step)
		}
	}
	if diff := cmp.Diff(map[string]int{"good": 1, "bad": 1, "late": 1}, server.calls); diff != "" || rec.Status != run.Succeeded {
		t.Errorf("%s %v, calls (-want +got):\n%s", rec.Status, rec.Fault, diff)
	}
}

// TestResumedRunKeepsItsTraceLimit: the outputs of the steps that an earlier attempt
// completed count among those that a run may keep.
func TestResumedRunKeepsItsTraceLimit(t *testing.T) {
	src := `
nodes:
  - {id: entry, type: entry, next: big}
  - {id: big, type: transform, transform: {expr: '$pad("", 700, "x")'}, next: call}
  - {id: call, type: mcp, server: s, tool: t, next: more}
  - {id: more, type: transform, transform: {expr: '$pad("", 700, "y")'}, next: exit}
  - {id: exit, type: exit, result: {expr: '1'}}
`
	plan := compile(t, src, engine.Env{})
	broken := &counted{reply: func(_ context.Context, _ string, nth int) error {
		if nth == 1 {
			return errDown
		}
		return nil
	}}
	o := local.Options{Options: run.Options{Limits: run.Limits{MaxTraceBytes: 1000}}}
	rec := local.Run(t.Context(), plan, broken, nil, o)
	if rec.Fault == nil || rec.Fault.Node != "call" {
		t.Fatalf("the first attempt: %v", rec.Fault)
	}
	rec = resumed(t, plan, broken, rec, run.Decision{Do: "retry"}, o)
	if rec.Fault == nil || rec.Fault.Code != "too-large" || rec.Fault.Node != "more" {
		t.Errorf("resumed: %v", rec.Fault)
	}
}
