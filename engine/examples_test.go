package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// compile parses and checks a text that must be valid.
func compile(t testing.TB, src string, env engine.Env) *engine.Plan {
	t.Helper()
	doc, l := graph.Parse("graph.yaml", src)
	if doc != nil {
		plan, more := engine.Compile(doc, "", env)
		if l = append(l, more...); plan != nil && !l.HasErrors() {
			return plan
		}
	}
	t.Fatalf("the graph is not valid:\n%s", diag.Format("graph.yaml", src, l))
	return nil
}

// run executes a plan that must succeed, and returns its result as JSON.
func runPlan(t testing.TB, plan *engine.Plan, caller run.Caller, arguments string) string {
	t.Helper()
	return runPinned(t, plan, caller, arguments, nil)
}

func runPinned(t testing.TB, plan *engine.Plan, caller run.Caller, arguments string, pins map[string]json.RawMessage) string {
	t.Helper()
	store := journal.NewMemory(nil)
	o := local.Options{Options: run.Options{Pins: map[string]expr.Value{}}, Journal: store, State: store}
	for id, text := range pins {
		v, err := expr.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Pins[id] = v
	}
	rec := local.Run(t.Context(), plan, caller, json.RawMessage(arguments), o)
	if rec.Status != run.Succeeded {
		t.Fatalf("run %s: %v", rec.Status, rec.Fault)
	}
	b, err := expr.Encode(rec.Result)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestExamplesOfKinds(t *testing.T) {
	for _, spec := range engine.Specs() {
		for _, ex := range spec.Examples {
			t.Run(spec.NodeType+"/"+ex.Title, func(t *testing.T) {
				plan := compile(t, ex.Graph, engine.Env{Untrusted: true})
				if _, l := (fixture{name: ex.Title}).check(ex.Graph); len(l.With(diag.Warning)) > 0 {
					t.Errorf("it has warnings:\n%s", diag.Format("graph.yaml", ex.Graph, l))
				}
				if diff := cmp.Diff(string(ex.Result), runPinned(t, plan, nil, string(ex.Arguments), ex.Pins)); diff != "" {
					t.Errorf("result (-want +got):\n%s", diff)
				}
			})
		}
	}
}
