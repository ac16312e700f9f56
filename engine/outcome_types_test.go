package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// TestOnErrorTypesPerEdge: what a node with onError gives depends on how a reader is
// reached. After its success it is the tool's output, after its failure the error, and
// where both lead it may be either.
func TestOnErrorTypesPerEdge(t *testing.T) {
	const head = `
inputSchema: {type: object, properties: {city: {type: string}}, required: [city]}
outputSchema: {type: object, properties: {out: {type: string}}, required: [out]}
nodes:
  - {id: entry, type: entry, next: get}
`
	call := func(onError, next string) string {
		return fmt.Sprintf("  - {id: get, type: mcp, server: weather, tool: forecast, args: {city: {expr: $.entry.city}}, onError: %s, next: %s}\n", onError, next)
	}
	exit := func(expr string) string {
		return fmt.Sprintf("  - {id: exit, type: exit, result: {expr: '{\"out\": %s}'}}\n", expr)
	}
	sorry := func(expr string) string {
		return fmt.Sprintf("  - {id: sorry, type: exit, result: {expr: '{\"out\": %s}'}}\n", expr)
	}
	const loop = `  - {id: again, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("get")'}, 3]}, next: get}], next: exit}
`
	tests := []struct {
		name, nodes string
		want        []string
	}{
		{"success: a field of the tool", call("sorry", "exit") + exit("$.get.place") + sorry("$.get.error.message"), nil},
		{"success: not a field of the error", call("sorry", "exit") + exit("$.get.error.message") + sorry(`"sorry"`), []string{"unknown-field exit"}},
		{"success: a misspelt field", call("sorry", "exit") + exit("$.get.plase") + sorry(`"sorry"`), []string{"unknown-field exit"}},
		{"success: the wrong type", call("sorry", "exit") + exit("$uppercase($.get.days)") + sorry(`"sorry"`), []string{"wrong-function-argument exit"}},
		{"failure: not a field of the tool", call("sorry", "exit") + exit("$.get.place") + sorry("$.get.place"), []string{"unknown-field sorry"}},
		{"join: either", call("exit", "exit") + exit(`$.get.place ?? $.get.error.message ?? "none"`), nil},
		{"join: a field that neither has", call("exit", "exit") + exit("$.get.plase"), []string{"unknown-field exit"}},
		{"join: a field of the tool may be missing", call("exit", "exit") + exit("$.get.place"), []string{"maybe-missing exit"}},
		{"join after the handler", call("note", "exit") + "  - {id: note, type: transform, transform: {expr: '1'}, next: exit}\n" + exit("$.get.place"), []string{"maybe-missing exit"}},
		{"a loop that a failure leaves", call("sorry", "again") + loop + exit("$.get.place") + sorry("$.get.error.message"), nil},
		{"a loop that a failure repeats", call("again", "again") + loop + exit("$.get.place"), []string{"maybe-missing exit"}},
		{"a retry by hand: only a success leaves", call("get2", "exit") + "  - {id: get2, type: wait, ms: 1, next: get}\n" + exit("$.get.place"), nil},
		{"a result without an expression", call("sorry", "exit") + "  - {id: exit, type: exit}\n" + sorry(`"sorry"`), []string{"wrong-result-type get"}},
		{"previous: the success", call("sorry", "exit") + exit("$previousNode().plase") + sorry(`"sorry"`), []string{"unknown-field exit"}},
		{"previous: the failure", call("sorry", "exit") + exit("$previousNode().place") + sorry("$previousNode().error.message"), nil},
		{"previous: either", call("exit", "exit") + exit("$previousNode().plase"), []string{"unknown-field exit"}},
		{"within a branch", call("sorry", "use") +
			"  - {id: use, type: transform, transform: {expr: '$.get.place'}, next: exit}\n  - {id: sorry, type: transform, transform: {expr: '$.get.error.message'}, next: exit}\n" + exit("$.use"), []string{"maybe-not-run exit"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := head + tt.nodes
			doc, l := graph.Parse("graph.yaml", src)
			if doc == nil {
				t.Fatal(l)
			}
			_, l = engine.Compile(doc, "", engine.Env{Tools: weather(), Untrusted: true})
			var got []string
			for _, d := range l {
				if d.Severity != diag.Note {
					got = append(got, d.Code+" "+d.Node)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v:\n%s", got, tt.want, diag.Format("graph.yaml", src, l))
			}
		})
	}
}

// TestOnErrorTypesInBranches: the same holds in the branches of a parallel node, and in
// what it gives for a branch that a failure does not end at the join.
func TestOnErrorTypesInBranches(t *testing.T) {
	const src = `
inputSchema: {type: object, properties: {city: {type: string}}, required: [city]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [get, other], join: exit}
  - {id: get, type: mcp, server: weather, tool: forecast, args: {city: {expr: $.entry.city}}, onError: sorry, next: use}
  - {id: use, type: transform, transform: {expr: '$.get.%s'}, next: exit}
  - {id: sorry, type: transform, transform: {expr: '$.get.%s'}, next: exit}
  - {id: other, type: mcp, server: weather, tool: forecast, args: {city: {expr: $.entry.city}}, onError: mend, next: exit}
  - {id: mend, type: transform, transform: {expr: '{"place": $.other.error.message}'}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"place": $.fork.other.%s}'}}
`
	for _, tt := range []struct {
		use, sorry, other string
		want              []string
	}{
		{"place", "error.message", "place", nil},
		{"error.message", "place", "place", []string{"unknown-field use", "unknown-field sorry"}},
		{"place", "error.message", "error", []string{"unknown-field exit"}},
	} {
		doc, _ := graph.Parse("graph.yaml", fmt.Sprintf(src, tt.use, tt.sorry, tt.other))
		_, l := engine.Compile(doc, "", engine.Env{Tools: weather(), Untrusted: true})
		var got []string
		for _, d := range l.With(diag.Error) {
			got = append(got, d.Code+" "+d.Node)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: got %v, want %v:\n%s", tt, got, tt.want, diag.Format("graph.yaml", doc.Src, l))
		}
	}
}
