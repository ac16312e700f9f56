package app_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/run"
)

// One execution of a transform or a switch shows what its expressions read and came
// to; its input is never null.
func TestGetRunShowsExpressions(t *testing.T) {
	pb := product(t)
	r, fault := pb.Run(t.Context(), app.RunInput{GraphInput: app.GraphInput{Graph: text(`
nodes:
  - {id: entry, type: entry, next: loop}
  - {id: loop, type: transform, transform: {expr: '{"n": $executionCount("loop") + $.entry.by}'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.loop.n}, 3]}, next: loop}], next: exit}
  - {id: exit, type: exit}
`)}, Arguments: []byte(`{"by": 1}`)})
	r = ran(t, r, fault, run.Succeeded)
	for _, test := range []struct {
		node           string
		index          int
		input, text, v string
	}{
		{"loop", 1, `{"$.entry.by":1}`, `{"n": $executionCount("loop") + $.entry.by}`, `{"n":2}`},
		{"more", -1, `{"$.loop.n":3}`, `{"<":[{"var":"$.loop.n"},3]}`, `false`},
	} {
		got, fault := pb.GetRun(t.Context(), app.GetRunInput{RunID: r.RunID, Node: test.node, Index: &test.index})
		if fault != nil || len(got.Step.Expressions) != 1 {
			t.Fatalf("%s: %+v, %v", test.node, got, fault)
		}
		x := got.Step.Expressions[0]
		if string(got.Step.Input) != test.input || x.Text != test.text || string(x.Value) != test.v || x.Line == 0 || !strings.HasPrefix(x.Path, "/nodes/") {
			t.Errorf("%s: input %s, expression %+v", test.node, got.Step.Input, x)
		}
	}
}
