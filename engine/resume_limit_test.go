package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// limited calls a graph that is executed in two attempts, the first of which fails, and
// then a tool.
const limited = `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: graph, graph: inner, args: {}, retry: {maxAttempts: 2, initialMs: 0, unsafe: true}, next: last}
  - {id: last, type: mcp, server: s, tool: last, args: {}MORE, next: exit}
  - {id: exit, type: exit}
`

const limitedInner = `name: inner
nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: mcp, server: s, tool: first, args: {}, next: then}
  - {id: then, type: transform, transform: {expr: '{"r": $random()}'}, next: exit}
  - {id: exit, type: exit}
`

// firstFails lets the first call of each tool fail.
func firstFails() *counted {
	return &counted{reply: func(_ context.Context, _ string, nth int) error {
		if nth == 1 {
			return errDown
		}
		return nil
	}}
}

// TestExecutionsOfAResumedRun: a run that was resumed has as many node executions as one
// that was not, and walking it again takes as many.
func TestExecutionsOfAResumedRun(t *testing.T) {
	for _, test := range []struct {
		name, more string
		executions int
	}{
		{"after a graph that was tried twice", "", 9},
		{"in an item", ", foreach: {items: [1, 2, 3]}", 11},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := compile(t, strings.Replace(limited, "MORE", test.more, 1), engine.Env{Graphs: library{"inner": compile(t, limitedInner, engine.Env{})}})
			for _, limit := range []int{test.executions - 1, test.executions} {
				server := firstFails()
				rec := local.Run(t.Context(), plan, server, nil, local.Options{Options: run.Options{Limits: run.Limits{MaxNodeExecutions: limit}}})
				if open := rec.Open(); len(open) != 1 || open[0].Node != "last" {
					t.Fatalf("%v, open %v", rec.Fault, open)
				}
				rec = resumed(t, plan, server, rec, run.Decision{Do: "retry"}, local.Options{})
				fits := limit == test.executions
				if fits != (rec.Fault == nil) || !fits && rec.Fault.Code != "too-many-executions" {
					t.Errorf("limit %d: %v", limit, rec.Fault)
				}
				if found := local.Compare(rec, local.Replay(t.Context(), plan, rec)); len(found) > 0 {
					t.Errorf("limit %d, the replay differs: %+v", limit, found)
				}
				if !fits {
					continue
				}
				for i := range rec.Steps {
					if rec.Steps[i].Follows() {
						rec.Steps[i] = &run.StepRecord{Index: i}
					}
				}
				if rec = local.Resume(t.Context(), plan, server, rec, local.Options{}); rec.Fault != nil {
					t.Errorf("without what follows from the calls: %v", rec.Fault)
				}
			}
		})
	}
}

// TestReplayOfAResumedRunWithLargeOutputs: what the run kept is not too large for its
// replay.
func TestReplayOfAResumedRunWithLargeOutputs(t *testing.T) {
	inner := compile(t, `name: inner
nodes:
  - {id: entry, type: entry, next: large}
  - {id: large, type: transform, transform: {expr: '{"text": $pad("", 600, "x")}'}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"ok": true}'}}
`, engine.Env{})
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: graph, graph: inner, args: {}, next: last}
  - {id: last, type: mcp, server: s, tool: last, args: {}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{Graphs: library{"inner": inner}})
	large := json.RawMessage(`{"text":"` + strings.Repeat("x", 300) + `"}`)
	fails := true
	server := callerFunc(func(context.Context, run.Call) (*run.Result, error) {
		if fails {
			return nil, errDown
		}
		return &run.Result{Structured: large}, nil
	})
	rec := local.Run(t.Context(), plan, server, nil, local.Options{Options: run.Options{Limits: run.Limits{MaxTraceBytes: 1000}}})
	fails = false
	rec = resumed(t, plan, server, rec, run.Decision{Do: "retry", Step: "last"}, local.Options{})
	if rec.Status != run.Succeeded {
		t.Fatal(rec.Fault)
	}
	if found := local.Compare(rec, local.Replay(t.Context(), plan, rec)); len(found) > 0 {
		t.Errorf("the replay differs: %+v", found)
	}
}
