package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

const editable = `name: sum # the tool
description: Adds
inputSchema: {type: object, properties: {a: {type: number}}, required: [a]}
outputSchema: {type: object}
nodes:
  # where it starts
  - {id: entry, type: entry, next: add}
  - id: add   # the work
    type: transform
    transform: {expr: '{"n": $.entry.a + 1}'}
    next: choose
  - id: choose
    type: switch
    conditions:
      - {rule: {">": [{var: $.add.n}, 3]}, next: exit}
    next: add
  - {id: exit, type: exit, result: {expr: '$.add'}}
`

func editGraph(t *testing.T, pb *app.App, in library.EditInput, ops string) (*library.EditResult, string) {
	t.Helper()
	if err := json.Unmarshal([]byte(ops), &in.Ops); err != nil {
		t.Fatal(err)
	}
	r, fault := pb.Edit(t.Context(), in)
	if fault != nil {
		return nil, fault.Code + " " + fault.Path + ": " + fault.Message
	}
	return r, ""
}

func TestEditKeepsCommentsAndRenamesReferences(t *testing.T) {
	pb := app.New(app.Options{})
	r, fault := editGraph(t, pb, library.EditInput{GraphInput: plans.FromText("g", editable, "")}, `[
		{"op": "rename_node", "id": "add", "new_id": "add-one"},
		{"op": "insert_between", "from": "entry", "to": "add-one", "node": {"id": "log", "type": "transform", "transform": {"expr": "$.entry"}}},
		{"op": "connect", "from": "choose", "to": "exit", "branch": "default"},
		{"op": "update_node", "id": "exit", "set": {"result.expr": "$.`+"`add-one`"+`.n"}},
		{"op": "set", "path": "description", "value": "Adds one"},
		{"op": "set", "path": "/inputSchema/properties/b", "value": {"type": "string"}}
	]`)
	if fault != "" {
		t.Fatal(fault)
	}
	if !r.Valid {
		t.Errorf("not valid: %s\n%s", r.Errors[0].Message, r.Source)
	}
	want := `name: sum # the tool
description: Adds one
inputSchema: {type: object, properties: {a: {type: number}, b: {type: string}}, required: [a]}
outputSchema: {type: object}
nodes:
  # where it starts
  - {id: entry, type: entry, next: log}
  - {id: log, type: transform, transform: {expr: $.entry}, next: add-one}
  - id: add-one   # the work
    type: transform
    transform: {expr: '{"n": $.entry.a + 1}'}
    next: choose
  - id: choose
    type: switch
    conditions:
      - {rule: {">": [{var: $.` + "`add-one`" + `.n}, 3]}, next: exit}
    next: exit
  - {id: exit, type: exit, result: {expr: $.` + "`add-one`" + `.n}}
`
	if diff := cmp.Diff(want, r.Source); diff != "" {
		t.Errorf("the edited text (-want +got):\n%s", diff)
	}
	if !strings.Contains(r.Diff, "+description: Adds one") || r.Draft == "" || !strings.HasPrefix(r.Flow, "entry -> log{…} -> add-one") {
		t.Errorf("diff, draft or flow: %+v", r)
	}
}

func TestEditIsAtomicAndTellsWhatIsWrong(t *testing.T) {
	pb := app.New(app.Options{})
	in := library.EditInput{GraphInput: plans.FromText("g", editable, "")}
	tests := []struct{ ops, want string }{
		{`[]`, "bad-argument /ops: ops is empty"},
		{`[{"op": "renam_node"}]`, `bad-argument /ops/0/op: unknown op "renam_node"`},
		{`[{"op": "remove_node", "id": "choose"}, {"op": "connect", "from": "ad", "to": "exit"}]`, `bad-argument /ops/1/from: the graph has no node "ad"`},
		{`[{"op": "add_node", "node": {"id": "add", "type": "exit"}}]`, `bad-argument /ops/0/node/id: the graph has a node "add" already`},
		{`[{"op": "insert_between", "from": "entry", "to": "exit", "node": {"id": "x"}}]`, `bad-argument /ops/0/to: no edge leads from "entry" to "exit"`},
		{`[{"op": "update_node", "id": "add", "set": {"id": "b"}}]`, "bad-argument /ops/0/set/id: an id is not changed by update_node"},
		{`[{"op": "connect", "from": "choose", "to": "exit", "branch": "7"}]`, `bad-argument /ops/0/branch: "choose" has 1 conditions`},
	}
	for _, tt := range tests {
		if _, fault := editGraph(t, pb, in, tt.ops); fault != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.ops, fault, tt.want)
		}
	}
}

func TestEditOfASavedGraph(t *testing.T) {
	graphs, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pb := app.New(app.Options{Graphs: graphs})
	saved, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.FromText("g", editable, "")})
	if fault != nil || saved.Failed() {
		t.Fatal(fault, saved)
	}
	const ops = `[{"op": "connect", "from": "choose", "to": "exit", "branch": "default"}]`
	dry, _ := editGraph(t, pb, library.EditInput{Saved: "sum", DryRun: true}, ops)
	if now, _ := graphs.Get("sum"); now.Revision != saved.Revision || dry.Saved {
		t.Error("a dry run changed the saved graph")
	}
	wet, _ := editGraph(t, pb, library.EditInput{Saved: "sum", Revision: saved.Revision}, ops)
	if !wet.Saved || wet.Diff != dry.Diff || wet.Valid != dry.Valid {
		t.Errorf("dry run and edit differ: %+v, %+v", dry, wet)
	}
	if _, fault := editGraph(t, pb, library.EditInput{Saved: "sum", Revision: saved.Revision}, ops); !strings.HasPrefix(fault, "stale-revision") {
		t.Errorf("a stale revision: %q", fault)
	}
	if r, _ := editGraph(t, pb, library.EditInput{Saved: "sum"}, `[{"op": "remove_node", "id": "exit"}]`); r.Valid || r.Saved {
		t.Error("an invalid edit was saved")
	}
}

// An edit of a saved graph does not publish what clients refuse, as saving does not:
// only where the graph is not a tool of the server.
func TestEditRefusesWhatClientsRefuse(t *testing.T) {
	graphs, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pb := app.New(app.Options{Graphs: graphs})
	no := false
	for name, expose := range map[string]*bool{"listed": nil, "hidden": &no} {
		saved, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.FromText("g", editable, ""), As: name, Expose: expose})
		if fault != nil || saved.Failed() {
			t.Fatal(fault, saved)
		}
	}
	const ops = `[{"op": "set", "path": "/inputSchema", "value": {"type": "object", "definitions": {"n": {"type": "number"}}, "properties": {"n": {"$ref": "#/definitions/n"}}}}]`
	before, _ := graphs.Get("listed")
	r, fault := editGraph(t, pb, library.EditInput{Saved: "listed"}, ops)
	if fault != "" || !r.Valid || r.Saved || r.Error == nil || r.Error.Code != "unpublishable-tool" || !strings.Contains(r.Error.Hint, r.Draft) {
		t.Fatalf("%s %+v %v", fault, r, r.Error)
	}
	if now, _ := graphs.Get("listed"); now.Revision != before.Revision {
		t.Error("a refused edit was saved")
	}
	if refused := pb.Refused(t.Context(), "listed"); len(refused) > 0 {
		t.Errorf("refused: %v", refused)
	}
	if r, fault := editGraph(t, pb, library.EditInput{Saved: "hidden"}, ops); fault != "" || !r.Saved {
		t.Errorf("an edit of a graph that is not published: %s %+v", fault, r)
	}
	if refused := pb.Refused(t.Context(), "hidden"); len(refused) > 0 {
		t.Errorf("refused, though it is not published: %v", refused)
	}
}
