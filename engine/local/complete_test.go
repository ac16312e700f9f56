package local_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

const withEverything = `
executionLimits: {maxNodeExecutions: 5000}
nodes:
  - {id: entry, type: entry, next: loop}
  - {id: loop, type: transform, transform: {expr: '{"n": $executionCount("loop"), "at": $millis(), "r": $random()}'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.loop.n}, 5]}, next: loop}], next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: each}
  - {id: left, type: transform, transform: {expr: '{"l": $.loop.r}'}, next: each}
  - {id: right, type: mcp, server: s, tool: put, args: {n: {expr: $.loop.n}}, next: each}
  - {id: each, type: transform, transform: {expr: '$item * 2'}, foreach: {items: {expr: '[1..4]'}, concurrency: 2}, next: none}
  - {id: none, type: transform, transform: {expr: '1'}, foreach: {items: {expr: '[]'}}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"each": $.each, "left": $.left.l, "n": $.right.n}'}}
`

type echo struct{}

func (echo) CallTool(_ context.Context, c run.Call) (*run.Result, error) {
	return &run.Result{Structured: c.Args}, nil
}

// TestComplete: whatever is not kept of the steps that follow from the rest is
// computed again as it was, and nothing is called.
func TestComplete(t *testing.T) {
	doc, found := graph.Parse("g.yaml", withEverything)
	plan, more := engine.Compile(doc, "", engine.Env{})
	if found = append(found, more...); found.HasErrors() {
		t.Fatal(found)
	}
	whole := local.Run(t.Context(), plan, echo{}, nil, local.Options{})
	if whole.Fault != nil {
		t.Fatal(whole.Fault)
	}
	if lost := completes(t, plan, whole); lost < 15 {
		t.Fatalf("only %d steps follow from the rest", lost)
	}
}

// completes takes from a record what follows from the rest, and compares what is
// computed again with what it was. It returns how many steps that are.
func completes(t *testing.T, plan *engine.Plan, whole *run.Record) (lost int) {
	t.Helper()
	less := *whole
	less.Steps = run.CloneSteps(nil, whole.Steps)
	for i := range less.Steps {
		if step := less.Steps[i]; step.Follows() && step.Ended > 0 {
			step.Input, step.Output, step.Lost = nil, nil, true
			lost++
		}
	}
	local.Complete(t.Context(), plan, &less)
	if diff := cmp.Diff(shown(whole), shown(&less)); diff != "" {
		t.Errorf("computed again (-was +is):\n%s", diff)
	}
	return lost
}

// A graph whose node "call" runs the graph again, with inner set.
const nesting = `
name: g
executionLimits: {maxExecutionTimeMs: 1000}
inputSchema: {type: object, properties: {inner: {type: boolean}}}
nodes:
  - {id: entry, type: entry, next: which}
  - {id: which, type: switch, conditions: [{rule: {var: $.entry.inner}, next: early}], next: call}
  - {id: call, type: graph, graph: g, args: {inner: true}, next: exit, %s}
  - {id: early, type: transform, transform: {expr: '{"r": $random(), "at": $millis()}'}, next: put}
  - {id: put, type: mcp, server: s, tool: put, args: {r: {expr: $.early.r}}, next: late}
  - {id: late, type: transform, transform: {expr: '{"r": $.early.r, "put": $.put}'}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"all": $.late}'}}
`

// calls is a caller that counts.
type calls struct {
	made atomic.Int32
	make func(ctx context.Context, n int32, key string) error // what the n-th call does, from 1, and that of a key
}

func (c *calls) CallTool(ctx context.Context, call run.Call) (*run.Result, error) {
	if err := c.make(ctx, c.made.Add(1), call.Key); err != nil {
		return nil, err
	}
	return &run.Result{Structured: call.Args}, nil
}

func TestCompleteInsideOfWhatWasCutShort(t *testing.T) {
	tests := map[string]struct {
		fields string
		call   func(ctx context.Context, n int32, key string) error
		decide *run.Decision
		steps  []string // computed again, among others
	}{
		"a foreach that the time limit ended": {
			fields: "foreach: {items: [1, 2, 3, 4], concurrency: 2}",
			call: func(ctx context.Context, _ int32, key string) error {
				if !strings.HasPrefix(key, "call#0[1]/") {
					return nil
				}
				<-ctx.Done()
				return context.Cause(ctx)
			},
			steps: []string{"call#0[0]", "call#0[0]/late#0", "call#0[1]/early#0", "call#0[3]/late#0"},
		},
		"a graph that was skipped": {
			fields: "timeoutMs: 10",
			call:   func(context.Context, int32, string) error { return later() },
			decide: &run.Decision{Do: "skip", Step: "call#0"},
			steps:  []string{"call#0/which#0", "call#0/early#0"},
		},
		"a graph that was pinned": {
			fields: "timeoutMs: 10",
			call:   func(context.Context, int32, string) error { return later() },
			decide: &run.Decision{Do: "pin", Step: "call#0", Pin: "done"},
			steps:  []string{"call#0/which#0", "call#0/early#0"},
		},
		"an attempt that was followed by another": {
			fields: "timeoutMs: 10, retry: {maxAttempts: 3, initialMs: 1, unsafe: true}",
			call: func(_ context.Context, n int32, _ string) error {
				switch n {
				case 1:
					return diag.Faultf("tool-failed", "not now")
				case 2:
					return later()
				}
				return nil
			},
			steps: []string{"call#0", "call#0/early#0", "call#0/#2/early#0", "call#0/#3/late#0"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				doc, found := graph.Parse("g.yaml", fmt.Sprintf(nesting, tt.fields))
				plan, more := engine.Compile(doc, "", engine.Env{})
				if found = append(found, more...); found.HasErrors() {
					t.Fatal(found)
				}
				caller := &calls{make: tt.call}
				rec := local.Run(t.Context(), plan, caller, nil, local.Options{})
				if tt.decide != nil {
					if fault := rec.Decide(*tt.decide, time.Now()); fault != nil {
						t.Fatal(fault)
					}
					rec = local.Resume(t.Context(), plan, caller, rec, local.Options{})
				}
				done := map[string]bool{}
				for i := range rec.Steps {
					done[rec.Steps[i].Key] = rec.Steps[i].Ended > 0 && rec.Steps[i].Follows()
				}
				for _, key := range tt.steps {
					if !done[key] {
						t.Errorf("the run %s (%v) and has no %s", rec.Status, rec.Fault, key)
					}
				}
				made := caller.made.Load()
				completes(t, plan, rec)
				if now := caller.made.Load(); now != made {
					t.Errorf("looking made %d calls", now-made)
				}
			})
		})
	}
}

// later lets more time pass than the attempt has: time then ends it between two steps.
func later() error {
	<-time.After(20 * time.Millisecond)
	return nil
}

// shown is what the steps of a run came to, by key.
func shown(rec *run.Record) map[string]string {
	out := map[string]string{}
	for _, s := range rec.Steps {
		in, _ := expr.Encode(s.Input)
		b, _ := expr.Encode(s.Output)
		out[s.Key] = fmt.Sprint(s.Lost, s.Ended, string(in), " ", string(b))
	}
	return out
}
