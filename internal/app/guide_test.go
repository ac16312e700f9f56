package app_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
)

// section returns the text of a section of the guide.
func section(t *testing.T, name string) string {
	t.Helper()
	i := slices.IndexFunc(discover.Guide().Sections(), func(s *idioms.Section) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("the guide has no section %s", name)
	}
	return discover.Guide().Sections()[i].Text
}

// What is declared is in the guide without a word of its prose: node types,
// modifiers, operators and limits.
func TestTheGuideIsGenerated(t *testing.T) {
	for _, k := range engine.Kinds() {
		if row := "\n| " + k.Spec.NodeType + " | "; strings.Contains(section(t, "nodes"), row) == k.InWorkflow {
			t.Errorf("the row of %s, for workflows %t:\n%s", k.Spec.NodeType, k.InWorkflow, section(t, "nodes"))
		}
	}
	for _, m := range engine.AllModifiers {
		if !strings.Contains(section(t, "failures"), "\n| "+m.Field.Name) {
			t.Errorf("the guide does not say what %s is for", m.Field.Name)
		}
	}
	for _, operator := range expr.RuleOperators() {
		if !strings.Contains(section(t, "operators"), "`"+operator+"`") {
			t.Errorf("the guide does not name the operator %s", operator)
		}
	}
	if strings.Contains(discover.Guide().Whole(), "{{nodes") {
		t.Error("a place is left")
	}
	marks := map[string]string{}
	for _, place := range idioms.Places() {
		marks[place] = "generated " + place
	}
	want := []string{"limits", "modified", "modifiers", "nodes", "operators"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(marks))); diff != "" {
		t.Errorf("the places (-want +got):\n%s", diff)
	}
	text := idioms.NewGuide(marks).Whole()
	for _, mark := range marks {
		if !strings.Contains(text, mark) {
			t.Errorf("the guide lacks %q", mark)
		}
	}
}
