package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/run"
)

const placed = `name: placed
nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: transform, transform: {expr: '1'}, next: second, ui: {x: 10, y: 20}}   # stays
  - {id: second, type: transform, transform: {expr: '$error("not yet")'}, next: exit}
  - {id: exit, type: exit, result: {expr: $.second}}
`

// A graph whose nodes were moved since resumes a run, and an edit keeps where the others are.
func TestMovedNodesAreTheSameNodes(t *testing.T) {
	pb := over(t, nil)
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(placed)}})
	r = ran(t, r, fault, run.Failed)
	moved, fault := pb.Edit(t.Context(), library.EditInput{GraphInput: plans.GraphInput{Graph: text(placed)}, Ops: ops(t, `[
		{"op": "update_node", "id": "first", "set": {"ui": {"x": -5, "y": 7.5}}},
		{"op": "update_node", "id": "second", "set": {"ui": {"x": 1, "y": 2}, "transform": {"expr": "$.first + 1"}}}]`)})
	if fault != nil || !moved.Valid || len(moved.Warnings) > 0 || !strings.Contains(moved.Source, "ui: {x: -5, 'y': 7.5}}   # stays") && !strings.Contains(moved.Source, "ui: {x: -5, y: 7.5}}   # stays") {
		t.Fatalf("%v, %+v\n%s", fault, moved, moved.Source)
	}
	again, fault := pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry", Graph: text(moved.Source)})
	again = ran(t, again, fault, run.Succeeded)
	if string(again.Result) != "2" {
		t.Errorf("the result is %s", again.Result)
	}
	replayed, fault := pb.ReplayRun(t.Context(), execution.ReplayRunInput{RunID: r.RunID})
	if fault != nil || !replayed.Same {
		t.Errorf("%v, %+v", fault, replayed)
	}
}

func ops(t *testing.T, list string) (ops []edit.Op) {
	t.Helper()
	if err := json.Unmarshal([]byte(list), &ops); err != nil {
		t.Fatal(err)
	}
	return ops
}
