package engine_test

import (
	"fmt"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// TestPlaceholderNamesTheValue: the diagnostic of a placeholder says which value is
// missing and of what type it is, in whatever form the placeholder is written.
func TestPlaceholderNamesTheValue(t *testing.T) {
	tests := []struct{ args, result, want string }{
		{`{path: {$placeholder: the folder}}`, `{ok: true}`, `a value is missing for the argument "path" of files/list, of type string: "the folder"`},
		{`{path: "{{$placeholder}}"}`, `{ok: true}`, `a value is missing for the argument "path" of files/list, of type string`},
		{`{path: "{{ $placeholder: the folder }}"}`, `{ok: true}`, `a value is missing for the argument "path" of files/list, of type string: "the folder"`},
		{`{path: a, names: [{$placeholder: a name}]}`, `{ok: true}`, `a value is missing for the argument "names.0" of files/list, of type string: "a name"`},
		{`{path: a, extra: {mode: {$placeholder: a mode}}}`, `{ok: true}`, `a value is missing for the argument "extra.mode" of files/list: "a mode"`},
		{`{path: a}`, `{$placeholder: the sum}`, `a value is missing for the result: "the sum"`},
		{`{path: a}`, `{sum: {$placeholder: the sum}}`, `a value is missing for "sum" of the result, of type number: "the sum"`},
	}
	for _, tt := range tests {
		src := fmt.Sprintf("outputSchema: {type: object, properties: {sum: {type: number}}}\nnodes:\n  - {id: entry, type: entry, next: list}\n  - {id: list, type: mcp, server: files, tool: list, args: %s, next: exit}\n  - {id: exit, type: exit, result: %s}\n", tt.args, tt.result)
		doc, _ := graph.Parse("graph.yaml", src)
		plan, l := engine.Compile(doc, "", engine.Env{Tools: offered, Untrusted: true})
		if plan == nil || len(l) != 1 || l[0].Code != "placeholder" || l[0].Message != tt.want {
			t.Errorf("want %s, got\n%s", tt.want, diag.Format("graph.yaml", src, l))
			continue
		}
		if unfilled := plan.Unfilled(); len(unfilled) != 1 || unfilled[0].Message != tt.want {
			t.Errorf("want %s, got %v", tt.want, unfilled)
		}
	}
}
