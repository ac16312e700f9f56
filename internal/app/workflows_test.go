package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// A desk is a server with a tool that counts its calls and answers with what it got.
type desk struct {
	server *mcp.Server
	calls  atomic.Int64
	last   atomic.Pointer[string]
	fails  atomic.Bool
}

func newDesk() *desk {
	d := &desk{server: mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)}
	for _, name := range []string{"write", "read", "log"} {
		d.server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			d.calls.Add(1)
			text := name + " " + string(r.Params.Arguments)
			d.last.Store(&text)
			if d.fails.Load() {
				return nil, errors.New("out of paper")
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "mail a@b.example " + text}}}, nil
		})
	}
	return d
}

// documents are workflows by their texts.
func documents(t testing.TB, texts ...string) (docs []*graph.Document) {
	t.Helper()
	for _, text := range texts {
		doc, found := graph.Parse("w.yaml", text)
		if doc == nil || found.HasErrors() {
			t.Fatal(found)
		}
		docs = append(docs, doc)
	}
	return docs
}

// around are the nodes of a workflow with a hook before and one after the call, each an
// expression or "".
func aroundCalls(head, before, after string) string {
	text := head + "nodes:\n"
	next := "call"
	if before != "" {
		next = "before"
	}
	text += "  - {id: start, type: start, next: " + next + "}\n"
	if before != "" {
		text += "  - id: before\n    type: hook\n    hook: {expr: '" + before + "'}\n    next: call\n"
	}
	next = "end"
	if after != "" {
		next = "after"
	}
	text += "  - {id: call, type: mcp-call, next: " + next + "}\n"
	if after != "" {
		text += "  - id: after\n    type: hook\n    hook: {expr: '" + after + "'}\n    next: end\n"
	}
	return text + "  - {id: end, type: end}\n"
}

const (
	redacts = `{"response": $merge([$context.response, {"content": [$context.response.content.{"type": type, "text": $replace(text, /[a-z]+@[a-z.]+/, "***")}]}])}`
	blocks  = `{"continue": false, "error": {"code": "CLOSED", "message": "not now"}}`
)

func withWorkflows(t testing.TB, d *desk, o app.Options, texts ...string) *app.App {
	t.Helper()
	o.Workflows = append(o.Workflows, documents(t, texts...)...)
	return startedOver(t, o, map[string]*mcp.Server{"desk": d.server})
}

// write calls the tool write as a node, and returns its output or the message of its fault.
func write(t testing.TB, pb *app.App) string {
	t.Helper()
	r, fault := pb.RunNode(operator(t), execution.RunNodeInput{ID: "mcp:desk/write", Arguments: json.RawMessage(`{"a":1}`)})
	if fault != nil {
		t.Fatal(fault)
	}
	if r.Error != nil {
		return r.Error.Message
	}
	return string(r.Output)
}

func operator(t testing.TB) context.Context {
	return request.WithActor(t.Context(), run.Actor{Principal: "local", Operator: true})
}

func TestWorkflowsAroundCalls(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		calls            int64
	}{
		{"passes", aroundCalls("name: w\nworkflow: {on: tools/call}\n", "", ""), `"mail a@b.example write {\"a\":1}"`, 1},
		{"changes the response", aroundCalls("name: w\nworkflow: {on: tools/call}\n", "", redacts), `"mail *** write {\"a\":1}"`, 1},
		{"changes the request", aroundCalls("name: w\nworkflow: {on: tools/call}\n", `{"request": {"params": {"name": "write", "arguments": {"a": 2}}}}`, ""), `"mail a@b.example write {\"a\":2}"`, 1},
		{"changes the tool", aroundCalls("name: w\nworkflow: {on: tools/call}\n", `{"request": {"params": {"name": "read", "arguments": {}}}}`, ""), `"mail a@b.example read {}"`, 1},
		{"blocks", aroundCalls("name: w\nworkflow: {on: tools/call}\n", blocks, ""), "desk/write answered with an error: CLOSED: not now (hook before)", 0},
		{"withholds", aroundCalls("name: w\nworkflow: {on: tools/call}\n", "", blocks), "desk/write answered with an error: CLOSED: not now (hook after); the server was called, and its answer is withheld", 1},
		{"fails before", aroundCalls("name: w\nworkflow: {on: tools/call}\n", `$error("no")`, ""), "SCRIPT_ERROR", 0},
		{"makes a bad response", aroundCalls("name: w\nworkflow: {on: tools/call}\n", "", `{"response": {"content": "text"}}`), "the response of the workflow is not a tool result", 1},
		{"is for another server", aroundCalls("name: w\nworkflow: {on: tools/call, match: {server: other}}\n", blocks, ""), `"mail a@b.example write {\"a\":1}"`, 1},
		{"is for other tools", aroundCalls("name: w\nworkflow: {on: tools/call, match: {tool: \"re*\"}}\n", blocks, ""), `"mail a@b.example write {\"a\":1}"`, 1},
		{"is for another client", aroundCalls("name: w\nworkflow: {on: tools/call, match: {client: x}}\n", blocks, ""), `"mail a@b.example write {\"a\":1}"`, 1},
		{"is disabled", aroundCalls("name: w\nworkflow: {on: tools/call, enabled: false}\n", blocks, ""), `"mail a@b.example write {\"a\":1}"`, 1},
		{"is around lists", aroundCalls("name: w\nworkflow: {on: tools/list}\n", blocks, ""), `"mail a@b.example write {\"a\":1}"`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk()
			got := write(t, withWorkflows(t, d, app.Options{}, c.text))
			if !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if n := d.calls.Load(); n != c.calls {
				t.Errorf("%d calls, want %d", n, c.calls)
			}
		})
	}
}

// TestOneWorkflowRuns has the one with the highest priority run, then by name, and calls
// of its nodes pass the others but not itself.
func TestOneWorkflowRuns(t *testing.T) {
	d := newDesk()
	mark := func(name string, priority string) string {
		return aroundCalls("name: "+name+"\nworkflow: {on: tools/call, match: {tool: write}, priority: "+priority+"}\n", `{"request": {"params": {"name": "write", "arguments": {"by": "`+name+`"}}}}`, "")
	}
	pb := withWorkflows(t, d, app.Options{}, mark("c", "1"), mark("b", "2"), mark("a", "1"), mark("d", "2"))
	if got := write(t, pb); !strings.Contains(got, `\"by\":\"b\"`) || d.calls.Load() != 1 {
		t.Errorf("%s after %d calls", got, d.calls.Load())
	}

	d = newDesk()
	pb = withWorkflows(t, d, app.Options{}, `name: outer
workflow: {on: tools/call, priority: 1}
nodes:
  - {id: start, type: start, next: log}
  - {id: log, type: mcp, server: desk, tool: log, args: {who: outer}, next: call}
  - {id: call, type: mcp-call, next: end}
  - {id: end, type: end}
`, aroundCalls("name: inner\nworkflow: {on: tools/call}\n", `$context.request.params.name = "log" ? {"request": {"params": {"name": "log", "arguments": {"who": "inner"}}}}`, ""))
	got := write(t, pb)
	if !strings.Contains(got, `write {\"a\":1}`) || d.calls.Load() != 2 {
		t.Errorf("%s after %d calls", got, d.calls.Load())
	}
	list, fault := pb.Runs(operator(t), execution.RunsInput{Workflows: true})
	if fault != nil {
		t.Fatal(fault)
	}
	var names []string
	for _, s := range list.Runs {
		names = append(names, s.Graph)
	}
	if got := strings.Join(names, " "); got != "inner outer run_node" && !strings.Contains(got, "inner outer") {
		t.Errorf("runs %s", got)
	}
}

// TestWorkflowOfAFailedCall leaves the outcome of the call to the run that makes it.
func TestWorkflowOfAFailedCall(t *testing.T) {
	d := newDesk()
	d.fails.Store(true)
	got := write(t, withWorkflows(t, d, app.Options{}, aroundCalls("name: w\nworkflow: {on: tools/call}\n", "", "")))
	if !strings.Contains(got, "out of paper") || d.calls.Load() != 1 {
		t.Errorf("%s after %d calls", got, d.calls.Load())
	}
}

// TestWorkflowBytes has what a workflow does not change arrive as it came.
func TestWorkflowBytes(t *testing.T) {
	d := newDesk()
	pb := withWorkflows(t, d, app.Options{}, aroundCalls("name: w\nworkflow: {on: tools/call}\n", "$context.metadata.shared.nothing", `{"continue": true}`))
	args := `{"z":1.0,"a":12345678901234567890}`
	res, err := pb.CallDownstream(operator(t), execution.GatewayCall{Server: "desk", Tool: "write", Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	if got := *d.last.Load(); got != "write "+args {
		t.Errorf("the server got %s", got)
	}
	if !strings.Contains(string(res.Raw), "12345678901234567890") {
		t.Errorf("the client got %s", res.Raw)
	}
}

// TestWorkflowRunsAreKept shows, replays and tests a run of a workflow like any other.
func TestWorkflowRunsAreKept(t *testing.T) {
	d := newDesk()
	store := func() (runs.RunStore, error) {
		return journal.Open(filepath.Join(t.TempDir(), "runs.db"), &journal.Options{Project: "p"})
	}
	pb := withWorkflows(t, d, app.Options{Store: store, Project: "p"}, aroundCalls("name: w\nworkflow: {on: tools/call}\n", "", redacts))
	write(t, pb)
	list, fault := pb.Runs(operator(t), execution.RunsInput{Graph: "w"})
	if fault != nil || len(list.Runs) != 1 || list.Runs[0].Status != run.Succeeded {
		t.Fatalf("%v %v", list, fault)
	}
	id := list.Runs[0].ID
	replayed, fault := pb.ReplayRun(operator(t), execution.ReplayRunInput{RunID: id})
	if fault != nil || len(replayed.Differences) > 0 {
		t.Errorf("replay: %+v %v", replayed, fault)
	}
	if _, fault := pb.SaveTest(operator(t), library.SaveTestInput{RunID: id}); fault != nil {
		t.Error(fault)
	}
	if n := d.calls.Load(); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// TestWorkflowKeepsItsFormerText runs the text that was right when the new one is not.
func TestWorkflowKeepsItsFormerText(t *testing.T) {
	dir := t.TempDir()
	files, err := graphfiles.OpenGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk()
	pb := withWorkflows(t, d, app.Options{WorkflowFiles: files})
	if _, fault := files.Save("w", aroundCalls("name: w\nworkflow: {on: tools/call}\n", blocks, ""), graphfiles.SaveOptions{}); fault != nil {
		t.Fatal(fault)
	}
	pb.Refresh()
	if got := write(t, pb); !strings.Contains(got, "CLOSED") {
		t.Error(got)
	}
	if _, fault := files.Save("w", "name: w\nworkflow: {on: tools/call}\nnodes:\n  - {id: start, type: start, next: nowhere}\n", graphfiles.SaveOptions{Overwrite: true}); fault != nil {
		t.Fatal(fault)
	}
	pb.Refresh()
	if got := write(t, pb); !strings.Contains(got, "CLOSED") {
		t.Error(got)
	}
}

// TestWorkflowBeside answers the call before a branch beside it has ended, which continues
// when the request is over.
func TestWorkflowBeside(t *testing.T) {
	d := newDesk()
	logged, release := make(chan string, 1), make(chan struct{})
	other := mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1"}, nil)
	other.AddTool(&mcp.Tool{Name: "write", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-release
		logged <- string(r.Params.Arguments)
		return &mcp.CallToolResult{}, nil
	})
	pb := startedOver(t, app.Options{Workflows: documents(t, `name: w
workflow: {on: tools/call, match: {server: desk}}
nodes:
  - {id: start, type: start, next: call}
  - {id: call, type: mcp-call, next: end, detach: [log]}
  - {id: log, type: mcp, server: files, tool: write, args: {text: {expr: '$context.response.content[0].text'}}, next: end}
  - {id: end, type: end}
`)}, map[string]*mcp.Server{"desk": d.server, "files": other})
	ctx, end := context.WithCancel(operator(t))
	res, err := pb.CallDownstream(ctx, execution.GatewayCall{Server: "desk", Tool: "read", Arguments: json.RawMessage(`{}`)})
	if err != nil || res.IsError {
		t.Fatal(res, err)
	}
	end()
	close(release)
	if got := <-logged; got != `{"text":"mail a@b.example read {}"}` {
		t.Errorf("the log has %s", got)
	}
}

// TestWorkflowAsksAPerson has the client ask during the call; one that cannot is refused.
func TestWorkflowAsksAPerson(t *testing.T) {
	d := newDesk()
	pb := withWorkflows(t, d, app.Options{}, `name: w
workflow: {on: tools/call}
nodes:
  - {id: start, type: start, next: approve}
  - {id: approve, type: ask, message: 'Really?', next: decide}
  - {id: decide, type: hook, hook: {expr: '$.approve.action != "accept" ? {"continue": false, "error": {"code": "DECLINED", "message": "no"}}'}, next: call}
  - {id: call, type: mcp-call, next: end}
  - {id: end, type: end}
`)
	for _, c := range []struct {
		asker execution.Asker
		want  string
		calls int64
	}{
		{nil, "a person must agree, and the client cannot ask one", 0},
		{func(context.Context, execution.Ask) (*run.Answer, error) { return nil, errors.New("closed") }, "the client cannot ask one", 0},
		{func(context.Context, execution.Ask) (*run.Answer, error) { return &run.Answer{Action: "decline"}, nil }, "DECLINED: no (hook decide)", 0},
		{func(context.Context, execution.Ask) (*run.Answer, error) { return &run.Answer{Action: "accept"}, nil }, "mail", 1},
	} {
		ctx := operator(t)
		if c.asker != nil {
			ctx = execution.WithAsker(ctx, c.asker)
		}
		res, err := pb.CallDownstream(ctx, execution.GatewayCall{Server: "desk", Tool: "write", Arguments: json.RawMessage(`{}`)})
		if err != nil || !strings.Contains(string(res.Raw), c.want) || d.calls.Load() != c.calls {
			t.Errorf("%s %v after %d calls, want %s", res.Raw, err, d.calls.Load(), c.want)
		}
	}
	list, _ := pb.Runs(operator(t), execution.RunsInput{Status: string(run.Interrupted), Workflows: true})
	if len(list.Runs) > 0 {
		t.Errorf("runs wait for an answer: %+v", list.Runs)
	}
}

// TestWorkflowIsNotRunByItself calls nothing without a request.
func TestWorkflowIsNotRunByItself(t *testing.T) {
	d := newDesk()
	pb := withWorkflows(t, d, app.Options{})
	r, fault := pb.Run(operator(t), execution.RunInput{
		GraphInput: plans.FromText("w.yaml", aroundCalls("name: w\nworkflow: {on: tools/call}\n", "", ""), ""),
		Arguments:  json.RawMessage(`{"request":{"method":"tools/call","params":{"name":"write","arguments":{}}},"metadata":{"serverName":"desk"}}`),
	})
	if fault != nil || r.Error == nil || r.Error.Code != "no-call" || d.calls.Load() != 0 {
		t.Errorf("%+v %v", r, fault)
	}
}

// TestWorkflowInADryRun runs around the simulated call.
func TestWorkflowInADryRun(t *testing.T) {
	d := newDesk()
	d.server.AddTool(&mcp.Tool{Name: "typed", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{"type":"object","properties":{"to":{"type":"string"}},"required":["to"]}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			d.calls.Add(1)
			return &mcp.CallToolResult{}, nil
		})
	pb := withWorkflows(t, d, app.Options{}, aroundCalls("name: w\nworkflow: {on: tools/call}\n", "", `{"response": {"content": [], "structuredContent": {"to": "changed"}}}`))
	r, fault := pb.Run(operator(t), execution.RunInput{Mode: "dry_run", GraphInput: plans.FromText("g.yaml", `nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: desk, tool: typed, args: {}, next: exit}
  - {id: exit, type: exit}
`, "")})
	if fault != nil || string(r.Result) != `{"to":"changed"}` || d.calls.Load() != 0 {
		t.Errorf("%+v %v after %d calls", r, fault, d.calls.Load())
	}
}

// TestWorkflowNeedsNoPlaceForItsRun runs where the run that calls has the only one.
func TestWorkflowNeedsNoPlaceForItsRun(t *testing.T) {
	d := newDesk()
	pb := withWorkflows(t, d, app.Options{MaxRuns: 1, MaxQueued: 1}, aroundCalls("name: w\nworkflow: {on: tools/call}\n", "", redacts))
	if got := write(t, pb); !strings.Contains(got, "***") {
		t.Error(got)
	}
}

// TestReadOnlyCallStaysRepeatable refuses to make a call that may be repeated one that may
// not.
func TestReadOnlyCallStaysRepeatable(t *testing.T) {
	d := newDesk()
	d.server.AddTool(&mcp.Tool{Name: "look", InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	o := app.Options{Servers: []downstream.Server{{Name: "desk", InProcess: d.server, Trusted: true}}}
	o.Workflows = documents(t, aroundCalls("name: w\nworkflow: {on: tools/call}\n", `{"request": {"params": {"name": "write", "arguments": {}}}}`, ""))
	pb := started(t, o)
	r, fault := pb.RunNode(operator(t), execution.RunNodeInput{ID: "mcp:desk/look", Arguments: json.RawMessage(`{}`)})
	if fault != nil || r.Error == nil || !strings.Contains(r.Error.Message, "may be repeated") || d.calls.Load() != 0 {
		t.Errorf("%+v %v", r, fault)
	}
}

// TestWorkflowIsNotAGraph refuses to save a workflow among the graphs.
func TestWorkflowIsNotAGraph(t *testing.T) {
	files, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pb := withWorkflows(t, newDesk(), app.Options{Graphs: files})
	r, fault := pb.Save(operator(t), library.SaveInput{GraphInput: plans.FromText("w.yaml", aroundCalls("name: w\nworkflow: {on: tools/call}\n", "", ""), "")})
	if fault != nil || r.Error == nil || r.Error.Code != "not-a-graph" {
		t.Errorf("%+v %v", r, fault)
	}
}

// TestRunsOfWorkflowsAreApart lists the run of a graph however many workflows ran around its
// calls, and their runs only if they are asked for.
func TestRunsOfWorkflowsAreApart(t *testing.T) {
	stores := map[string]func() (runs.RunStore, error){
		"a file": func() (runs.RunStore, error) {
			return journal.Open(filepath.Join(t.TempDir(), "runs.db"), &journal.Options{Project: "p"})
		},
		"memory": nil,
	}
	for name, store := range stores {
		pb := withWorkflows(t, newDesk(), app.Options{Store: store, Project: "p"}, aroundCalls("name: w\nworkflow: {on: tools/call}\n", "", redacts))
		r, fault := pb.Run(operator(t), execution.RunInput{GraphInput: plans.FromText("g", `name: g
nodes:
  - {id: entry, type: entry, next: write}
  - {id: write, type: mcp, server: desk, tool: write, args: {}, foreach: {items: [1, 2, 3, 4]}, next: exit}
  - {id: exit, type: exit}
`, "")})
		r = ran(t, r, fault, run.Succeeded)
		for _, c := range []struct {
			in   execution.RunsInput
			want int
		}{{execution.RunsInput{}, 1}, {execution.RunsInput{Limit: 1}, 1}, {execution.RunsInput{Workflows: true}, 5}, {execution.RunsInput{Graph: "w"}, 4}, {execution.RunsInput{Graph: "g"}, 1}} {
			list, fault := pb.Runs(operator(t), c.in)
			if fault != nil || len(list.Runs) != c.want || !c.in.Workflows && c.in.Graph != "w" && list.Runs[0].ID != r.RunID {
				t.Errorf("%s: %+v gives %+v, %v, want %d", name, c.in, list, fault, c.want)
			}
		}
		if id, fault := pb.RunID(operator(t), "latest"); fault != nil || id != r.RunID {
			t.Errorf("%s: the latest is %s, %v", name, id, fault)
		}
	}
}
