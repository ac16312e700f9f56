package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

const oneOfTheirs = `
nodes:
  - {id: entry, type: entry, next: theirs}
  - {id: theirs, type: custom, count: 1, next: exit}
  - {id: exit, type: exit}
`

// withCustom returns the built-in kinds and the kind "custom" of a library's
// program, which has the given facts and fails if it is told to.
func withCustom(t *testing.T, facts engine.Kind, fails error) *engine.KindSet {
	t.Helper()
	facts.Spec = specs.Spec{NodeType: "custom"}
	facts.Fields = []engine.Field{{Name: "count", Type: "number"}, {Name: "next", Type: "node-id", Edges: true, Required: true}}
	facts.Compile = func(p *engine.Pass, n *engine.Node) engine.Compiled {
		edges := p.Next(n)
		return engine.Compiled{Edges: edges, Step: func(context.Context, *engine.State) (engine.Outcome, error) {
			return engine.Outcome{Next: edges[0].To}, fails
		}}
	}
	set, err := engine.Extend(facts)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// The steps of a graph that a library's kind runs are parts of its node: they are
// not nodes of the plan that have disappeared.
func TestStepsInsideALibrarysKindAreNotChanged(t *testing.T) {
	plan := compile(t, oneOfTheirs, engine.Env{Kinds: withCustom(t, engine.Kind{RunsGraph: true}, nil)})
	rec := local.Run(t.Context(), plan, nil, nil, local.Options{})
	rec.Steps = append(rec.Steps, &run.StepRecord{Node: "inner", Type: "transform", Key: "theirs#0/inner#0", Part: true, Ended: 4})
	if changed := plan.Changed(rec); len(changed) > 0 {
		t.Errorf("changed: %q", changed)
	}
}

// A dry run says of a library's kind that waits, as of the built-in one, that it
// did not wait.
func TestDryRunMarksALibrarysWait(t *testing.T) {
	plan := compile(t, oneOfTheirs, engine.Env{Kinds: withCustom(t, engine.Kind{Waits: true}, nil)})
	rec := local.Run(t.Context(), plan, nil, nil, local.Options{Mode: run.DryRun})
	var simulated []string
	for _, step := range rec.Steps {
		simulated = append(simulated, step.Simulated)
	}
	if diff := cmp.Diff([]string{"", run.DryRun, ""}, simulated); rec.Status != run.Succeeded || diff != "" {
		t.Errorf("the run %s; simulated (-want +got):\n%s", rec.Status, diff)
	}
}

// A node without a type is recognized as of a library's kind by the fields that
// show it.
func TestALibrarysKindIsRecognizedByItsFields(t *testing.T) {
	doc, _ := graph.Parse("g.yaml", `nodes: [{id: entry, type: entry, next: theirs}, {id: theirs, count: 1, next: exit}, {id: exit, type: exit}]`)
	_, found := engine.Compile(doc, "", engine.Env{Kinds: withCustom(t, engine.Kind{Evidence: []string{"count"}}, nil)})
	if len(found) != 1 || found[0].Hint != "write type: custom" {
		t.Errorf("the diagnostics are %v", found)
	}
}

// A plan, and what runs it, knows the facts of the kinds it was compiled with.
func TestFactsOfKinds(t *testing.T) {
	set := withCustom(t, engine.Kind{Asks: true, Waits: true, RunsGraph: true}, errors.New("unused"))
	plan := compile(t, oneOfTheirs, engine.Env{Kinds: set})
	var builtIn *engine.KindSet
	for _, test := range []struct {
		kinds                  *engine.KindSet
		nodeType               string
		asks, waits, runsGraph bool
	}{
		{plan.Kinds(), "custom", true, true, true},
		{plan.Kinds(), "wait", false, true, false},
		{builtIn, "custom", false, false, false},
		{builtIn, "ask", true, false, false},
		{builtIn, "wait", false, true, false},
		{builtIn, "graph", false, false, true},
		{builtIn, "unknown", false, false, false},
	} {
		k, n := test.kinds, test.nodeType
		if k.Asks(n) != test.asks || k.Waits(n) != test.waits || k.RunsGraph(n) != test.runsGraph {
			t.Errorf("%s: asks %v, waits %v, runs a graph %v", n, k.Asks(n), k.Waits(n), k.RunsGraph(n))
		}
	}
	if got, want := len(set.Kinds()), len(engine.Kinds())+1; got != want {
		t.Errorf("there are %d kinds, want %d", got, want)
	}
}
