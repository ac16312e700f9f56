package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// shopText is a document of two tools, of which the first calls the second.
const shopText = `# Prices of the shop.
version: "1.0"
tools:
  - name: order
    description: Total of an order
    inputSchema: {type: object, properties: {lines: {type: array, items: {type: number}}}, required: [lines]}
    outputSchema: {type: object, properties: {total: {type: number}}, required: [total]}
    nodes:
      - {id: entry, type: entry, next: lines}
      - {id: lines, type: graph, graph: line, args: {price: {expr: $item}}, foreach: {items: {expr: $.entry.lines}}, next: exit}
      - {id: exit, type: exit, result: {expr: '{"total": $sum($.lines.price)}'}}
  - name: line
    description: Price of a line
    inputSchema: {type: object, properties: {price: {type: number}}, required: [price]}
    outputSchema: {type: object, properties: {price: {type: number}}, required: [price]}
    nodes:
      - {id: entry, type: entry, next: exit}
      - {id: exit, type: exit, result: {expr: '{"price": $.entry.price * 2}'}}
`

func saving(t *testing.T) *app.App {
	t.Helper()
	graphs, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return started(t, app.Options{Graphs: graphs})
}

func saved(t *testing.T, pb *app.App, in library.SaveInput) *library.SaveResult {
	t.Helper()
	r, fault := pb.Save(t.Context(), in)
	if fault != nil || r.Failed() {
		t.Fatalf("%v, %+v", fault, r)
	}
	return r
}

// A document is saved as one file with all its tools: each is a tool of the server and
// a node, and the file is named after the first.
func TestADocumentIsSavedWithAllItsTools(t *testing.T) {
	pb := saving(t)
	r := saved(t, pb, library.SaveInput{GraphInput: plans.FromText("shop.yaml", shopText, "")})
	if r.Name != "order" || strings.Join(r.Tools, " ") != "order line" || !r.Exposed || !strings.Contains(r.HowToCall, "order or line") {
		t.Errorf("%+v", r)
	}
	var published []string
	for _, tool := range pb.GraphTools.List() {
		published = append(published, tool.Name)
	}
	if diff := cmp.Diff([]string{"order", "line"}, published); diff != "" {
		t.Error(diff)
	}
	for name, call := range map[string][2]string{"order": {`{"lines":[1,2]}`, `{"total":6}`}, "line": {`{"price":4}`, `{"price":8}`}} {
		if ran, fault := pb.CallGraph(t.Context(), name, json.RawMessage(call[0])); fault != nil || string(ran.Result) != call[1] {
			t.Errorf("the tool %s: %v, %+v", name, fault, ran)
		}
		if ran, fault := pb.Run(t.Context(), execution.RunInput{Saved: name, Arguments: json.RawMessage(call[0])}); fault != nil || string(ran.Result) != call[1] {
			t.Errorf("run_graph %s: %v, %+v", name, fault, ran)
		}
		got, fault := pb.GetGraph(t.Context(), library.GetGraphInput{Name: name})
		if fault != nil || got.Name != "order" || got.Graph != shopText || strings.Join(got.Tools, " ") != "order line" {
			t.Errorf("get_graph %s: %v, %+v", name, fault, got)
		}
	}
	if list, fault := pb.Graphs(t.Context(), library.GraphsInput{}); fault != nil || len(list.Graphs) != 1 || len(list.Graphs[0].Tools) != 2 {
		t.Errorf("%v, %+v", fault, list)
	}
	if found := plans.SavedFaults(t.Context(), pb.Plans, "order"); len(found) > 0 {
		t.Error(found)
	}
	if _, fault := pb.Delete(t.Context(), library.DeleteInput{Name: "line"}); fault == nil || !strings.Contains(fault.Hint, `"order"`) {
		t.Errorf("a tool of a document is deleted by itself: %v", fault)
	}
	if _, fault := pb.Delete(t.Context(), library.DeleteInput{Name: "order"}); fault != nil || len(pb.GraphTools.List()) > 0 {
		t.Errorf("%v, still published: %v", fault, pb.GraphTools.List())
	}
}

// The file is named after the tool that the call chooses, or gets the name that it
// gives; nodes that call a renamed tool follow.
func TestTheNameOfASavedDocument(t *testing.T) {
	for name, c := range map[string]struct {
		tool, as, file, tools, order string
	}{
		"tool":          {"line", "", "line", "line order", "order"},
		"name of a one": {"", "line", "line", "line order", "order"},
		"another name":  {"", "bill", "bill", "bill line", "bill"},
		"both":          {"line", "price", "price", "price order", "order"},
	} {
		t.Run(name, func(t *testing.T) {
			pb := saving(t)
			r := saved(t, pb, library.SaveInput{GraphInput: plans.FromText("shop.yaml", shopText, c.tool), As: c.as})
			if r.Name != c.file || strings.Join(r.Tools, " ") != c.tools {
				t.Errorf("%+v", r)
			}
			if ran, fault := pb.CallGraph(t.Context(), c.order, json.RawMessage(`{"lines":[1,2]}`)); fault != nil || string(ran.Result) != `{"total":6}` {
				t.Errorf("%v, %+v", fault, ran)
			}
		})
	}
}

// A document sent as JSON is saved as YAML, whole.
func TestADocumentOfJSONIsSaved(t *testing.T) {
	pb := saving(t)
	text := `{"version":"1.0","tools":[{"name":"a","description":"A","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"nodes":[{"id":"entry","type":"entry","next":"b"},{"id":"b","type":"graph","graph":"b","next":"exit"},{"id":"exit","type":"exit"}]},
		{"name":"b","description":"B","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit","result":{"expr":"{\"b\": 1}"}}]}]}`
	saved(t, pb, library.SaveInput{GraphInput: plans.GraphInput{Graph: json.RawMessage(text)}, As: "c"})
	if ran, fault := pb.CallGraph(t.Context(), "c", json.RawMessage(`{}`)); fault != nil || string(ran.Result) != `{"b":1}` {
		t.Errorf("%v, %+v", fault, ran)
	}
	if got, fault := pb.GetGraph(t.Context(), library.GetGraphInput{Name: "c"}); fault != nil || strings.HasPrefix(got.Graph, "{") || len(got.Tools) != 2 {
		t.Errorf("%v, %+v", fault, got)
	}
}

// Names are said that would mean two tools, and every tool of a document must be
// complete.
func TestDocumentsThatCannotBeSaved(t *testing.T) {
	pb := saving(t)
	saved(t, pb, library.SaveInput{GraphInput: plans.FromText("shop.yaml", shopText, "")})
	for name, c := range map[string]struct {
		in         library.SaveInput
		code, said string
	}{
		"a tool of another document":    {library.SaveInput{GraphInput: plans.FromText("x", strings.Replace(shopText, "name: order", "name: invoice", 1), "")}, "name-taken", `"line" is a tool of the saved graph "order"`},
		"the name of a tool of another": {library.SaveInput{GraphInput: plans.FromText("x", strings.Replace(shopText, "name: line", "name: item", 1), "item"), As: "line"}, "name-taken", `"line"`},
		"an incomplete second tool":     {library.SaveInput{GraphInput: plans.FromText("x", strings.Replace(shopText, "    description: Price of a line\n", "", 1), ""), Overwrite: true}, "incomplete-tool", `description of "line"`},
		"a fault in the second tool":    {library.SaveInput{GraphInput: plans.FromText("x", strings.Replace(shopText, "$.entry.price", "$.entri.price", 1), ""), Overwrite: true}, "unknown-node-reference", "entri"},
		"a tool that is not there":      {library.SaveInput{GraphInput: plans.FromText("x", shopText, "teleport"), Overwrite: true}, "no-such-tool", "teleport"},
	} {
		t.Run(name, func(t *testing.T) {
			r, fault := pb.Save(t.Context(), c.in)
			text, err := json.Marshal([]any{r, fault})
			said := strings.ReplaceAll(string(text), `\"`, `"`)
			if err != nil || fault == nil && !r.Failed() || !strings.Contains(said, c.code) || !strings.Contains(said, c.said) {
				t.Errorf("want %s, %s: %s", c.code, c.said, said)
			}
		})
	}
}

// An edit of a tool of a saved document changes its file, and keeps the others.
func TestAToolOfASavedDocumentIsEdited(t *testing.T) {
	pb := saving(t)
	saved(t, pb, library.SaveInput{GraphInput: plans.FromText("shop.yaml", shopText, "")})
	var in library.EditInput
	if err := json.Unmarshal([]byte(`{"name":"line","ops":[{"op":"update_node","id":"exit","set":{"result.expr":"{\"price\": $.entry.price * 3}"}}]}`), &in); err != nil {
		t.Fatal(err)
	}
	if r, fault := pb.Edit(t.Context(), in); fault != nil || !r.Saved {
		t.Fatalf("%v, %+v", fault, r)
	}
	if ran, fault := pb.CallGraph(t.Context(), "order", json.RawMessage(`{"lines":[1,2]}`)); fault != nil || string(ran.Result) != `{"total":9}` {
		t.Errorf("%v, %+v", fault, ran)
	}
	if list, _ := pb.Graphs(t.Context(), library.GraphsInput{}); len(list.Graphs) != 1 {
		t.Errorf("%+v", list)
	}
}

// What a run can do with one graph it can do with a document: dry runs, resumption
// with a corrected document, replays and tests.
func TestRunsOfDocuments(t *testing.T) {
	pb := saving(t)
	in := func(text string) plans.GraphInput { return plans.FromText("shop.yaml", text, "order") }
	dry, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: in(shopText), Arguments: json.RawMessage(`{"lines":[1,2]}`), Mode: "dry_run"})
	if fault != nil || string(dry.Result) != `{"total":6}` {
		t.Errorf("dry run: %v, %+v", fault, dry)
	}
	broken := strings.Replace(shopText, `"price": $.entry.price * 2`, `"price": $.entry.price = 2 ? $error("no price") : $.entry.price * 2`, 1)
	failed, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: in(broken), Arguments: json.RawMessage(`{"lines":[1,2]}`)})
	if fault != nil || failed.Status != "failed" || !strings.Contains(failed.Error.Message, `graph "line" failed in its node "exit"`) {
		t.Fatalf("%v, %+v", fault, failed)
	}
	resumed, fault := pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: failed.RunID, Decision: "retry", File: in(shopText)})
	if fault != nil || string(resumed.Result) != `{"total":6}` {
		t.Fatalf("resumed: %v, %+v", fault, resumed)
	}
	again, fault := pb.ReplayRun(t.Context(), execution.ReplayRunInput{RunID: failed.RunID})
	if fault != nil || !again.Same || again.Steps != resumed.NodeExecutions {
		t.Errorf("replayed: %v, %+v", fault, again)
	}
	tests := execution.TestInput{Name: "shop.test.yaml", Read: func(string) (string, error) { return shopText, nil }, Text: "- {name: both, tool: order, arguments: {lines: [1, 2]}, result: {total: 6}}\n- {name: one, tool: line, arguments: {price: 4}, result: {price: 8}}\n"}
	for _, r := range pb.Tests.Run(t.Context(), tests) {
		if !r.Passed {
			t.Errorf("%s: %v, %v", r.Name, r.Error, r.Differences)
		}
	}
}
