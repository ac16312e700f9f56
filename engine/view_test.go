package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

const forkInTheMiddle = `
name: middle
nodes:
  - {id: entry, type: entry, next: start}
  - {id: start, type: transform, transform: {expr: '"s"'}, next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: meet}
  - {id: left, type: mcp, server: s, tool: slow, args: {}, next: left2}
  - {id: left2, type: transform, transform: {expr: '"l2"'}, next: meet}
  - {id: right, type: transform, transform: {expr: '"r"'}, next: right2}
  - {id: right2, type: mcp, server: s, tool: quick, args: {}, next: meet}
  - {id: meet, type: mcp, server: s, tool: meet, args: {}, next: after}
  - {id: after, type: transform, transform: {expr: '$join($keys($), " ") & "; " & $join([1..6].$string($previousNode($)), " ")'}, next: exit}
  - {id: exit, type: exit}
`

// staggered answers the tool slow after quick has, so that the branch that is
// second in the document ends first. It fails the tool meet while it is told to.
func staggered(fail *bool) run.Caller {
	quick := make(chan struct{}, 1)
	return callerFunc(func(_ context.Context, c run.Call) (*run.Result, error) {
		switch c.Tool {
		case "slow":
			<-quick
		case "quick":
			defer func() { quick <- struct{}{} }()
		case "meet":
			if *fail {
				return nil, errDown
			}
		}
		return &run.Result{Content: []json.RawMessage{fmt.Appendf(nil, `{"type":"text","text":%q}`, c.Tool)}}, nil
	})
}

// Time travel shows at each step what its expressions saw: in a branch what was
// before the fork and the branch, after the join all, in the order of the branches
// however they raced.
func TestScopeAtEachStep(t *testing.T) {
	fail := false
	rec := local.Run(t.Context(), compile(t, forkInTheMiddle, engine.Env{}), staggered(&fail), nil, local.Options{})
	if rec.Fault != nil {
		t.Fatal(rec.Fault)
	}
	seen, err := expr.Compile(`$join($sort($keys($)), " ") & "; " & $previousNode()`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"start#0":              "entry start; s",
		"fork#0/left/left#0":   "entry left start; slow",
		"fork#0/left/left2#0":  "entry left left2 start; l2",
		"fork#0/right/right#0": "entry right start; r",
		"meet#0":               "entry fork left left2 meet right right2 start; meet",
	}
	for i, step := range rec.Steps {
		w, asked := want[step.Key]
		if !asked {
			continue
		}
		delete(want, step.Key)
		if got, err := seen.Eval(t.Context(), rec.Scope(i+1, expr.Limits{})); err != nil || got != w {
			t.Errorf("after %s: %v %v, want %s", step.Key, got, err, w)
		}
	}
	if len(want) > 0 {
		t.Errorf("these did not run: %v", want)
	}
	history, _ := expr.Compile(`[2..7].$string($previousNode($))`)
	at := len(rec.Steps) - 1 // before the exit
	got, _ := history.Eval(t.Context(), rec.Scope(at, expr.Limits{}))
	b, _ := expr.Encode(got)
	if diff := cmp.Diff(`["meet","{\"left\":\"l2\",\"right\":\"quick\"}","quick","r","l2","slow"]`, string(b)); diff != "" {
		t.Errorf("the history after the join (-want +got):\n%s", diff)
	}
}

// A run that continues after a join sees the outputs of its branches, as if it had
// never stopped.
func TestResumeAfterAJoin(t *testing.T) {
	plan := compile(t, forkInTheMiddle, engine.Env{})
	straight := false
	want := local.Run(t.Context(), plan, staggered(&straight), nil, local.Options{}).Result
	fail := true
	rec := local.Run(t.Context(), plan, staggered(&fail), nil, local.Options{})
	if rec.Fault == nil || rec.Fault.Node != "meet" {
		t.Fatalf("%s %v", rec.Status, rec.Fault)
	}
	seen, _ := expr.Compile(`left2 & right2`)
	if got, err := seen.Eval(t.Context(), rec.Scope(-1, expr.Limits{})); err != nil || got != "l2quick" {
		t.Errorf("what a failed run has come to: %v %v", got, err)
	}
	fail = false
	if fault := rec.Decide(run.Decision{Do: "retry"}, time.Now()); fault != nil {
		t.Fatal(fault)
	}
	called := 0
	rec = local.Resume(t.Context(), plan, callerFunc(func(ctx context.Context, c run.Call) (*run.Result, error) {
		called++
		return staggered(&fail).CallTool(ctx, c)
	}), rec, local.Options{})
	if rec.Fault != nil || called != 1 {
		t.Fatalf("%v after %d calls, want one", rec.Fault, called)
	}
	if diff := cmp.Diff(want, rec.Result); diff != "" {
		t.Errorf("result (-straight +resumed):\n%s", diff)
	}
}

// A step of a nested graph saw that graph alone, an item of a foreach what its
// node saw.
func TestScopeInsideANestedGraph(t *testing.T) {
	const inner, outer = `
nodes:
  - {id: entry, type: entry, next: twice}
  - {id: twice, type: transform, transform: {expr: $.entry.n * 2}, next: exit}
  - {id: exit, type: exit}
`, `
nodes:
  - {id: entry, type: entry, next: work}
  - {id: work, type: graph, graph: double, args: {n: {expr: $item}}, foreach: {items: [1, 2]}, next: exit}
  - {id: exit, type: exit}
`
	env := engine.Env{Graphs: library{"double": compile(t, inner, engine.Env{})}}
	rec := local.Run(t.Context(), compile(t, outer, env), nil, nil, local.Options{})
	if rec.Fault != nil {
		t.Fatal(rec.Fault)
	}
	seen, _ := expr.Compile(`$join($sort($keys($)), " ") & " " & $string(entry)`)
	inside, items := 0, 0
	for i, step := range rec.Steps {
		got, err := seen.Eval(t.Context(), rec.Scope(i+1, expr.Limits{}))
		if err != nil {
			t.Fatal(err)
		}
		switch step.Key {
		case "work#0[1]/entry#0":
			inside++
			if got != `entry {"n":2}` {
				t.Errorf("inside: %v", got)
			}
		case "work#0[1]":
			items++
			if got != "entry {}" {
				t.Errorf("the item: %v", got)
			}
		}
	}
	if inside != 1 || items != 1 {
		t.Errorf("%d steps inside and %d items were looked at", inside, items)
	}
}
