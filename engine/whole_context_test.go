package engine_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
)

// The whole context as a value is what it is at that step: outputs that are made
// later are not in it.
func TestTheWholeContextAsAValue(t *testing.T) {
	const context = `{"entry":{"n":1}}`
	for _, tt := range []struct{ expr, want string }{
		{`$`, context},
		{`$$`, context},
		{`[$]`, "[" + context + "]"},
		{`{"all": $}`, `{"all":` + context + `}`},
		{`$.entry.{"n": n, "all": $$}`, `{"n":1,"all":` + context + `}`},
		{`($x := $; {"x": $x})`, `{"x":` + context + `}`},
		{`$.entry.n = 1 ? $ : 0`, context},
		{`$map([1, 2], function($v) {$$})`, `[` + context + `,` + context + `]`},
		{`$append([], $)`, `[` + context + `]`},
		{`$lookup({"a": $}, "a")`, context},
		{`$eval("$")`, context},
		{`entry.%`, context},
		{`$ ~> |entry|{"n": 2}|`, `{"entry":{"n":2}}`},
		{`$merge([$, {"m": 2}])`, `{"entry":{"n":1},"m":2}`},
	} {
		plan := compile(t, fmt.Sprintf(`
nodes:
  - {id: entry, type: entry, next: all}
  - {id: all, type: transform, transform: {expr: %q}, next: call}
  - {id: call, type: mcp, server: s, tool: t, args: {expr: $}, next: exit}
  - {id: exit, type: exit, result: {expr: $}}
`, tt.expr), engine.Env{})
		rec := local.Run(t.Context(), plan, answers(`{"ok":true}`), json.RawMessage(`{"n":1}`), local.Options{})
		seen := `{"entry":{"n":1},"all":` + tt.want + `}`
		want := map[string]string{"all": tt.want, "result": `{"entry":{"n":1},"all":` + tt.want + `,"call":{"ok":true}}`, "call's input": seen}
		got := map[string]expr.Value{"result": rec.Result}
		for _, step := range rec.Steps {
			switch step.Node {
			case "all":
				got["all"] = step.Output
			case "call":
				got["call's input"] = step.Input
			}
		}
		for name, value := range want {
			encoded, err := expr.Encode(got[name])
			if err != nil || string(encoded) != value {
				t.Errorf("%s: %s is %s, want %s; %v %v", tt.expr, name, encoded, value, err, rec.Fault)
			}
		}
	}
}
