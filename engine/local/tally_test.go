package local_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

const counting = `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: caught}
  - {id: left, type: transform, transform: {expr: $item}, foreach: {items: {expr: '[1..6]'}, concurrency: 3}, next: caught}
  - {id: right, type: mcp, server: s, tool: put, args: {n: {expr: $item}}, foreach: {items: {expr: '[1..6]'}}, next: caught}
  - {id: caught, type: mcp, server: s, tool: fail, args: {}, onError: last, next: last}
  - {id: last, type: mcp, server: s, tool: fail, args: {}, next: exit}
  - {id: exit, type: exit}
`

// failing is a caller whose tool "fail" fails until it is mended.
type failing struct{ mended bool }

func (f *failing) CallTool(_ context.Context, c run.Call) (*run.Result, error) {
	if c.Tool == "fail" && !f.mended {
		return &run.Result{IsError: true, Content: []json.RawMessage{[]byte(`{"type": "text", "text": "it fails"}`)}}, nil
	}
	return &run.Result{Structured: []byte(`{"n": 1}`)}, nil
}

// TestRunsAreTallied: what the record of a run counts while the run goes on is what its
// steps are, also after it was resumed.
func TestRunsAreTallied(t *testing.T) {
	doc, found := graph.Parse("g.yaml", counting)
	plan, more := engine.Compile(doc, "", engine.Env{})
	if found = append(found, more...); found.HasErrors() {
		t.Fatal(found)
	}
	check := func(rec *run.Record, status run.Status, undone int) {
		t.Helper()
		steps := &run.Record{Steps: rec.Steps} // which has no tally
		calls, bytes := rec.Calls()
		wantCalls, wantBytes := steps.Calls()
		if rec.Executions() != steps.Executions() || rec.Filed() != steps.Filed() || calls != wantCalls || bytes != wantBytes {
			t.Errorf("counted are %d executions, %d steps, %d calls with %d bytes; the record has %d, %d, %d with %d",
				rec.Executions(), rec.Filed(), calls, bytes, steps.Executions(), steps.Filed(), wantCalls, wantBytes)
		}
		if n := len(rec.Undone()); rec.Status != status || n != undone || len(steps.Undone()) != undone {
			t.Errorf("the run is %s with %d steps undone of %d, want %s with %d: %v", rec.Status, n, len(steps.Undone()), status, undone, rec.Fault)
		}
	}
	caller := &failing{}
	rec := local.Run(t.Context(), plan, caller, nil, local.Options{})
	check(rec, run.Failed, 1)
	if fault := rec.Decide(run.Decision{Do: "retry"}, rec.Ended); fault != nil {
		t.Fatal(fault)
	}
	caller.mended = true
	check(local.Resume(t.Context(), plan, caller, rec, local.Options{}), run.Succeeded, 0)
}
