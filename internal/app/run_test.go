package app_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// A run that is cancelled before its first step was not rejected.
func TestARunCancelledBeforeItsFirstStep(t *testing.T) {
	pb := app.New(app.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, fault := pb.Run(ctx, execution.RunInput{GraphInput: plans.FromText("g", "nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]", "")})
	if fault != nil {
		t.Fatal(fault)
	}
	if len(r.Trace) != 0 || r.Status != "cancelled" {
		t.Errorf("after %d steps the run is %s", len(r.Trace), r.Status)
	}
}

// A large output is cut between characters.
func TestTracesAreCutBetweenCharacters(t *testing.T) {
	pb := app.New(app.Options{})
	for _, pad := range []string{"", "a", "aa"} {
		src := `nodes: [{id: entry, type: entry, next: t}, {id: t, type: transform, transform: {expr: '"` + pad + strings.Repeat("蜂", 2000) + `"'}, next: exit}, {id: exit, type: exit}]`
		r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", src, ""), Trace: "full"})
		if fault != nil || len(r.Trace) < 2 {
			t.Fatal(fault, r)
		}
		var cut string
		if err := json.Unmarshal(r.Trace[1].Output, &cut); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(cut, "蜂…") || strings.ContainsRune(cut, utf8.RuneError) {
			t.Errorf("the output ends with %q", cut[len(cut)-12:])
		}
	}
}

// A summary has the first executions of a node that is executed often, and says how many
// it leaves out.
func TestASummaryLeavesRepeatsOut(t *testing.T) {
	pb := app.New(app.Options{})
	const src = `nodes: [{id: entry, type: entry, next: each}, {id: each, type: transform, transform: {expr: '$item'}, foreach: {items: {expr: '[1..50]'}}, next: exit}, {id: exit, type: exit}]`
	for trace, want := range map[string][2]int{"summary": {6, 47}, "full": {53, 0}} {
		r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", src, ""), Trace: trace})
		if fault != nil {
			t.Fatal(fault)
		}
		more := 0
		for _, s := range r.Trace {
			more += s.More
		}
		if len(r.Trace) != want[0] || more != want[1] {
			t.Errorf("%s: %d steps, and %d more, want %v", trace, len(r.Trace), more, want)
		}
	}
}
