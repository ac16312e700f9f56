package app_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/run"
)

const doubling = `
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $.entry.n * 2}'}}
`

// tests runs tests next to a graph.
func tests(t *testing.T, pb *app.App, src, cases string) []*execution.TestResult {
	t.Helper()
	return pb.Tests.Run(t.Context(), execution.TestInput{Name: "graphs/g.test.yaml", Text: cases, Read: func(path string) (string, error) {
		if path != "graphs/g.yaml" {
			return "", errors.New(path + " is not there")
		}
		return src, nil
	}})
}

func TestCases(t *testing.T) {
	pb := product(t)
	for _, tt := range []struct{ name, cases, want string }{
		{"result", "- {arguments: {n: 2}, result: {n: 4.0}}", ""},
		{"several, one of which fails", "- {arguments: {n: 2}, result: {n: 4}}\n- {name: wrong, arguments: {n: 2}, result: {n: 5}}", `wrong: result is different: {"n":5} {"n":4}`},
		{"long numbers", "- {arguments: {n: 4503599627370497}, result: {n: 9007199254740995}}", `case 1: result is different: {"n":9007199254740995} {"n":9007199254740994}`},
		{"one case without a list", "{arguments: {n: 2}, result: {n: 4}}", ""},
		{"error", "- {arguments: {n: x}, error: D1001}", "case 1: result is different: failed: D1001 failed: expression-failed"},
		{"expected error", "- {arguments: {n: x}, error: expression-failed}", ""},
		{"unexpected error", "- {arguments: {n: x}, result: 1}", "expression-failed"},
		{"pins and until", "- {arguments: {n: 1}, pins: {entry: {n: 4}}, result: {n: 8}}", ""},
		{"misspelt key", "- {argumants: {n: 1}, result: 1}", `case 1: "argumants" is not a key of a test case, did you mean arguments`},
		{"nothing expected", "- {arguments: {n: 1}}", "case 1: the case has neither result nor error"},
		{"both expected", "- {result: 1, error: x}", "case 1: the case has both result and error"},
		{"given and pins", "- {given: [{step: a}], pins: {a: 1}, result: 1}", "which has no calls, pins"},
		{"unknown calls", "- {calls: all, result: 1}", `unknown calls "all"`},
		{"no list", "[]", "the file has no test cases"},
		{"syntax", "- {", "the tests cannot be read"},
		{"another file", "- {graph: ./other.yaml, result: 1}", "graphs/other.yaml is not there"},
		{"a saved graph", "- {graph: nothing, result: 1}", "no-graphs-folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, r := range tests(t, pb, doubling, tt.cases) {
				if r.Error != nil {
					got = append(got, r.Error.Error()+", did you mean "+strings.Join(r.Error.Suggestions, " ")+" "+r.Error.Code)
				}
				for _, d := range r.Differences {
					got = append(got, r.Name+": "+d.Step+" "+d.What+": "+d.Recorded+" "+d.Replayed)
				}
				if r.Passed != (r.Error == nil && len(r.Differences) == 0) {
					t.Errorf("%+v", r)
				}
			}
			if all := strings.Join(got, "\n"); (tt.want == "") != (all == "") || !strings.Contains(all, tt.want) {
				t.Errorf("got %s, want %s", all, tt.want)
			}
		})
	}
}

// A case calls nothing that may change something, unless it says so; a recorded one calls
// nothing at all.
func TestCasesOnlyRead(t *testing.T) {
	pb := product(t)
	const src = `
nodes:
  - {id: entry, type: entry, next: list}
  - {id: list, type: mcp, server: workspace, tool: list_directory, args: {path: .}, next: ask}
  - {id: ask, type: mcp, server: weather, tool: get-forecast, args: {city: Bern}, next: exit}
  - {id: exit, type: exit, result: {expr: $.ask.city}}
`
	for _, tt := range []struct{ name, cases, code string }{
		{"a tool that may change something", "- {result: Bern}", "needs-pin"},
		{"expected", "- {error: needs-pin}", ""},
		{"allowed", "- {calls: any, result: Bern}", ""},
		{"pinned", "- {pins: {ask: {city: Rome}}, result: Rome}", ""},
		{"given", "- {given: [{step: list, output: {}}, {step: ask, output: {city: Rome}}], result: Rome}", ""},
		{"not all given", "- {given: [{step: list, output: {}}], error: not-recorded}", ""},
	} {
		r := tests(t, pb, src, tt.cases)[0]
		code := ""
		if r.Error != nil {
			code = r.Error.Code
		}
		if code != tt.code || r.Passed != (code == "") {
			t.Errorf("%s: %v %+v", tt.name, r.Error, r.Differences)
		}
	}
}

// What a run without arguments was saved as passes, and says nothing of arguments.
func TestSaveTestWithoutArguments(t *testing.T) {
	pb := product(t)
	src := "name: g\nnodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit, result: {expr: '{\"args\": $.entry, \"now\": $millis()}'}}\n"
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g.yaml", src, "")})
	r = ran(t, r, fault, run.Succeeded)
	saved, fault := pb.SaveTest(t.Context(), library.SaveTestInput{RunID: r.RunID})
	if fault != nil {
		t.Fatal(fault)
	}
	if strings.Contains(saved.Test, "\n  arguments:") || !strings.HasPrefix(saved.Test, "- name: g\n") {
		t.Errorf("saved as:\n%s", saved.Test)
	}
	if got := pb.Tests.Run(t.Context(), execution.TestInput{Text: saved.Test})[0]; !got.Passed {
		t.Errorf("%v %+v\n%s", got.Error, got.Differences, saved.Test)
	}
}

// Tests that earlier versions saved are one case, with what they expect in expect.
func TestFormerTests(t *testing.T) {
	pb := product(t)
	former := `name: approve
run: run_01JAAAAAAAAAAAAAAAAAAAAAAA
at: "2026-01-02T03:04:05Z"
arguments: {n: 3}
given:
  - {step: ask#0, output: {action: accept, content: {why: now}}}
expect: {status: succeeded, result: {said: accept, at: 2026}, path: [entry#0, ask#0, note#0, exit#0]}
document: |
  name: approve
  nodes:
    - {id: entry, type: entry, next: ask}
    - {id: ask, type: ask, message: Send?, next: note}
    - {id: note, type: transform, transform: {expr: '{"said": $.ask.action, "at": $number($substring($now(), 0, 4))}'}, next: exit}
    - {id: exit, type: exit}
`
	if r := pb.Tests.Run(t.Context(), execution.TestInput{Text: former})[0]; !r.Passed || r.Name != "approve" {
		t.Errorf("%v %+v", r.Error, r.Differences)
	}
	if r := pb.Tests.Run(t.Context(), execution.TestInput{Text: strings.Replace(former, "said: accept,", "said: decline,", 1)})[0]; r.Passed || r.Error != nil {
		t.Errorf("it passes with another result: %v", r.Error)
	}
}
