package mcpserver

import (
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// Clients have the tools for debugging only if the operator wants them to.
func TestDebugTools(t *testing.T) {
	without, with := connect(t, options{}), connect(t, options{debug: true})
	var tools []string
	for _, o := range app.Operations() {
		if o.Debug {
			tools = append(tools, o.Tool)
		}
	}
	if want := []string{"debug_run", "debug_list", "debug_continue", "debug_evaluate"}; !slices.Equal(tools, want) {
		t.Fatalf("the tools are %q, want %q", tools, want)
	}
	for _, name := range tools {
		if named(without.list(), name) || !named(with.list(), name) {
			t.Errorf("%s: listed %t, with --debug-tools %t", name, named(without.list(), name), named(with.list(), name))
		}
		if strings.Contains(without.instructions, name) {
			t.Errorf("the instructions name %s: %s", name, without.instructions)
		}
	}
	r := with.call("debug_run", `{"graph":"nodes: [{id: entry, type: entry, next: a}, {id: a, type: transform, transform: {expr: '1'}, next: exit}, {id: exit, type: exit}]","breakpoints":["a"]}`)
	if r.text("status") != "paused" || !strings.Contains(r.Text, `"step":"a#0"`) {
		t.Fatalf("the run is %s", r.Text)
	}
	if r := with.call("debug_continue", `{"run_id":"`+r.text("run_id")+`"}`); r.text("status") != "succeeded" {
		t.Errorf("then it is %s", r.Text)
	}
}
