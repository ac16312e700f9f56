package run_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

func TestLimitsAreWithinTheCeiling(t *testing.T) {
	if got := (run.Limits{}).Within(run.Limits{}); got != run.DefaultLimits {
		t.Errorf("without any they are %+v", got)
	}
	ceiling := run.Limits{MaxNodeExecutions: 100, MaxExecutionTime: time.Minute}
	got := run.Limits{MaxNodeExecutions: 5000, MaxExecutionTime: time.Second, MaxResultBytes: 10}.Within(ceiling)
	if got.MaxNodeExecutions != 100 || got.MaxExecutionTime != time.Second || got.MaxResultBytes != 10 || got.MaxTraceBytes != run.DefaultCeiling.MaxTraceBytes {
		t.Errorf("they are %+v", got)
	}
	if got := ceiling.OrCeiling(); got.MaxNodeExecutions != 100 || got.MaxResultBytes != run.DefaultCeiling.MaxResultBytes {
		t.Errorf("the ceiling is %+v", got)
	}
}

// What $previousNode, $executionCount and $nodeExecutions read.
func TestHistory(t *testing.T) {
	h := &run.History{ByID: map[string][]int{}}
	for i, id := range []string{"a", "b", "a"} {
		h.Add(id, float64(i))
	}
	branch := h.Fork()
	branch.Add("b", "in the branch")
	if h.Len() != 3 || branch.Len() != 4 || h.Count("a") != 2 || h.Count("b") != 1 || branch.Count("b") != 2 {
		t.Errorf("%d and %d executions", h.Len(), branch.Len())
	}
	if v, ok := h.Execution("a", -1); !ok || v != 2.0 {
		t.Errorf("the last of a is %v", v)
	}
	if _, ok := h.Execution("a", 2); ok {
		t.Error("there is no third execution of a")
	}
	if v, ok := h.Previous(2); !ok || v != 1.0 {
		t.Errorf("the one before the last is %v", v)
	}
	if _, ok := h.Previous(4); ok {
		t.Error("there is no fourth-last execution")
	}
	if got := branch.Executions("b"); !slices.Equal(got, []expr.Value{1.0, "in the branch"}) {
		t.Errorf("those of b are %v", got)
	}
	if got := maps.Collect(branch.After(2)); got["a"] != 2.0 || got["b"] != "in the branch" {
		t.Errorf("after the second come %v", got)
	}
	for range branch.After(0) {
		break
	}
}

// Who watches a run is told of its steps, pauses and end, in the order of their times.
func TestNoticesOfARecord(t *testing.T) {
	rec := stoppedRun()
	rec.Principal, rec.Ended = "ann", noon.Add(3*time.Second)
	rec.Steps[0].Duration, rec.Steps[0].Attempts = time.Second, 2
	pause := (&run.Pause{Key: "total#0", Node: "total", NodeType: "transform", Why: run.AtBreakpoint, At: noon.Add(-time.Second)}).Intent()
	pause.Outcome, _ = json.Marshal(run.Continued{By: run.ByStep, At: noon.Add(-time.Millisecond)})
	rec.Intents = append(rec.Intents, pause)
	rec.Resumed = []run.Resumption{{At: noon.Add(2 * time.Second)}}
	var got []string
	for _, n := range rec.Notices() {
		got = append(got, string(n.Type)+" "+n.Key)
		if n.Run != rec.ID || n.Principal != "ann" {
			t.Errorf("%s is of %s, %s", n.Type, n.Run, n.Principal)
		}
		if n.Type == run.NodeFailed && n.Error.Code != "tool-failed" || n.Type == run.NodeCompleted && n.Key == "list#0" && n.Attempts != 2 {
			t.Errorf("the notice is %+v", n)
		}
	}
	want := []string{
		"paused total#0", "resumed total#0", "nodeStarted list#0", "nodeStarted total#0", "nodeCompleted total#0",
		"nodeStarted charge#0", "nodeStarted mail#0", "nodeFailed mail#0", "nodeCompleted list#0", "resumed ", "paused ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !run.NodeFailed.OfStep() || run.RunEnded.OfStep() {
		t.Error("a failed node is of a step, the end of a run is not")
	}
	rec.Status = run.Failed
	if n := rec.Stopped(); n.Type != run.RunEnded || n.Ms != 3000 {
		t.Errorf("the end is %+v", n)
	}
	failed := run.Event{Ended: true, Err: errors.New("broken")}
	if n := failed.Notice("r", "g", "p"); n.Error.Code != "internal-error" {
		t.Errorf("an error that is no fault is %+v", n.Error)
	}
}

func TestSummariesAndUses(t *testing.T) {
	rec := stoppedRun()
	if s := run.Summarize(rec); s.ID != "run_1" || s.Steps != 4 || s.Code != run.OutcomeUnknown || s.Message == "" {
		t.Errorf("the summary is %+v", s)
	}
	done := func(graph, principal string) *run.Record {
		return &run.Record{
			Graph: graph, Principal: principal, Status: run.Succeeded, Started: noon, Result: "12345678",
			Steps: []*run.StepRecord{{Key: "c#0", Call: "s/t", Size: 100, Ended: 1}},
		}
	}
	records := []*run.Record{done("a", "ann"), done("b", "ann"), done("b", "ann"), done("b", "bob"), rec}
	uses := run.UsesOf(run.Filter{Actor: run.Actor{Principal: "ann"}}, slices.Values(records))
	if len(uses) != 2 || uses[0].Graph != "b" || uses[0].Runs != 2 || uses[0].Calls != 2 || uses[0].Called != 200 || uses[0].Replied != 20 {
		t.Errorf("the uses are %+v", uses)
	}
	if uses := run.UsesOf(run.Filter{Actor: run.Actor{Operator: true}, Graph: "b"}, slices.Values(records)); len(uses) != 1 || uses[0].Runs != 3 {
		t.Errorf("the operator sees %+v", uses)
	}
	if (&run.Record{}).ResultSize() != 0 {
		t.Error("a run without a result has no size")
	}
}

// Expressions of a step see the steps before it, and an item of a foreach is known by its key.
func TestScopeAtAStep(t *testing.T) {
	rec := &run.Record{Steps: []*run.StepRecord{
		{Index: 0, Node: "list", Key: "list#0", Output: []any{"a", "b"}, Ended: 1},
		{Index: 1, Node: "each", Key: "each#0", Frame: true, Input: []any{"a", "b"}},
		{Index: 2, Node: "each", Key: "each#0[1]", Part: true},
	}}
	seen, err := expr.Compile(`$join($keys($), " ")`)
	if err != nil {
		t.Fatal(err)
	}
	for step, want := range map[int]string{1: "list", 2: "list"} {
		if got, err := seen.Eval(t.Context(), rec.ScopeAt(step, expr.Limits{})); err != nil || got != want {
			t.Errorf("step %d sees %v, %v", step, got, err)
		}
	}
	if item, i := rec.Item(2); i != 1 || item != "b" {
		t.Errorf("the item is %v, %d", item, i)
	}
	if _, i := rec.Item(0); i != -1 {
		t.Errorf("list is item %d", i)
	}
}

func TestForgetKeepsNothing(t *testing.T) {
	var j run.Journal = run.Forget{}
	if err := errors.Join(j.Begin(&run.Record{}, true), j.Step("r", run.StepRecord{}), j.Intend("r", run.Intent{}, true), j.End(&run.Record{}, true)); err != nil {
		t.Error(err)
	}
}

func TestDebuggerTellsOfItsEnd(t *testing.T) {
	d := run.NewDebugger([]string{"b", "a"}, false, 0)
	if got := d.Breakpoints(); !slices.Equal(got, []string{"a", "b"}) || d.Ended() {
		t.Errorf("the breakpoints are %q", got)
	}
	_, _, changed := d.Paused()
	if d.End(); !d.Ended() {
		t.Error("the run has not ended")
	}
	<-changed
}
