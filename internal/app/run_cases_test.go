package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/run"
)

// cases are the cases of a call as a client sends them.
func cases(t *testing.T, text string) []execution.RunCase {
	t.Helper()
	list, fault := execution.ReadCases("cases", text)
	if fault != nil {
		t.Fatal(fault)
	}
	return list
}

// runCases runs a graph once for each case.
func runCases(t *testing.T, pb *app.App, src, list string) *execution.RunResult {
	t.Helper()
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", src, ""), Cases: cases(t, list)})
	if fault != nil {
		t.Fatal(fault)
	}
	return r
}

// withoutRun is a line without the id of its run.
func withoutRun(line string) string {
	before, _, _ := strings.Cut(line, " (run_")
	return before
}

// dividing fails for n = "x", and asks for n = 0.
const dividing = `
inputSchema: {type: object, properties: {n: {}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: half}
  - {id: half, type: transform, transform: {expr: '{"half": $.entry.n / 2, "list": [1, $.entry.n]}'}, next: exit}
  - {id: exit, type: exit}
`

// One call runs a graph for many inputs and answers a line for each.
func TestRunCases(t *testing.T) {
	pb := product(t)
	r := runCases(t, pb, dividing, `
- {arguments: {n: 4}}
- {name: exact, arguments: {n: 4}, expect: {list: [1, 4.0], half: 2}}
- {arguments: {n: 4}, expect: {half: 2, list: [1, 5]}}
- {name: fails, arguments: {n: x}}
- {arguments: {n: x}, error: expression-failed}
- {arguments: {n: 4}, error: expression-failed}
- {arguments: {n: x}, error: tool-failed}
- {arguments: {}, expect: {half: 1}}
- {arguments: {n: 1}, pins: {half: {half: 7}}, result: {half: 7}}
- {arguments: {n: 4}, expect: {half: 2, list: [1, 4], more: 1}}
- {arguments: {n: 4}, expect: {result: {half: 2, list: [1, 4]}}}
- {arguments: {n: 4}, expect: 3}
`)
	want := []string{
		`1 ok: {"half":2,"list":[1,4]}`, "2 exact ok", "3 differs at /list/1: want 5, got 4", "4 fails failed: expression-failed, node half", "5 ok",
		`6 differs: want error expression-failed, got {"half":2,"list":[1,4]}`,
		"7 differs: want error tool-failed, got error expression-failed, node half",
		"8 failed: invalid-arguments", "9 ok", "10 differs at /more: want 1, got nothing",
		`11 differs at /half: want nothing, got 2`, `12 differs: want 3, got {"half":2,"list":[1,4]}`,
	}
	for i, line := range r.Cases.Lines {
		if got := withoutRun(line); got != want[i] {
			t.Errorf("got  %s\nwant %s", got, want[i])
		}
		if passed := strings.HasSuffix(line, " ok") || strings.Contains(line, " ok: "); passed == strings.Contains(line, "(run_") {
			t.Errorf("only a case that does not pass names its run: %s", line)
		}
	}
	if !r.Failed() || r.Status != "failed" || r.Cases.Passed != 4 || r.Cases.Failed != 8 || r.Error.Code != "cases-failed" {
		t.Errorf("%+v %+v", r, r.Cases)
	}
	if len(r.Cases.Details) != 3 {
		t.Fatalf("%d failures have details", len(r.Cases.Details))
	}
	first, second := r.Cases.Details[0], r.Cases.Details[1]
	if first.Case != 3 || first.Differs.At != "/list/1" || string(first.Differs.Want) != "5" || string(first.Differs.Got) != "4" {
		t.Errorf("%+v", first)
	}
	if second.Error.Node != "half" || len(second.Trace) != 1 || second.Trace[0].Node != "half" {
		t.Errorf("%+v", second)
	}
	if rec, fault := pb.GetRun(t.Context(), execution.GetRunInput{RunID: second.RunID}); fault != nil || rec.Status != "failed" || string(rec.Arguments) != `{"n":"x"}` {
		t.Errorf("get_run of a case: %v %+v", fault, rec)
	}
}

// What is wrong with an expectation in the form of other programs' tests is said.
func TestAWrappedExpectation(t *testing.T) {
	r := runCases(t, product(t), doubling, `[{arguments: {n: 1}, expect: {result: {n: 2}}}]`)
	if got := r.Cases.Details[0].Hint; got != "expect is the result itself, without {result: …} around it" {
		t.Errorf("the hint is %q", got)
	}
}

// The reply to many cases that pass is short, and its draft can be sent again.
func TestCasesThatPassAreAShortReply(t *testing.T) {
	pb := product(t)
	in := execution.RunInput{GraphInput: plans.FromText("g", doubling, "")}
	for i := range 100 {
		in.Cases = append(in.Cases, execution.RunCase{Arguments: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)), Expect: json.RawMessage(fmt.Sprintf(`{"n":%d}`, 2*i))})
	}
	r, fault := pb.Run(t.Context(), in)
	if fault != nil || r.Failed() || r.Cases.Passed != 100 {
		t.Fatal(fault, r)
	}
	if b, err := json.Marshal(r); err != nil || len(b) > 1200 {
		t.Errorf("the reply has %d bytes", len(b))
	}
	once, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: json.RawMessage(doubling)}, Arguments: json.RawMessage(`{"n":1}`)})
	if fault != nil || once.Failed() || once.Draft == "" {
		t.Errorf("a graph that is sent as text has a draft for the next call: %v %+v", fault, once)
	}
	again := execution.RunInput{GraphInput: plans.GraphInput{Graph: json.RawMessage(`"` + r.Draft + `"`)}, Cases: in.Cases[:1]}
	if same, fault := pb.Run(t.Context(), again); fault != nil || same.Failed() || same.Draft != r.Draft {
		t.Errorf("%v %+v", fault, same)
	}
	in.Cases = append(in.Cases, execution.RunCase{})
	if _, fault := pb.Run(t.Context(), in); fault == nil || fault.Path != "/cases" {
		t.Errorf("101 cases: %v", fault)
	}
}

// A cancelled call runs no further cases, and says which did not run.
func TestCasesAreCancelled(t *testing.T) {
	pb := product(t)
	ctx, cancel := context.WithCancel(t.Context())
	const src = `
nodes:
  - {id: entry, type: entry, next: later}
  - {id: later, type: wait, ms: 3600000, next: exit}
  - {id: exit, type: exit}
`
	in := execution.RunInput{GraphInput: plans.FromText("g", src, ""), Cases: cases(t, "[{pins: {later: 1}}, {}, {}]")}
	began := 0
	in.OnEvent = func(e run.Event) {
		if e.Node == "entry" && !e.Ended {
			if began++; began == 2 {
				cancel()
			}
		}
	}
	r, fault := pb.Run(ctx, in)
	if fault != nil {
		t.Fatal(fault)
	}
	lines := []string{withoutRun(r.Cases.Lines[0]), withoutRun(r.Cases.Lines[1]), r.Cases.Lines[2]}
	if !slices.Equal(lines, []string{"1 ok: 1", "2 cancelled", "3 not run"}) || r.Status != "cancelled" || r.Cases.NotRun != 2 || r.Error.Code != "cases-not-run" {
		t.Errorf("%v %+v %v", r.Cases.Lines, r, r.Error)
	}
}

// Cases run as long as the call waits; a run in progress continues.
func TestCasesBeyondTheWait(t *testing.T) {
	pb := product(t)
	const src = "nodes: [{id: entry, type: entry, next: later}, {id: later, type: wait, ms: 3600000, next: exit}, {id: exit, type: exit}]"
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", src, ""), Cases: make([]execution.RunCase, 2), WaitMs: 1})
	if fault != nil {
		t.Fatal(fault)
	}
	line, id, _ := strings.Cut(strings.TrimSuffix(r.Cases.Lines[0], ")"), " (")
	if line != "1 still runs" || r.Cases.Lines[1] != "2 not run" || !r.Failed() || r.Error.Code != "cases-not-run" {
		t.Errorf("%v %v", r.Cases.Lines, r.Error)
	}
	if c, fault := pb.CancelRun(t.Context(), execution.CancelRunInput{RunID: id}); fault != nil {
		t.Errorf("the run does not continue: %v %+v", fault, c)
	}
}

// A case that asks a person fails, and leaves no run that waits.
func TestACaseThatAsks(t *testing.T) {
	pb := product(t)
	const src = `
nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: Sure?, next: exit}
  - {id: exit, type: exit}
`
	r := runCases(t, pb, src, "[{arguments: {}}, {arguments: {}, pins: {sure: {action: accept}}}]")
	if withoutRun(r.Cases.Lines[0]) != "1 failed: needs-answer, node sure" || r.Cases.Lines[1] != `2 ok: {"action":"accept"}` {
		t.Errorf("%v", r.Cases.Lines)
	}
	left, fault := pb.Runs(t.Context(), execution.RunsInput{Status: "interrupted"})
	if fault != nil || len(left.Runs) > 0 {
		t.Errorf("%v: %d runs wait", fault, len(left.Runs))
	}
}

func TestCasesThatAreRefused(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"[]", "the file has no cases"},
		{"- {", "the cases cannot be read: line 1"},
		{"- 1", "case 1: a case is an object"},
		{"- {arguments: {n: 1}, expected: 1}", `case 1: "expected" is not a key of a case: use arguments, error, expect, keep, name, pins, result`},
		{"- {calls: any, result: 1}", `case 1: "calls" is a key of tests only`},
		{"- {expect: 1, error: x}", "one of expect, result and error"},
		{"- {expect: 1, result: 1}", "one of expect, result and error"},
	} {
		if _, fault := execution.ReadCases("cases", tt.text); fault == nil || !strings.Contains(fault.Message, tt.want) {
			t.Errorf("%s: %v", tt.text, fault)
		}
	}
	pb := product(t)
	one := cases(t, "[{arguments: {n: 1}}]")
	for path, in := range map[string]execution.RunInput{
		"/arguments":          {Cases: one, Arguments: json.RawMessage(`{"n":1}`)},
		"/background":         {Cases: one, Background: true},
		"/cases/0/pins/entry": {Cases: []execution.RunCase{{Pins: map[string]json.RawMessage{"entry": json.RawMessage("{")}}}},
	} {
		in.GraphInput = plans.FromText("g", doubling, "")
		if _, fault := pb.Run(t.Context(), in); fault == nil || fault.Path != path {
			t.Errorf("%s: %v", path, fault)
		}
	}
}
