package app_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// TestMoreThanAllMemory: a graph whose check may take more than all memory is refused,
// and names the setting.
func TestMoreThanAllMemory(t *testing.T) {
	pb := overWith(t, app.Options{Memory: 64 << 20}, nil)
	large := `{"nodes": [{"id": "entry", "type": "entry", "next": "exit"}, {"id": "exit", "type": "exit"}], "description": "` + strings.Repeat("x", 1<<20) + `"}`
	_, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.GraphInput{Graph: json.RawMessage(large)}})
	if fault == nil || fault.Code != "too-much-memory" || !strings.Contains(fault.Hint, "limits.memoryMB") {
		t.Errorf("fault %+v, want too-much-memory", fault)
	}
	if _, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.GraphInput{Graph: json.RawMessage(strings.ReplaceAll(large, "xxxxxxxx", ""))}}); fault != nil {
		t.Errorf("a small graph: %v", fault)
	}
}

// TestLoad: operations at the same time share turns and memory, and give everything back.
func TestLoad(t *testing.T) {
	pb := overWith(t, app.Options{Memory: 64 << 20}, nil)
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			r, fault := pb.Evaluate(t.Context(), author.EvaluateInput{Expression: json.RawMessage(`"$sum($map([1..3000], function($i) { $i }))"`)})
			if fault != nil || string(r.Value) != "4501500" {
				t.Errorf("%s, %v", r.Value, fault)
			}
			if _, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: []plans.NodeRef{{ID: "transform"}}}); fault != nil {
				t.Error(fault)
			}
		})
	}
	wg.Wait()
	if l := pb.Load(); l.Turns != 0 || l.Waiting != 0 || l.Reserved != 0 || l.Bytes != 48<<20 || l.Lent != 0 {
		t.Errorf("load %+v", l)
	}
}
