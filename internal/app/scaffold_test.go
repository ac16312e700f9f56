package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/run"
)

const shop = `
tools:
  shop/find_user: {type: object, properties: {email: {type: string, description: address of the user}}, required: [email]}
  shop/get_cart: {type: object, properties: {user_id: {type: string}, currency: {type: string}}, required: [user_id]}
  shop/pay: {type: object, properties: {user_id: {type: integer}, total: {type: number}, address: {type: object}, note: {type: string}}, required: [user_id, total, address, note]}
  shop/notify: {type: object, properties: {email: {type: string}, state: {type: string, enum: [paid, open]}}, required: [email, state]}
outputs:
  shop/find_user: {type: object, required: [user], properties: {user: {type: object, required: [id], properties: {id: {type: string}, name: {type: string}}}, email: {type: string}}}
  shop/get_cart: {type: object, properties: {total: {type: number}, items: {type: array, items: {type: object}}, state: {type: string}}}
calls:
  - {tool: shop/find_user, arguments: {}, structured: {user: {id: u_1, name: Ada}, email: a@example.com}}
  - {tool: shop/get_cart, arguments: {}, structured: {total: 30, items: [], state: open}}
`

func scaffolded(t *testing.T, pb *app.App, ids ...string) *library.EditResult {
	t.Helper()
	r, fault := pb.Edit(t.Context(), library.EditInput{Scaffold: ids})
	if fault != nil {
		t.Fatal(fault)
	}
	return r
}

// A scaffold is a draft of the nodes in their order. Required arguments are wired where a
// name and a type fit; the others are placeholders, which the reply lists.
func TestScaffold(t *testing.T) {
	task := readTask(t, shop)
	pb := task.start(t)
	r := scaffolded(t, pb, "mcp:shop/find_user", "mcp:shop/get_cart", "mcp:shop/pay", "shop/notify")
	const want = `nodes:
  - {id: entry, type: entry, next: find_user}
  - id: find_user
    type: mcp
    server: shop
    tool: find_user
    args: {email: {$placeholder: address of the user}}
    next: get_cart
  - id: get_cart
    type: mcp
    server: shop
    tool: get_cart
    args: {user_id: {expr: $.find_user.user.id}}
    next: pay
  - id: pay
    type: mcp
    server: shop
    tool: pay
    args:
      user_id: {$placeholder: 'user_id, integer'}
      total: {expr: $.get_cart.total}
      address: {$placeholder: 'address, object'}
      note: {$placeholder: 'note, string'}
    next: notify
  - id: notify
    type: mcp
    server: shop
    tool: notify
    args: {email: {expr: $.find_user.email}, state: {$placeholder: 'state, string'}}
    next: exit
  - {id: exit, type: exit}
`
	if r.Graph != want {
		t.Errorf("got\n%s", r.Graph)
	}
	if got := fmt.Sprint(r.Placeholders); got != "[{find_user email address of the user} {pay user_id } {pay address } {pay note } {notify state }]" {
		t.Errorf("placeholders %s", got)
	}
	if r.Draft == "" || len(r.Errors) > 0 || !strings.Contains(r.Hint, `{"op": "update_node", "id": "find_user", "set": {"args.email": "VALUE"}}`) {
		t.Errorf("%+v", r)
	}
}

// With its placeholders filled in, a scaffold runs.
func TestScaffoldFilledIn(t *testing.T) {
	task := readTask(t, shop)
	pb := task.start(t)
	r := scaffolded(t, pb, "mcp:shop/find_user", "mcp:shop/get_cart")
	draft, _ := json.Marshal(r.Draft)
	in := execution.RunInput{GraphInput: plans.GraphInput{Graph: draft}}
	if refused, fault := pb.Run(t.Context(), in); fault != nil || refused.Status != "rejected" || refused.Diagnostics[0].Code != "unfilled-placeholder" {
		t.Fatalf("%v %+v", fault, refused)
	}
	filled, fault := editGraph(t, pb, library.EditInput{GraphInput: plans.GraphInput{Graph: draft}}, `[{"op": "update_node", "id": "find_user", "set": {"args.email": "a@example.com"}}]`)
	if fault != "" || !filled.Valid || len(filled.Warnings) > 0 {
		t.Fatalf("%s %+v", fault, filled)
	}
	in.Graph, _ = json.Marshal(filled.Draft)
	done, runFault := pb.Run(t.Context(), in)
	ran(t, done, runFault, run.Succeeded)
	if got := task.sent[1]; got != `{"user_id":"u_1"}` {
		t.Errorf("get_cart was sent %s", got)
	}
}

// What results of a tool without an output schema have looked like counts as well.
func TestScaffoldOfObservedResults(t *testing.T) {
	task := readTask(t, strings.Replace(shop, "outputs:\n", "outputs_unknown:\n", 1))
	pb := task.start(t)
	ids := []string{"mcp:shop/find_user", "mcp:shop/get_cart"}
	if r := scaffolded(t, pb, ids...); !strings.Contains(r.Graph, "{user_id: {$placeholder: 'user_id, string'}}") {
		t.Errorf("before a call\n%s", r.Graph)
	}
	if r, fault := pb.RunNode(t.Context(), execution.RunNodeInput{ID: ids[0], Arguments: json.RawMessage(`{"email":"a@example.com"}`)}); fault != nil || r.Failed() {
		t.Fatal(fault, r)
	}
	if r := scaffolded(t, pb, ids...); !strings.Contains(r.Graph, "{user_id: {expr: $.find_user.user.id}}") {
		t.Errorf("after a call\n%s", r.Graph)
	}
}

// Nodes of other types are those to copy, in the order given; entry and exit are there
// anyway; a node that comes twice gets an id of its own.
func TestScaffoldOfOtherNodes(t *testing.T) {
	task := readTask(t, shop)
	pb := task.start(t)
	saved, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.FromText("g", `
name: tax
description: Adds the tax
inputSchema: {type: object, properties: {total: {type: number}}, required: [total]}
outputSchema: {type: object, properties: {total: {type: number}}}
nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]
`, "")})
	if fault != nil || saved.Failed() {
		t.Fatal(fault, saved)
	}
	r := scaffolded(t, pb, "entry", "mcp:shop/get_cart", "graph:tax", "transform", "transform", "wait", "exit")
	if want := "entry -> get_cart(shop/get_cart) -> tax(graph/tax) -> transform{…} -> transform_2{…} -> wait(wait) -> exit"; !r.Valid || r.Flow != want {
		t.Errorf("%+v\n%s", r.Flow, r.Graph)
	}
	if !strings.Contains(r.Graph, "{id: tax, type: graph, graph: tax, args: {total: {expr: $.get_cart.total}}, next: transform}") {
		t.Error(r.Graph)
	}
	if r := scaffolded(t, pb, "parallel", "wait"); r.Valid || r.Errors[0].Code != "dangling-edge" || !strings.Contains(r.Graph, "join: wait") {
		t.Errorf("branches are to be named: %+v\n%s", r, r.Graph)
	}
}

// What cannot be a node is refused at its place.
func TestScaffoldThatIsRefused(t *testing.T) {
	task := readTask(t, shop)
	pb := task.start(t)
	for name, tt := range map[string]struct {
		in         library.EditInput
		code, path string
	}{
		"an unknown node": {library.EditInput{Scaffold: []string{"wait", "mcp:shop/fnd_user"}}, "unknown-node", "/scaffold/1"},
		"an idiom":        {library.EditInput{Scaffold: []string{"idiom:paging"}}, "bad-argument", "/scaffold/0"},
		"with a graph":    {library.EditInput{GraphInput: plans.FromText("g", editable, ""), Scaffold: []string{"wait"}}, "bad-argument", "/scaffold"},
		"too many":        {library.EditInput{Scaffold: make([]string, 51)}, "bad-argument", "/scaffold"},
	} {
		_, fault := pb.Edit(t.Context(), tt.in)
		if fault == nil || fault.Code != tt.code || fault.Path != tt.path {
			t.Errorf("%s: %v", name, fault)
		}
	}
}
