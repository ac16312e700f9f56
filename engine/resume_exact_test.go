package engine_test

import (
	"context"
	"encoding/json"
	"errors"
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

const twoCalls = `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: done}
  - {id: left, type: mcp, server: s, tool: left, args: {}, next: done}
  - {id: right, type: mcp, server: s, tool: right, args: {}, next: done}
  - {id: done, type: transform, transform: {expr: '{"done": true}'}, next: exit}
  - {id: exit, type: exit}
`

// A decision about one call in doubt is none about the other.
func TestResumeWithTwoCallsInDoubt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	left, right := make(chan struct{}), make(chan struct{})
	server := &counted{reply: func(ctx context.Context, tool string, nth int) error {
		if nth == 1 && tool == "left" {
			close(left)
			<-ctx.Done()
		}
		if nth == 1 && tool == "right" {
			close(right)
			<-ctx.Done()
		}
		return ctx.Err()
	}}
	go func() { <-left; <-right; cancel() }()
	plan := compile(t, twoCalls, engine.Env{})
	rec := local.Run(ctx, plan, server, nil, local.Options{})
	rec = resumed(t, plan, server, rec, run.Decision{Do: "retry"}, local.Options{})
	if rec.Fault == nil || rec.Fault.Code != run.OutcomeUnknown || len(rec.InDoubt()) != 2 {
		t.Fatalf("%v, in doubt %v", rec.Fault, rec.InDoubt())
	}
	if fault := copied(rec).Decide(run.Decision{Do: "retry"}, time.Now()); fault == nil || fault.Code != "which-step" {
		t.Errorf("retry without a step: %v", fault)
	}
	rec = resumed(t, plan, server, rec, run.Decision{Do: "retry", Step: "left"}, local.Options{})
	if diff := cmp.Diff(map[string]int{"left": 2, "right": 1}, server.calls); diff != "" || run.CallOf(rec.Fault).Step != "fork#0/right/right#0" {
		t.Errorf("%v, calls (-want +got):\n%s", rec.Fault, diff)
	}
	rec = resumed(t, plan, server, rec, run.Decision{Do: "retry", Step: "right"}, local.Options{})
	if diff := cmp.Diff(map[string]int{"left": 2, "right": 2}, server.calls); diff != "" || rec.Status != run.Succeeded {
		t.Errorf("%v, calls (-want +got):\n%s", rec.Fault, diff)
	}
}

// A step that failed stays failed while another is decided: its call is not made again.
func TestDecisionTouchesNoOtherStep(t *testing.T) {
	refused := &run.CallError{Outcome: run.CallRefused, Err: errors.New("the server refuses it")}
	var both sync.WaitGroup
	both.Add(2)
	server := &counted{reply: func(context.Context, string, int) error {
		both.Done()
		both.Wait()
		return refused
	}}
	plan := compile(t, twoCalls, engine.Env{})
	rec := local.Run(t.Context(), plan, server, nil, local.Options{})
	if len(rec.Open()) != 2 {
		t.Fatalf("open: %v", rec.Open())
	}
	rec = resumed(t, plan, server, rec, run.Decision{Do: "skip", Step: "left"}, local.Options{})
	if rec.Fault == nil || rec.Fault.Node != "right" || server.calls["right"] != 1 {
		t.Errorf("%v after %d calls", rec.Fault, server.calls["right"])
	}
}

// A walk that comes to another call than the one in doubt, or than the completed one,
// makes none. Every decision about the step is possible.
func TestResumeWhereTheCallsDiffer(t *testing.T) {
	const src = `
nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: mcp, server: s, tool: first, args: {n: 1}, next: second}
  - {id: second, type: mcp, server: s, tool: second, args: {n: {expr: $.first.n}}, next: exit}
  - {id: exit, type: exit}
`
	pin, _ := expr.Decode([]byte(`{"n":9}`))
	for _, what := range []string{"in doubt", "completed"} {
		for _, d := range []run.Decision{{Do: "retry", Step: "second#0"}, {Do: "skip", Step: "second#0"}, {Do: "pin", Step: "second#0", Pin: pin}} {
			t.Run(what+" "+d.Do, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				var calls []string
				server := callerFunc(func(ctx context.Context, c run.Call) (*run.Result, error) {
					calls = append(calls, c.Tool+string(c.Args))
					if c.Tool == "second" && len(calls) == 2 {
						cancel()
						if what == "in doubt" {
							return nil, ctx.Err()
						}
					}
					return &run.Result{Structured: c.Args}, nil
				})
				plan := compile(t, src, engine.Env{})
				rec := local.Run(ctx, plan, server, nil, local.Options{})
				for i := range rec.Steps {
					if rec.Steps[i].Node == "first" { // what is read back is not what was written
						rec.Steps[i].Output, _ = expr.Decode([]byte(`{"n":2}`))
					}
				}
				rec = resumed(t, plan, server, rec, run.Decision{Do: "retry"}, local.Options{})
				was := run.CallOf(rec.Fault)
				if rec.Fault == nil || rec.Fault.Code != run.Diverged || was.Step != "second#0" || string(was.Arguments) != `{"n":1}` || len(calls) != 2 {
					t.Fatalf("%+v, recorded %+v, after %q", rec.Fault, was, calls)
				}
				rec = resumed(t, plan, server, rec, d, local.Options{})
				want := map[string]string{"retry": `{"n":2}`, "skip": `null`, "pin": `{"n":9}`}[d.Do]
				if got, _ := expr.Encode(rec.Result); rec.Status != run.Succeeded || string(got) != want || len(calls) > 2 != (d.Do == "retry") {
					t.Errorf("%s %v: %s, calls %q", rec.Status, rec.Fault, got, calls)
				}
			})
		}
	}
}

// A saved graph whose result is refused does its exit again, and nothing else.
func TestResumeAfterAnInvalidResultOfASavedGraph(t *testing.T) {
	inner := `name: inner
outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: s, tool: charge, args: {}, next: exit}
  - {id: exit, type: exit, result: {expr: '$.call.ok ? {"n": $string($.call.ok)} : {"n": 0}'}}
`
	const outer = `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: graph, graph: inner, args: {}, next: exit}
  - {id: exit, type: exit}
`
	server := &counted{}
	rec := local.Run(t.Context(), compile(t, outer, engine.Env{Graphs: library{"inner": compile(t, inner, engine.Env{})}}), server, nil, local.Options{})
	if rec.Fault == nil || rec.Fault.Code != "invalid-result" || len(rec.Open()) != 1 || rec.Open()[0].Key != "call#0/exit#0" {
		t.Fatalf("%v, open %v", rec.Fault, rec.Open())
	}
	corrected := compile(t, strings.Replace(inner, "$string($.call.ok)", "$number($.call.ok)", 1), engine.Env{})
	plan := compile(t, outer, engine.Env{Graphs: library{"inner": corrected}})
	rec = resumed(t, plan, server, rec, run.Decision{Do: "retry"}, local.Options{})
	if got, _ := expr.Encode(rec.Result); string(got) != `{"n":1}` || server.calls["charge"] != 1 {
		t.Errorf("%s %v after %d calls", got, rec.Fault, server.calls["charge"])
	}
}

// A call whose output is more than the run may keep has completed: with a higher limit
// the run continues after it.
func TestResumeAfterTheLastOutput(t *testing.T) {
	server := callerFunc(func(context.Context, run.Call) (*run.Result, error) {
		return &run.Result{Structured: json.RawMessage(`{"text":"` + strings.Repeat("x", 900) + `"}`)}, nil
	})
	calls := 0
	counting := callerFunc(func(ctx context.Context, c run.Call) (*run.Result, error) {
		calls++
		return server(ctx, c)
	})
	plan := compile(t, callGraphOf("send"), engine.Env{})
	rec := local.Run(t.Context(), plan, counting, nil, local.Options{Options: run.Options{Limits: run.Limits{MaxTraceBytes: 500}}})
	if rec.Fault == nil || rec.Fault.Code != "too-large" || len(rec.Open()) > 0 {
		t.Fatalf("%v, open %v", rec.Fault, rec.Open())
	}
	rec.Options.Limits = run.Limits{}
	rec = resumed(t, plan, counting, rec, run.Decision{Do: "retry"}, local.Options{})
	if rec.Status != run.Succeeded || calls != 1 {
		t.Errorf("%s %v after %d calls", rec.Status, rec.Fault, calls)
	}
}

// Each attempt at a call sends the same arguments.
func TestAttemptsSendTheSame(t *testing.T) {
	sent := map[string]int{}
	server := callerFunc(func(_ context.Context, c run.Call) (*run.Result, error) {
		sent[string(c.Args)]++
		return nil, errDown
	})
	plan := compile(t, strings.Replace(callWith("safe", `"retry":{"maxAttempts":3,"initialMs":0}`, ""), "$.entry.x", "$random()", 1), anyTool)
	local.Run(t.Context(), plan, server, json.RawMessage(`{"x":1}`), local.Options{})
	if len(sent) != 1 {
		t.Errorf("three attempts sent %v", sent)
	}
}

// A question of a branch that the run has given up is no longer open.
func TestQuestionsOfAGivenUpBranch(t *testing.T) {
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [ask, bad], concurrency: 2, join: late, onError: late}
  - {id: ask, type: ask, message: First?, timeoutMs: 1000, next: late}
  - {id: bad, type: mcp, server: s, tool: bad, args: {}, next: late}
  - {id: late, type: ask, message: Second?, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	server := &counted{reply: func(context.Context, string, int) error { return errDown }}
	rec := local.Run(t.Context(), plan, server, nil, local.Options{})
	if asked := rec.Questions(); len(asked) != 1 || asked[0].Step != "late#0" || rec.Asked("") != asked[0] {
		t.Errorf("%v: questions %v", rec.Fault, asked)
	}
}

// A run that reached its limit in the second attempt at a saved graph continues there:
// the call that was cut short in the first is not asked about.
func TestResumeInTheAttemptOfTheLimit(t *testing.T) {
	inner := compile(t, `name: inner
nodes:
  - {id: entry, type: entry, next: b}
  - {id: b, type: mcp, server: s, tool: b, args: {}, timeoutMs: 5, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: graph, graph: inner, args: {}, retry: {maxAttempts: 3, initialMs: 0, unsafe: true}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{Graphs: library{"inner": inner}})
	synctest.Test(t, func(t *testing.T) {
		server := &counted{reply: func(ctx context.Context, _ string, nth int) error {
			if nth == 1 {
				<-ctx.Done()
			}
			return ctx.Err()
		}}
		rec := local.Run(t.Context(), plan, server, nil, local.Options{Options: run.Options{Limits: run.Limits{MaxNodeExecutions: 4}}})
		if rec.Fault == nil || rec.Fault.Code != "too-many-executions" {
			t.Fatal(rec.Fault)
		}
		rec.Options.Limits = run.Limits{}
		rec = resumed(t, plan, server, rec, run.Decision{Do: "retry"}, local.Options{})
		if rec.Status != run.Succeeded || server.calls["b"] != 2 {
			t.Errorf("%s %v after %d calls", rec.Status, rec.Fault, server.calls["b"])
		}
	})
}

// stopper is a journal that ends the run while an intent to call is written.
type stopper struct {
	run.Forget
	stop context.CancelFunc
}

func (s stopper) Intend(_ string, in run.Intent, safe bool) error {
	if safe && in.Kind == run.IntentCall {
		s.stop()
	}
	return nil
}

// Nothing is asked about a call that was intended and not sent.
func TestResumeAfterACallThatWasNotSent(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := &counted{}
	plan := compile(t, callGraphOf("send"), engine.Env{})
	rec := local.Run(ctx, plan, server, nil, local.Options{Journal: stopper{stop: cancel}})
	if rec.Status != run.Cancelled || server.calls["send"] != 0 || len(rec.InDoubt()) > 0 {
		t.Fatalf("%s %v after %d calls, in doubt %v", rec.Status, rec.Fault, server.calls["send"], rec.InDoubt())
	}
	rec = resumed(t, plan, server, rec, run.Decision{Do: "retry"}, local.Options{})
	if rec.Status != run.Succeeded || server.calls["send"] != 1 {
		t.Errorf("%s %v after %d calls", rec.Status, rec.Fault, server.calls["send"])
	}
}

// TestReplayOfAnAttemptThatTimeEndedBetweenTwoSteps: no step of the attempt failed, and
// the replay takes the next attempt as the run did.
func TestReplayOfAnAttemptThatTimeEndedBetweenTwoSteps(t *testing.T) {
	graphs := library{}
	graphs["inner"] = compile(t, `
nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: mcp, server: s, tool: read, args: {n: 1}, next: second}
  - {id: second, type: mcp, server: s, tool: read, args: {n: 2}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: graph, graph: inner, args: {}, timeoutMs: 50, retry: {maxAttempts: 3, initialMs: 1, unsafe: true}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{Graphs: graphs})
	synctest.Test(t, func(t *testing.T) {
		rec := local.Run(t.Context(), plan, &flaky{}, nil, local.Options{})
		if rec.Fault != nil {
			t.Fatal(rec.Fault)
		}
		// As if the first attempt had ended after its first step.
		var early, steps []*run.StepRecord
		for _, step := range rec.Steps {
			if key, inside := strings.CutPrefix(step.Key, "call#0/"); inside {
				if step.Node == "entry" || step.Node == "first" {
					was := *step
					early = append(early, &was)
				}
				step.Key = "call#0/#2/" + key
			}
			steps = append(steps, step)
		}
		steps = append(steps, early...)
		rec.Steps = steps
		rec.Intents = append(rec.Intents, run.Intent{Key: "call#0/retry#1", Step: "call#0", Kind: run.IntentSleep, At: rec.Started, Until: rec.Started})
		if found := local.Compare(rec, local.Replay(t.Context(), plan, rec)); len(found) > 0 {
			t.Errorf("the replay differs: %+v", found)
		}
	})
}
