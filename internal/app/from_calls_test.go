package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/run"
)

const lendTask = `
tools:
  books/find: {type: object, properties: {title: {type: string}}, required: [title]}
  books/lend: {type: object, properties: {book_id: {type: string}, to: {type: string}}, required: [book_id, to]}
calls:
  - {tool: books/find, arguments: {title: Emma}, structured: {id: bk_815, title: Emma}}
  - {tool: books/lend, arguments: {book_id: bk_815, to: nobody}, error: nobody is not a reader}
  - {tool: books/lend, arguments: {book_id: bk_815, to: ada}, structured: {book_id: bk_815, until: "2026-05-01"}}
  - {tool: books/find, arguments: {title: Persuasion}, structured: {id: bk_900, title: Persuasion}}
  - {tool: books/lend, arguments: {book_id: bk_900, to: mary}, structured: {book_id: bk_900, until: "2026-06-01"}}
`

// A graph made of calls is saved and run: it makes the calls with other arguments.
func TestDraftOfCallsIsAGraph(t *testing.T) {
	task := readTask(t, lendTask)
	pb := task.start(t)
	ids := task.callFirst(t, pb, 3)
	made, fault := pb.Save(t.Context(), library.SaveInput{CallsInput: library.CallsInput{FromCalls: []string{ids[0], ids[2]}}})
	if fault != nil || made.Status != "draft" || !*made.Valid || !*made.Proven || made.Draft == "" {
		t.Fatalf("%v %+v", fault, made)
	}
	if string(made.Arguments) != `{"title":"Emma","to":"ada"}` || !strings.Contains(made.Graph, "book_id: {expr: $.find.id}") {
		t.Errorf("arguments %s\n%s", made.Arguments, made.Graph)
	}
	if made.Name != "" || made.Exposed || !strings.Contains(made.Hint, "name: …, description: …") {
		t.Errorf("%+v", made)
	}
	if _, fault := pb.GetGraph(t.Context(), library.GetGraphInput{Name: "lend_book"}); fault == nil {
		t.Error("the draft was saved")
	}
	draft, _ := json.Marshal(made.Draft)
	saved, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.GraphInput{Graph: draft}, As: "lend_book", CallsInput: library.CallsInput{Description: "Lends a book"}})
	if fault != nil || saved.Status != "saved" || saved.Name != "lend_book" {
		t.Fatalf("%v %+v", fault, saved)
	}
	task.Calls = task.Calls[3:]
	task.made = 0
	r, fault := pb.Run(t.Context(), execution.RunInput{Saved: "lend_book", Arguments: json.RawMessage(`{"title":"Persuasion","to":"mary"}`)})
	if r = ran(t, r, fault, run.Succeeded); string(r.Result) != `{"book_id":"bk_900","until":"2026-06-01"}` {
		t.Errorf("result %s", r.Result)
	}
	if got := task.sent[len(task.sent)-1]; got != `{"book_id":"bk_900","to":"mary"}` {
		t.Errorf("lend was sent %s", got)
	}
}

// With a name and a description, what is valid, proven and unambiguous is saved at once.
func TestDraftOfCallsIsSavedAtOnce(t *testing.T) {
	task := readTask(t, lendTask)
	pb := task.start(t)
	ids := task.callFirst(t, pb, 3)
	r, fault := pb.Save(t.Context(), library.SaveInput{As: "lend_book", CallsInput: library.CallsInput{FromCalls: []string{ids[0], ids[2]}, Description: "Lends a book"}})
	if fault != nil || r.Status != "saved" || !*r.Proven || r.Draft != "" || r.HowToCall == "" {
		t.Fatalf("%v %+v", fault, r)
	}
	got, fault := pb.GetGraph(t.Context(), library.GetGraphInput{Name: "lend_book"})
	if fault != nil || got.Graph != r.Graph {
		t.Errorf("%v\n%s", fault, got.Graph)
	}
	if _, fault := pb.Save(t.Context(), library.SaveInput{As: "run_node", CallsInput: library.CallsInput{FromCalls: ids[:1], Description: "Finds"}}); fault == nil || fault.Code != "name-taken" {
		t.Errorf("the name of a tool of ours: %v", fault)
	}
}

// last takes the calls that succeeded, in the order in which they were made, and says what
// it leaves out. Runs of graphs are not calls.
func TestLastCalls(t *testing.T) {
	task := readTask(t, lendTask)
	pb := task.start(t)
	ids := task.callFirst(t, pb, 3)
	if r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", `{name: run_node, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}`, "")}); fault != nil || r.Failed() {
		t.Fatal(fault, r)
	}
	r, fault := pb.Save(t.Context(), library.SaveInput{CallsInput: library.CallsInput{Last: 2}})
	if fault != nil || !*r.Proven || r.Flow != "entry -> find(books/find) -> lend(books/lend) -> exit" {
		t.Fatalf("%v %+v", fault, r)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "left out "+ids[1]+", a call of books/lend") {
		t.Errorf("notes %q", r.Notes)
	}
	if r, fault = pb.Save(t.Context(), library.SaveInput{CallsInput: library.CallsInput{Last: 9}}); fault != nil || !strings.Contains(strings.Join(r.Notes, "\n"), "only 2 calls that succeeded were found") {
		t.Errorf("%v %+v", fault, r)
	}
}

// What is not a call that succeeded is refused, with its place and what to do.
func TestFromCallsThatCannotBeKept(t *testing.T) {
	task := readTask(t, lendTask)
	pb := task.start(t)
	if _, fault := pb.Save(t.Context(), library.SaveInput{CallsInput: library.CallsInput{Last: 1}}); fault == nil || fault.Hint != "call tools with run_node first" {
		t.Errorf("without any call: %v", fault)
	}
	ids := task.callFirst(t, pb, 2)
	graphRun, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", "name: g\nnodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]", "")})
	if fault != nil {
		t.Fatal(fault)
	}
	for name, tt := range map[string]struct {
		in            library.CallsInput
		code, path    string
		message, hint string
	}{
		"a call that failed": {library.CallsInput{FromCalls: ids}, "bad-argument", "/from_calls/1", "the call " + ids[1] + " of books/lend did not succeed: it is failed", "last: N"},
		"a run of a graph":   {library.CallsInput{FromCalls: []string{ids[0], graphRun.RunID}}, "bad-argument", "/from_calls/1", "is not a call of one tool or saved graph", "run_node"},
		"an unknown run":     {library.CallsInput{FromCalls: []string{"run_01JAAAAAAAAAAAAAAAAAAAAAAA"}}, "unknown-run", "/from_calls/0", "", ""},
		"both":               {library.CallsInput{FromCalls: ids[:1], Last: 1}, "bad-argument", "/last", "both from_calls and last", "send one of them"},
		"too many":           {library.CallsInput{Last: 51}, "bad-argument", "/last", "expected 1 to 50", ""},
		"fewer than none":    {library.CallsInput{Last: -1}, "bad-argument", "/last", "expected 1 to 50", ""},
	} {
		_, fault := pb.Save(t.Context(), library.SaveInput{CallsInput: tt.in})
		if fault == nil {
			fault = &diag.Fault{}
		}
		if fault.Code != tt.code || fault.Path != tt.path || !strings.Contains(fault.Message, tt.message) || !strings.Contains(fault.Hint, tt.hint) {
			t.Errorf("%s: %s %s: %s (%s)", name, fault.Code, fault.Path, fault.Message, fault.Hint)
		}
	}
	if _, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.FromText("g", "nodes: []", ""), CallsInput: library.CallsInput{Last: 1}}); fault == nil || fault.Path != "/graph" {
		t.Errorf("with a graph: %v", fault)
	}
}

// A call of a saved graph becomes a node that calls it. The proof does not execute it.
func TestDraftOfCallsOfSavedGraphs(t *testing.T) {
	task := readTask(t, lendTask)
	pb := task.start(t)
	saved, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.FromText("g", `
name: find_id
description: Finds a book
inputSchema: {type: object, properties: {title: {type: string}}, required: [title]}
outputSchema: {type: object, properties: {found: {type: string}}}
nodes:
  - {id: entry, type: entry, next: find}
  - {id: find, type: mcp, server: books, tool: find, args: {title: {expr: $.entry.title}}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"found": $.find.id}'}}
`, "")})
	if fault != nil || saved.Failed() {
		t.Fatal(fault, saved)
	}
	found, fault := pb.RunNode(t.Context(), execution.RunNodeInput{ID: "graph:find_id", Arguments: json.RawMessage(`{"title":"Emma"}`)})
	if fault != nil || found.Failed() {
		t.Fatal(fault, found)
	}
	task.made = 2
	lent, fault := pb.RunNode(t.Context(), execution.RunNodeInput{ID: "mcp:books/lend", Arguments: json.RawMessage(`{"book_id":"bk_815","to":"ada"}`)})
	if fault != nil || lent.Failed() {
		t.Fatal(fault, lent)
	}
	r, fault := pb.Save(t.Context(), library.SaveInput{CallsInput: library.CallsInput{Last: 2}})
	if fault != nil || !*r.Valid || !*r.Proven {
		t.Fatalf("%v %+v", fault, r)
	}
	if !strings.Contains(r.Graph, "{id: find_id, type: graph, graph: find_id, args: {title: {expr: $.entry.title}}, next: lend}") || !strings.Contains(r.Graph, "$.find_id.found") {
		t.Error(r.Graph)
	}
	if len(task.sent) != 2 {
		t.Errorf("the proof made calls: %q", task.sent)
	}
}

// A recorded result that the declared schema does not allow makes a draft that is not
// proven, and the reply says where.
func TestDraftThatIsNotProven(t *testing.T) {
	task := readTask(t, `
tools:
  clock/now: {type: object}
outputs:
  clock/now: {type: object, properties: {hour: {type: string}}, required: [hour]}
calls:
  - {tool: clock/now, arguments: {}, structured: {hour: 7}}
`)
	pb := task.start(t)
	r, fault := pb.Save(t.Context(), library.SaveInput{As: "hour", CallsInput: library.CallsInput{FromCalls: task.callFirst(t, pb, 1), Description: "The hour"}})
	if fault != nil || r.Status != "draft" || !*r.Valid || *r.Proven || len(r.Differences) != 1 || !strings.Contains(r.Differences[0].Replayed, "hour") {
		t.Fatalf("%v %+v", fault, r)
	}
	if !strings.Contains(r.Hint, "see differences") {
		t.Error(r.Hint)
	}
}

// A configured secret is an argument of the draft, and never a part of its text.
func TestDraftHasNoSecrets(t *testing.T) {
	task := readTask(t, `
tools:
  vault/open: {type: object, properties: {token: {type: string}}, required: [token]}
  vault/read: {type: object, properties: {url: {type: string}}, required: [url]}
calls:
  - {tool: vault/open, arguments: {token: s3cr3t-t0ken}, structured: {session: sess_77}}
  - {tool: vault/read, arguments: {url: "https://vault.example.com/s3cr3t-t0ken/sess_77"}, structured: {ok: true}}
`)
	pb := task.startWith(t, app.Options{Redact: func(raw json.RawMessage) json.RawMessage {
		return json.RawMessage(strings.ReplaceAll(string(raw), "s3cr3t-t0ken", "***"))
	}})
	r, fault := pb.Save(t.Context(), library.SaveInput{CallsInput: library.CallsInput{FromCalls: task.callFirst(t, pb, 2)}})
	if fault != nil || !*r.Proven {
		t.Fatalf("%v %+v", fault, r)
	}
	if strings.Contains(r.Graph, "s3cr3t") || !strings.Contains(r.Graph, "token: {expr: $.entry.token}") || !strings.Contains(r.Graph, "url: {expr: $.entry.url}") {
		t.Error(r.Graph)
	}
}

// A row of calls over the first items of a list is a loop over these; one that no list
// explains is a node for each call. What takes items by their position is not proven, is
// not saved, and says what to do.
func TestRowsOfCalls(t *testing.T) {
	const tools = `
tools:
  db/list: {type: object}
  db/get: {type: object, properties: {id: {type: string}}, required: [id]}
calls:
  - {tool: db/list, arguments: {}, structured: {rows: [{id: row_a}, {id: row_b}, {id: row_c}, {id: row_d}]}}
`
	for _, tt := range []struct{ name, ids, graph, note string }{
		{"all", "a b c d", "foreach: {items: {expr: $.list.rows}}", ""},
		{"the first", "a b c", "foreach: {items: {expr: '$.list.rows[[0..2]]'}}", "items of a list are chosen by their position: get runs over the first 3 of 4"},
		{"two of four", "a c", "id: get_2", "items of a list are chosen by their position: get.id, get_2.id"},
		{"another order", "b a d c", "id: get_4", "items of a list are chosen by their position: get.id, get_2.id, get_3.id, get_4.id"},
		{"others", "x y", "args: {id: {expr: $.entry.get_2_id}}", ""},
	} {
		var text strings.Builder
		text.WriteString(tools)
		for id := range strings.FieldsSeq(tt.ids) {
			fmt.Fprintf(&text, "  - {tool: db/get, arguments: {id: row_%s}, structured: {name: %s%[1]s}}\n", id, id)
		}
		task := readTask(t, text.String())
		pb := task.start(t)
		r, fault := pb.Save(t.Context(), library.SaveInput{As: "get_all", CallsInput: library.CallsInput{FromCalls: task.callFirst(t, pb, len(task.Calls)), Description: "Gets"}})
		if byPosition := tt.note != ""; fault != nil || !*r.Valid || *r.Proven == byPosition || (r.Status == "draft") != byPosition || strings.Contains(r.Hint, "If the position is meant: save_graph {graph: <draft>}") != byPosition {
			t.Errorf("%s: %v %+v", tt.name, fault, r)
			continue
		}
		if notes := strings.Join(r.Notes, "\n"); !strings.Contains(r.Graph, tt.graph) || !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
			t.Errorf("%s: %s\n%s", tt.name, notes, r.Graph)
		}
	}
}
