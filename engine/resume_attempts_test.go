package engine_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// A saved graph that was tried three times stands at one step, that of the last
// attempt: a decision about it is possible, and the run continues in that attempt.
func TestResumeInTheLastAttempt(t *testing.T) {
	pin, err := expr.Decode([]byte(`{"n":7}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		decision run.Decision
		calls    map[string]int
	}{
		{run.Decision{Do: "retry"}, map[string]int{"a": 3, "b": 4}},
		{run.Decision{Do: "skip"}, map[string]int{"a": 3, "b": 3}},
		{run.Decision{Do: "pin", Pin: pin, Step: "call#0/#3/b#0"}, map[string]int{"a": 3, "b": 3}},
	} {
		t.Run(tt.decision.Do, func(t *testing.T) {
			journals(t, func(t *testing.T, o local.Options) {
				server := &counted{reply: func(_ context.Context, tool string, nth int) error {
					if tool == "b" && nth <= 3 {
						return errDown
					}
					return nil
				}}
				inner := compile(t, `name: inner
nodes:
  - {id: entry, type: entry, next: a}
  - {id: a, type: mcp, server: s, tool: a, args: {}, next: b}
  - {id: b, type: mcp, server: s, tool: b, args: {}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
				plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: graph, graph: inner, args: {}, retry: {maxAttempts: 3, initialMs: 0, unsafe: true}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{Graphs: library{"inner": inner}})
				rec := local.Run(t.Context(), plan, server, nil, o)
				keys := map[string]bool{}
				for _, step := range rec.Steps {
					if keys[step.Key] {
						t.Errorf("two executions have the key %s", step.Key)
					}
					keys[step.Key] = true
				}
				if open := rec.Open(); len(open) != 1 || open[0].Key != "call#0/#3/b#0" {
					t.Fatalf("%v: the run stands at %v", rec.Fault, open)
				}
				rec = resumed(t, plan, server, rec, tt.decision, o)
				if diff := cmp.Diff(tt.calls, server.calls); diff != "" || rec.Status != run.Succeeded || len(rec.Open()) > 0 {
					t.Errorf("%s %v, calls (-want +got):\n%s", rec.Status, rec.Fault, diff)
				}
			})
		})
	}
}
