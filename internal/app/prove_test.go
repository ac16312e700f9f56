package app

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// A draft is proven if its calls are those recorded, in their order and with their
// arguments, and its result is that of the last; each departure is a difference.
func TestProve(t *testing.T) {
	pb := New(Options{Servers: []downstream.Server{}})
	defer pb.Close()
	decoded := func(text string) expr.Value {
		v, err := expr.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	call := func(tool, arguments, result string) drafting.Call {
		object, _ := decoded(arguments).(expr.Object)
		return drafting.Call{Callee: drafting.Callee{Server: "s", Tool: tool}, Arguments: object, Result: decoded(result)}
	}
	recorded := []drafting.Call{call("find", `{"n":1}`, `{"id":"x"}`), call("get", `{"id":"x"}`, `"found"`)}
	for _, tt := range []struct{ name, find, get, exit, want string }{
		{"the same", "tool: find, args: {n: 1}", "tool: get, args: {id: {expr: $.find.id}}", "", ""},
		{"another notation", "tool: find, args: {n: 1.0}", "tool: get, args: {id: {expr: $.find.id}}", "", ""},
		{"other arguments", "tool: find, args: {n: 1}", "tool: get, args: {id: {expr: '$.find.id & \"y\"'}}", "", `has other arguments {"id":"x"} {"id":"xy"}`},
		{"another tool", "tool: look, args: {n: 1}", "tool: get, args: {id: x}", "", "is another call s/find s/look"},
		{"another result", "tool: find, args: {n: 1}", "tool: get, args: {id: x}", ", result: 7", `result is different "found" 7`},
		{"more calls", "tool: find, args: {n: 1}", "tool: get, args: {id: x}, foreach: {items: [1, 2]}", "", "not-recorded: the draft makes more calls than the recording: s/get"},
		{"fewer calls", "tool: find, args: {n: 1}", "tool: get, args: {id: x}, foreach: {items: []}", "", "s/get did not happen"},
	} {
		doc, _ := graph.Parse("proof", `
nodes:
  - {id: entry, type: entry, next: find}
  - {id: find, type: mcp, server: s, `+tt.find+`, next: get}
  - {id: get, type: mcp, server: s, `+tt.get+`, next: exit}
  - {id: exit, type: exit`+tt.exit+`}
`)
		d := &drafting.Draft{Proof: graph.Members{{Key: "nodes", Value: json.RawMessage(doc.Root.Get("nodes").JSON())}}, Arguments: expr.NewObject(), Result: decoded(`"found"`)}
		found, fault := pb.Prove(t.Context(), d, recorded)
		if fault != nil {
			t.Errorf("%s: %v", tt.name, fault)
			continue
		}
		var got []string
		for _, f := range found {
			got = append(got, strings.Join([]string{f.Step, f.What, f.Recorded, f.Replayed}, " "))
		}
		if all := strings.Join(got, "\n"); !strings.Contains(all, tt.want) || (tt.want == "") != (all == "") {
			t.Errorf("%s: %s", tt.name, all)
		}
	}
}
