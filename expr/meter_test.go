package expr_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A meter counts the same however often an expression is evaluated, and ends the
// evaluations of a step that together take more than it allows.
func TestMeter(t *testing.T) {
	p, fault := expr.Compile("$sum($map([1..1000], function($x){$x * 2}))")
	if fault != nil {
		t.Fatal(fault)
	}
	before, counted := 0, []int{}
	meter := &expr.Meter{Before: func(context.Context) { before++ }, After: func(n int) { counted = append(counted, n) }}
	s := expr.NewScope(nil, expr.Limits{})
	s.Measure(meter)
	meter.MaxSteps = 1_000_000
	for range 3 { // the first one makes memory that the others use again
		if _, err := p.Eval(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if before != 3 || len(counted) != 3 || counted[1] != counted[2] || counted[0] < 1000 {
		t.Fatalf("called %d times, counted %d", before, counted)
	}
	meter.MaxSteps = counted[0] * 5 / 2
	s.Freeze(time.Now(), "run_1", "a#0")
	for i := range 3 {
		_, err := p.Eval(t.Context(), s)
		if (err != nil) != (i == 2) {
			t.Fatalf("evaluation %d: %v", i, err)
		}
		if e, ok := errors.AsType[*jsonata.Error](err); ok && (e.Code != "too-much-work" || !strings.Contains(e.Message, "together")) {
			t.Errorf("%s: %s", e.Code, e.Message)
		}
	}
	s.Freeze(time.Now(), "run_1", "b#0")
	if _, err := p.Eval(t.Context(), s.Child(nil)); err != nil {
		t.Errorf("of another step: %v", err)
	}
}
