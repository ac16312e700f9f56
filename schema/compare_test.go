package schema

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

func TestCompareInferred(t *testing.T) {
	const want = `{"type": "object", "additionalProperties": false, "required": ["path"],
		"properties": {"path": {"type": "string"}, "mode": {"enum": ["r", "w"]}, "tags": {"type": "array", "items": {"type": "string"}}, "at": {"type": ["integer", "null"]}}}`
	tests := []struct{ src, where, got string }{
		{`{"path": "x"}`, ``, ``},
		{`{"path": a}`, ``, ``},
		{`a`, ``, ``},
		{`{"path": a.b ? "x" : 1}`, ``, ``},
		{`{"path": "x", "mode": a ? "r" : "z"}`, ``, ``},
		{`{"path": "x", "at": null, "tags": []}`, ``, ``},
		{`$merge([a, {"path": 1}])`, ``, ``},
		{`{"path": 1}`, `path`, `type`},
		{`{"path": "x", "mode": "rw"}`, `mode`, `enum`},
		{`{"path": "x", "tags": [1]}`, `tags/*`, `type`},
		{`{"path": "x", "at": 1.5}`, `at`, `type`},
		{`{"pth": "x"}`, ``, `missing path`},
		{`{"path": "x", "z": 1}`, ``, `extra z`},
		{`"x"`, ``, `type`},
		{`[{"path": "x"}]`, ``, `type`},
	}
	shape, _ := TypeOf([]byte(want))
	for _, tt := range tests {
		ast, fault := jsonata.Parse(tt.src)
		if fault != nil {
			t.Fatal(tt.src, fault)
		}
		s, _ := expr.Infer(ast, types.ObjectOf(false), nil)
		where, got := "", ""
		for _, m := range types.Compare(s, shape) {
			if m.Certainty == types.Certain {
				where, got = strings.Join(m.Path, "/"), strings.TrimSpace(string(m.Kind)+" "+m.Name)
				break
			}
		}
		if where != tt.where || got != tt.got {
			t.Errorf("%s: at %q %q, want at %q %q", tt.src, where, got, tt.where, tt.got)
		}
	}
}
