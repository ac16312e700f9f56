package engine_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// library is a set of saved graphs by name.
type library map[string]*engine.Plan

func (l library) Graph(name string) (*engine.Tool, *diag.Fault) {
	plan, ok := l[name]
	if !ok {
		return nil, diag.Faultf("unknown-graph", "no graph %q", name)
	}
	spec := &specs.Spec{NodeType: "graph", Subtype: name, Source: "graphs"}
	if plan == nil { // to be compiled yet
		return &engine.Tool{Spec: spec}, nil
	}
	return &engine.Tool{Spec: plan.Spec(name, ""), Input: schema.New(plan.InputSchema()), Output: schema.New(plan.OutputSchema())}, nil
}

func (l library) Plan(_ context.Context, name string) (*engine.Plan, *diag.Fault) {
	if plan := l[name]; plan != nil {
		return plan, nil
	}
	return nil, diag.Faultf("unknown-graph", "no graph %q", name)
}

func (l library) Names() []string { return slices.Sorted(maps.Keys(l)) }

func TestGraphNode(t *testing.T) {
	lib := library{"ping": nil, "pong": nil}
	env := engine.Env{Graphs: lib}
	lib["double"] = compile(t, `
name: double
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: work}
  - {id: work, type: transform, transform: {expr: '{"n": $.entry.n = 13 ? $error("unlucky") : $.entry.n * 2}'}, next: exit}
  - {id: exit, type: exit}
`, env)
	outer := func(call, result string) string {
		return "nodes:\n  - {id: entry, type: entry, next: work}\n  - {id: work, type: graph, " + call + ", next: exit}\n  - {id: exit, type: exit, result: {expr: '" + result + "'}}\n"
	}
	rec := local.Run(t.Context(), compile(t, outer(`graph: double, args: {n: {expr: $item}}, foreach: {items: [1, 2, 13], onItemError: continue}`, `$.work.($exists(error) ? error.message : n)`), env), nil, nil, local.Options{})
	got, _ := expr.Encode(rec.Result)
	if want := `[2,4,"graph \"double\" failed in its node \"work\": `; !strings.HasPrefix(string(got), want) || !strings.Contains(string(got), "unlucky") {
		t.Errorf("got %s, want %s…, %v", got, want, rec.Fault)
	}
	var keys []string
	for _, step := range rec.Steps {
		keys = append(keys, step.Key)
	}
	for _, key := range []string{"work#0", "work#0[1]", "work#0[1]/work#0", "work#0[1]/exit#0"} {
		if !slices.Contains(keys, key) {
			t.Errorf("no step has the key %s: %v", key, keys)
		}
	}
	if seen, _ := expr.Compile(`$count($keys($))`); seen != nil {
		if v, _ := seen.Eval(t.Context(), rec.Scope(-1, expr.Limits{})); v != 3.0 {
			t.Errorf("the context has the outputs of %v nodes, want those of the outer three", v)
		}
	}
	f := failure(t, compile(t, outer(`graph: double, args: {n: {expr: $.entry.x}}`, `$.work`), env), nil, `{"x":"text"}`, local.Options{})
	if f.Code != "invalid-arguments" || f.Node != "work" || !strings.HasPrefix(f.Message, `graph "double": `) {
		t.Errorf("got %+v", f)
	}

	for name, other := range map[string]string{"ping": "pong", "pong": "ping"} {
		lib[name] = compile(t, "name: "+name+"\n"+outer("graph: "+other, "$.work"), env)
	}
	if f := failure(t, lib["ping"], nil, `{}`, local.Options{}); f.Code != "recursion-too-deep" || !strings.Contains(f.Message, "16 deep") {
		t.Errorf("a circle: got %+v", f)
	}
	if f := failure(t, lib["ping"], nil, `{}`, local.Options{Options: run.Options{Limits: run.Limits{MaxNodeExecutions: 9}}}); f.Code != "too-many-executions" {
		t.Errorf("the nested runs must share the limit: got %+v", f)
	}

	for _, tt := range []struct{ name, call, want string }{
		{"an unknown graph", `graph: doubel, args: {n: 1}`, "unknown-graph"},
		{"no graph", `args: {n: 1}`, "missing-field"},
		{"a missing argument", `graph: double`, "missing-argument"},
		{"a wrong argument", `graph: double, args: {n: text}`, "wrong-arg-type"},
		{"a computed one", `graph: double, args: {n: {expr: '"a" & 1'}}`, "wrong-arg-type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, l := codes(outer(tt.call, `$.work`), env)
			if diff := cmp.Diff([]string{tt.want}, found); diff != "" {
				t.Errorf("codes (-want +got):\n%s\n%v", diff, l)
			}
		})
	}
	if found, l := codes(outer(`graph: double, args: {n: 1}`, `$.work.m`), env); len(l) == 0 || len(found) > 1 {
		t.Errorf("a field that the result does not list: got %v", found)
	}
}
