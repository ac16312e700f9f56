package edit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/graph/edit"
)

const portGraph = `nodes:
  - {id: start, type: T, subtype: S, next: [agent, {node: log, port: main}]}
  - {id: lookup, type: T, subtype: S, next: {node: agent, port: tools}}
  - id: agent
    type: T
    subtype: S
    next: {main: {node: log, port: main}, error: [log, {port: failures, node: mail}]}
  - {id: log, type: T, subtype: S}
  - {id: mail, type: T, subtype: S}
`

// TestEdgesWithPorts reads every edge of nodes with ports.
func TestEdgesWithPorts(t *testing.T) {
	doc, found := graph.Parse("g", portGraph)
	if found.HasErrors() {
		t.Fatal(found)
	}
	var got []string
	for _, n := range doc.Tools()[0].Nodes {
		for e := range n.Edges() {
			got = append(got, strings.TrimSuffix(n.ID.Text()+" ["+e.Label+"] "+e.Target.Text()+":"+e.Port.Text()+" "+e.Whole().Path(), "/"))
		}
	}
	want := []string{
		"start [] agent: /nodes/0/next/0", "start [] log:main /nodes/0/next/1",
		"lookup [] agent:tools /nodes/1/next",
		"agent [main] log:main /nodes/2/next/main", "agent [error] log: /nodes/2/next/error/0", "agent [error] mail:failures /nodes/2/next/error/1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestEditsKnowPorts(t *testing.T) {
	for _, tc := range []struct {
		name, op string
		want     []string // lines of the text afterwards
	}{
		{"rename", `{"op": "rename_node", "id": "log", "new_id": "audit"}`, []string{
			"next: [agent, {node: audit, port: main}]}", "next: {main: {node: audit, port: main}, error: [audit, {port: failures, node: mail}]}", "{id: audit, type: T",
		}},
		{"connect to a port", `{"op": "connect", "from": "lookup", "to": "mail", "port": "main"}`, []string{"{id: lookup, type: T, subtype: S, next: {node: mail, port: main}}"}},
		{"connect from a port", `{"op": "connect", "from": "agent", "to": "mail", "branch": "main"}`, []string{"next: {main: mail, error: [log"}},
		{"connect from a further port", `{"op": "connect", "from": "agent", "to": "mail", "branch": "other", "port": "main"}`, []string{"other: {node: mail, port: main}"}},
		{"connect from the first port", `{"op": "connect", "from": "log", "to": "mail", "branch": "done"}`, []string{"{id: log, type: T, subtype: S, next: {done: mail}}"}},
		{"remove", `{"op": "remove_node", "id": "lookup"}`, []string{"{id: start, type: T, subtype: S, next: [agent, {node: log, port: main}]}"}},
		{"insert between", `{"op": "insert_between", "from": "lookup", "to": "agent", "node": {"id": "guard", "type": "T", "subtype": "S"}}`, []string{
			"{id: lookup, type: T, subtype: S, next: guard}", "{id: guard, type: T, subtype: S, next: {node: agent, port: tools}}",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var op edit.Op
			if err := json.Unmarshal([]byte(tc.op), &op); err != nil {
				t.Fatal(err)
			}
			e, fault := edit.New("g", portGraph, "")
			if fault != nil {
				t.Fatal(fault)
			}
			if fault := e.Apply(op); fault != nil {
				t.Fatal(fault)
			}
			text, fault := e.Text()
			if fault != nil {
				t.Fatal(fault)
			}
			for _, line := range tc.want {
				if !strings.Contains(text, line) {
					t.Errorf("no %s in\n%s", line, text)
				}
			}
		})
	}
	e, _ := edit.New("g", portGraph, "")
	if fault := e.Apply(edit.Op{Op: "connect", From: "agent", To: "mail"}); fault == nil || fault.Hint != "the output ports are error, main" {
		t.Errorf("connecting one of several ports: %v", fault)
	}
}

// A removed node hands its edge on: what led to it leads to the port that it led to.
func TestRemoveNodeKeepsPorts(t *testing.T) {
	e, _ := edit.New("g", "nodes:\n  - {id: a, type: T, subtype: S, next: {out: {node: b, port: in}}}\n  - {id: b, type: T, subtype: S, next: {out: {node: c, port: tools}}}\n  - {id: c, type: T, subtype: S}\n", "")
	if fault := e.Apply(edit.Op{Op: "remove_node", ID: "b"}); fault != nil {
		t.Fatal(fault)
	}
	if text, fault := e.Text(); fault != nil || !strings.Contains(text, "next: {out: {node: c, port: tools}}") || strings.Contains(text, "id: b") {
		t.Errorf("%v\n%s", fault, text)
	}
}

// TestFormatOrdersPorts writes node before port.
func TestFormatOrdersPorts(t *testing.T) {
	text, err := graph.Canonical("g", portGraph, func(string) []string { return nil })
	if err != nil || !strings.Contains(text, "{node: mail, port: failures}") {
		t.Errorf("%v\n%s", err, text)
	}
}
