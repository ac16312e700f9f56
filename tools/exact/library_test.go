// Package exact_test stops runs of random graphs in every way and at every place, and
// resumes them by every decision: no completed call is made twice, and none of unknown
// outcome without a decision about its step.
package exact_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/tools/exact/graphs"
)

// made is a random graph, ready to run.
type made struct {
	plan     *engine.Plan
	src      string // with that of the graphs that it calls
	timeouts bool   // some call has a time limit, which it may exceed
}

// randomPlan returns a random graph with those that it calls.
func randomPlan(t *testing.T, seed uint64, asks bool) (m made) {
	t.Helper()
	lib := library{}
	env := engine.Env{Tools: toolset{"read": true, "write": false}, Graphs: lib}
	random := graphs.New(seed, asks)
	m.timeouts = random.Timeouts
	for i, text := range random.Texts {
		m.plan = compile(t, text, random.Name, env)
		lib[fmt.Sprintf("g%d", i)] = m.plan
		m.src += fmt.Sprintf("# g%d\n%s", i, text)
	}
	return m
}

// toolset is a server s whose tools may be repeated or not.
type toolset map[string]bool

func (t toolset) Tool(_, tool string) (*engine.Tool, *diag.Fault) {
	repeat := t[tool]
	return &engine.Tool{Spec: &specs.Spec{NodeType: "mcp", Subtype: "s/" + tool, Annotations: &specs.Annotations{Trusted: true, Idempotent: &repeat}}}, nil
}

func (t toolset) Names() []string { return nil }

func (t toolset) Resolve(string) (server, tool string, ok bool) { return "", "", false }

// library are saved graphs.
type library map[string]*engine.Plan

func (l library) Names() []string { return nil }

func (l library) Graph(name string) (*engine.Tool, *diag.Fault) {
	plan := l[name]
	if plan == nil {
		return nil, diag.Faultf(diag.CodeUnknownGraph, "unknown graph %q", name)
	}
	return &engine.Tool{Spec: plan.Spec(name, ""), Input: schema.New(plan.InputSchema()), Output: schema.New(plan.OutputSchema())}, nil
}

func (l library) Plan(_ context.Context, name string) (*engine.Plan, *diag.Fault) {
	return l[name], nil
}

func compile(t testing.TB, src, name string, env engine.Env) *engine.Plan {
	t.Helper()
	doc, found := graph.Parse("graph.yaml", src)
	plan, more := engine.Compile(doc, name, env)
	if found = append(found, more...); plan == nil || found.HasErrors() {
		t.Fatalf("the graph is not valid:\n%s", diag.Format("graph.yaml", src, found))
	}
	return plan
}
