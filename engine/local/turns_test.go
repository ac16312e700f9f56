package local_test

import (
	"context"
	"sync"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/run"
)

const computing = `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: exit}
  - {id: left, type: transform, transform: {expr: '$sum($map([1..3000], function($i) { $i * $item }))'}, foreach: {items: {expr: '[1..6]'}, concurrency: 3}, next: exit}
  - {id: right, type: mcp, server: s, tool: put, args: {n: {expr: $item}}, foreach: {items: {expr: '[1..6]'}, concurrency: 3}, next: long}
  - {id: long, type: transform, transform: {expr: '$sum($map([1..6000], function($i) { $i }))'}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"left": $sum($.left), "right": $count($.right), "long": $.long}'}}
`

// TestTurns runs graphs with branches, items and long evaluations with one turn for all,
// and memory for one evaluation: none waits for another that waits for it.
func TestTurns(t *testing.T) {
	doc, found := graph.Parse("g.yaml", computing)
	plan, more := engine.Compile(doc, "", engine.Env{})
	if found = append(found, more...); found.HasErrors() {
		t.Fatal(found)
	}
	q := admission.New(admission.Options{Turns: 1, Bytes: 64 << 20})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			w := &admission.Work{Context: t.Context(), Turn: q.Turn("p", admission.NewRequest())}
			rec := local.Run(w, plan, echo{}, nil, local.Options{})
			w.Turn.End()
			if rec.Status != run.Succeeded {
				t.Errorf("the run ended as %s: %v", rec.Status, rec.Fault)
			}
		})
	}
	wg.Wait()
	if s := q.State(); s.Turns != 0 || s.Waiting != 0 || s.Reserved != 0 || s.Lent != 0 {
		t.Errorf("state %+v, want nothing in use and no turn lent", s)
	}
}

// turnsOf collects the turns in which tools are called.
type turnsOf struct{ sync.Map }

func (c *turnsOf) CallTool(ctx context.Context, call run.Call) (*run.Result, error) {
	c.Store(call.Tool, admission.From(ctx))
	return &run.Result{Structured: []byte(`{}`)}, nil
}

// TestADetachedBranchHasATurnOfItsOwn: it computes at the same time as what follows.
func TestADetachedBranchHasATurnOfItsOwn(t *testing.T) {
	doc, found := graph.Parse("g.yaml", `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, detach: [aside], join: main}
  - {id: aside, type: mcp, server: s, tool: aside, args: {}, next: main}
  - {id: main, type: mcp, server: s, tool: main, args: {}, next: exit}
  - {id: exit, type: exit}
`)
	plan, more := engine.Compile(doc, "", engine.Env{})
	if found = append(found, more...); found.HasErrors() {
		t.Fatal(found)
	}
	begun := make(chan struct{})
	var calls turnsOf
	w := &admission.Work{Context: t.Context(), Turn: admission.New(admission.Options{}).Turn("p", 1)}
	rec := local.Run(w, plan, &calls, nil, local.Options{Observer: local.Observer{Event: func(e run.Event) {
		switch {
		case e.Node == "aside" && e.Ended:
			close(begun)
		case e.Node == "exit" && !e.Ended: // the branch ends with the graph
			<-begun
		}
	}}})
	aside, _ := calls.Load("aside")
	main, _ := calls.Load("main")
	if rec.Status != run.Succeeded || aside == nil || main != &w.Turn || aside == main {
		t.Errorf("%s: the branch has the turn %p, the run %p", rec.Status, aside, main)
	}
}
