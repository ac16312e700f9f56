package engine_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// fixed is a text with the first fix of every diagnostic, and what is said of it
// then; ok is false when there is none.
func (s *sketch) fixed(t *testing.T, text string, l diag.List) (plan *engine.Plan, after string, left diag.List, ok bool) {
	t.Helper()
	after, applied := diag.Apply(text, l)
	if applied == 0 {
		return nil, "", nil, false
	}
	doc, left := graph.Parse("graph.json", after)
	if doc == nil {
		t.Errorf("the fixes leave what cannot be read:\n%s\n%s", after, diag.Format("graph.json", text, l))
		return nil, "", nil, false
	}
	plan, more := engine.CompileAnyway(doc, engine.Env{Tools: s.shelf(), Untrusted: true})
	return plan, after, append(left, more...), true
}

// keeps reports a fix offered first that changes what a graph gives where it
// succeeds. Runs that a fix saves are none.
func (s *sketch) keeps(t *testing.T, text string, l diag.List, before []outcome) (fixes bool) {
	t.Helper()
	plan, after, left, ok := s.fixed(t, text, l)
	if !ok {
		return false
	}
	if left.HasErrors() {
		t.Errorf("the fixes of a graph without errors leave errors:\n%s\n%s", after, diag.Format("graph.json", after, left.With(diag.Error)))
	}
	for seed, was := range before {
		if was.fault != nil {
			continue
		}
		if is := s.try(t, plan, uint64(seed)); is.fault != nil || is.result != was.result {
			t.Errorf("a fix changes what a graph gives: %s, before %s (%v):\n%s\n%s", is.result, was.result, is.fault, strings.TrimSpace(after), diag.Format("graph.json", text, l))
		}
	}
	return true
}
