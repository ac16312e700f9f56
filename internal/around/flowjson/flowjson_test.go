package flowjson_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/around/flowjson"
)

const definition = `{
  "id": "wf-1", "name": "My first workflow!", "description": "Checks", "workflowType": "tools/call",
  "nodes": [
    {"id": "start-1", "type": "start", "position": {"x": 10.5, "y": -3}, "data": {"label": "Start"}, "deletable": false},
    {"id": "h 1", "type": "hook", "position": {"x": 1e2, "y": 0}, "data": {"label": "Check\nthis", "hook": {"id": "hook-a", "script": "return {continue: true};\n// 'é'", "blocking": true}, "colour": "red"}},
    {"id": "log", "type": "hook", "position": {"x": 0, "y": 0, "z": 1}, "data": {"hook": {"id": "hook-b", "script": "console.log(1)", "blocking": false, "note": null}}},
    {"id": "call", "type": "mcp-call", "position": {"x": 0, "y": 0}, "data": {"label": ""}},
    {"id": "end-1", "type": "end", "position": {"x": 0, "y": 0}, "data": {"label": "End"}, "deletable": true}
  ],
  "edges": [
    {"id": "e1", "source": "start-1", "target": "log"},
    {"id": "e2", "source": "start-1", "target": "h 1", "sourceHandle": "out", "targetHandle": null},
    {"id": "e3", "source": "h 1", "target": "call"},
    {"id": "e4", "source": "call", "target": "end-1"}
  ],
  "enabled": false, "createdAt": 1700000000000, "updatedAt": 1700000000001, "version": {"major": 1}
}`

func TestRoundTrip(t *testing.T) {
	name, text, fault := flowjson.Read(definition, engine.NameFrom)
	if fault != nil {
		t.Fatal(fault)
	}
	doc, found := graph.Parse("w.yaml", text)
	if doc == nil || found.HasErrors() {
		t.Fatalf("%v\n%s", found, text)
	}
	plan, faults := engine.Compile(doc, "", engine.Env{})
	if plan == nil || len(faults) > 0 {
		t.Fatalf("%v\n%s", faults, text)
	}
	if w := plan.Workflow(); !w.Disabled || name != "My_first_workflow" {
		t.Errorf("%s %+v", name, w)
	}
	back, fault := flowjson.Write(doc.Tools()[0], name, 0)
	if fault != nil {
		t.Fatal(fault)
	}
	var was, is any
	_ = json.Unmarshal([]byte(definition), &was)
	if err := json.Unmarshal(back, &is); err != nil || !reflect.DeepEqual(was, is) {
		t.Errorf("%v\n%s", err, back)
	}
	name, again, fault := flowjson.Read(string(back), engine.NameFrom)
	if fault != nil || name != "My_first_workflow" || string(again) != string(text) {
		t.Errorf("read again:\n%s", again)
	}
}

func TestNativeWorkflow(t *testing.T) {
	doc, _ := graph.Parse("w.yaml", `name: w
workflow: {on: tools/list, match: {client: a}, priority: 3}
nodes:
  - {id: start, type: start, next: call}
  - {id: call, type: mcp-call, next: h}
  - {id: h, type: hook, hook: {module: redact}, next: end}
  - {id: end, type: end}
`)
	b, fault := flowjson.Write(doc.Tools()[0], "w", 5)
	if fault != nil {
		t.Fatal(fault)
	}
	name, text, fault := flowjson.Read(string(b), engine.NameFrom)
	if fault != nil || name != "w" || !strings.Contains(string(text), "module: redact") || !strings.Contains(string(text), "priority: 3") {
		t.Errorf("%v\n%s\n%s", fault, b, text)
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	for _, node := range []string{"{id: x, type: transform}", "{id: x, type: hook, hook: {expr: a}}"} {
		doc, _ := graph.Parse("w.yaml", "workflow: {on: tools/call}\nnodes: ["+node+"]\n")
		if _, fault := flowjson.Write(doc.Tools()[0], "w", 0); fault == nil || fault.Code != "not-exportable" {
			t.Errorf("%s: %v", node, fault)
		}
	}
}

func TestWhatIsNotADefinition(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `{"nodes":[]}`, `{"name":"!","workflowType":"tools/call","nodes":[],"edges":[]}`} {
		if _, _, fault := flowjson.Read(text, engine.NameFrom); fault == nil || fault.Code != "bad-definition" {
			t.Errorf("%q: %v", text, fault)
		}
	}
}

// TestBlockingHooksAreOnThePath: an edge that would make a blocking hook run beside the
// call, or that leads out of the end, is refused.
func TestBlockingHooksAreOnThePath(t *testing.T) {
	nodes := `{"name":"w","workflowType":"tools/call","nodes":[{"id":"s","type":"start"},{"id":"m","type":"mcp-call"},{"id":"e","type":"end"},
		{"id":"h","type":"hook","data":{"hook":{"script":"return {}"}}},{"id":"f","type":"hook","data":{"hook":{"script":"return {}","blocking":false}}}],"edges":[`
	for _, test := range []struct{ edges, says string }{
		{"s>m m>e m>h h>e", `the edges "m" -> "e" and "h" -> "e" both lead to "e", and an end has a single input and no output`},
		{"s>m m>e m>e", `both lead to "e"`},
		{"s>m m>e e>h", `the edge "e" -> "h" leads out of "e"`},
		{"s>m s>h h>m m>e", `edges lead from "s" to "m" and to "h", a blocking hook`},
		{"s>m m>e m>h", `edges lead from "m" to "e" and to "h", a blocking hook`},
		{"s>m m>h h>e", ""},
		{"s>m m>h h>e m>f", ""},
	} {
		var edges []string
		for edge := range strings.FieldsSeq(test.edges) {
			edges = append(edges, `{"source":"`+edge[:1]+`","target":"`+edge[2:]+`"}`)
		}
		_, _, fault := flowjson.Read(nodes+strings.Join(edges, ",")+"]}", engine.NameFrom)
		if test.says == "" && fault != nil || test.says != "" && (fault == nil || !strings.Contains(fault.Message, test.says)) {
			t.Errorf("%s: %v", test.edges, fault)
		}
	}
}
