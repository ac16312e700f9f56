package specs_test

import (
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

func TestNamesOfANode(t *testing.T) {
	for _, c := range []struct {
		spec             specs.Spec
		id, server, tool string
	}{
		{specs.Spec{NodeType: "transform"}, "transform", "", ""},
		{specs.Spec{NodeType: "mcp", Subtype: "filesystem/list_directory"}, "mcp:filesystem/list_directory", "filesystem", "list_directory"},
		{specs.Spec{NodeType: "mcp", Subtype: "github/repos/get"}, "mcp:github/repos/get", "github", "repos/get"},
		{specs.Spec{NodeType: "graph", Subtype: "daily-report"}, "graph:daily-report", "", "daily-report"},
		{specs.Spec{NodeType: "graph", Subtype: "reports/daily"}, "graph:reports/daily", "", "reports/daily"},
	} {
		if id, server, tool := c.spec.ID(), c.spec.Server(), c.spec.Tool(); id != c.id || server != c.server || tool != c.tool {
			t.Errorf("%s %q: %q, server %q, tool %q", c.spec.NodeType, c.spec.Subtype, id, server, tool)
		}
	}
}

// A spec that derives a part of itself is made whole without a change to what is
// published, and what is whole stays as it is.
func TestWhole(t *testing.T) {
	calls := 0
	s := &specs.Spec{NodeType: "mcp", Subtype: "a/b", Derive: func(s *specs.Spec) {
		calls++
		s.Skeleton = json.RawMessage(`{"type":"` + s.NodeType + `"}`)
	}}
	whole := s.Whole()
	if string(whole.Skeleton) != `{"type":"mcp"}` || whole.ID() != "mcp:a/b" {
		t.Errorf("whole is %+v", whole)
	}
	if s.Skeleton != nil || s.Derive == nil {
		t.Error("the published spec is changed")
	}
	if whole.Whole() != whole || calls != 1 {
		t.Errorf("derived %d times", calls)
	}
}

// Absent hints, and those of a server that is not trusted, mean what is cautious.
func TestAnnotations(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name                          string
		hints                         *specs.Annotations
		readOnly, repeat, destructive bool
	}{
		{"no hints", nil, false, false, true},
		{"trusted without hints", &specs.Annotations{Trusted: true}, false, false, true},
		{"read-only", &specs.Annotations{Trusted: true, ReadOnly: &yes}, true, true, false},
		{"read-only, not trusted", &specs.Annotations{ReadOnly: &yes}, false, false, false},
		{"read-only, and destructive by mistake", &specs.Annotations{Trusted: true, ReadOnly: &yes, Destructive: &yes}, true, true, false},
		{"idempotent", &specs.Annotations{Trusted: true, Idempotent: &yes}, false, true, true},
		{"idempotent, not trusted", &specs.Annotations{Idempotent: &yes}, false, false, true},
		{"adds only", &specs.Annotations{Trusted: true, Destructive: &no}, false, false, false},
		{"denied hints", &specs.Annotations{Trusted: true, ReadOnly: &no, Idempotent: &no, Destructive: &yes}, false, false, true},
	} {
		if a := c.hints; a.IsReadOnly() != c.readOnly || a.MayRepeat() != c.repeat || a.IsDestructive() != c.destructive {
			t.Errorf("%s: read-only %t, may repeat %t, destructive %t", c.name, a.IsReadOnly(), a.MayRepeat(), a.IsDestructive())
		}
	}
}
