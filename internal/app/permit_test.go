package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
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

// A hinted server is one with tools of each kind of hint. It counts the calls of each.
type hinted struct {
	server downstream.Server
	calls  map[string]*atomic.Int64
}

func newHinted() *hinted {
	yes, no := true, false
	h := &hinted{calls: map[string]*atomic.Int64{}}
	s := mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1"}, nil)
	for name, hints := range map[string]*mcp.ToolAnnotations{
		"none": nil, "delete": {DestructiveHint: &yes}, "write": {DestructiveHint: &no}, "read": {ReadOnlyHint: true}, "both": {ReadOnlyHint: true, DestructiveHint: &yes},
	} {
		n := &atomic.Int64{}
		h.calls[name] = n
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: hints}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			n.Add(1)
			return &mcp.CallToolResult{StructuredContent: r.Params.Arguments}, nil
		})
	}
	h.server = downstream.Server{Name: "files", InProcess: s}
	return h
}

// calling is a graph that calls a tool of the server.
func calling(tool string) string {
	return fmt.Sprintf(`
name: calling
description: Calls a tool
inputSchema: {type: object, properties: {path: {type: string}}}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: files, tool: %s, args: {path: {expr: $.entry.path}}, next: exit}
  - {id: exit, type: exit}
`, tool)
}

// Whether a person is asked follows from the policy, from who sends the call, and from the
// hints of the tool.
func TestPermission(t *testing.T) {
	const agent, person = "an agent's graph", "the operator's file"
	policies := map[string]config.Calls{
		"":        {},
		"allow":   {Allow: []string{"files/*"}},
		"confirm": {Allow: []string{"files/*"}, Confirm: []string{"fi*s/*"}},
		"deny":    {Allow: []string{"files/*"}, Deny: []string{"files/*"}},
	}
	for _, c := range []struct {
		policy, by, tool, want string
	}{
		{"", agent, "delete", run.NeedsAnswer},
		{"", agent, "both", run.NeedsAnswer}, // its hints are not trusted
		{"", agent, "none", ""},
		{"", agent, "write", ""},
		{"", agent, "read", ""},
		{"", person, "delete", ""},
		{"", person, "none", ""},
		{"allow", agent, "delete", ""},
		{"allow", person, "delete", ""},
		{"confirm", agent, "delete", run.NeedsAnswer},
		{"confirm", agent, "read", run.NeedsAnswer},
		{"confirm", person, "delete", run.NeedsAnswer},
		{"confirm", person, "none", run.NeedsAnswer},
		{"deny", agent, "delete", "tool-denied"},
		{"deny", agent, "read", "tool-denied"},
		{"deny", person, "read", "tool-denied"},
	} {
		t.Run(strings.Join([]string{c.policy, c.by, c.tool}, " "), func(t *testing.T) {
			h := newHinted()
			cfg := &config.Config{Calls: policies[c.policy]}
			pb := overWith(t, app.Options{Calls: cfg.Calls, Denied: cfg.Denied}, nil, h.server)
			in := execution.RunInput{GraphInput: plans.GraphInput{Graph: text(calling(c.tool))}, Arguments: json.RawMessage(`{"path":"a"}`)}
			ctx := t.Context()
			if c.by == person {
				ctx, in.GraphInput = operator(t), plans.FromText("calling.yaml", calling(c.tool), "")
			}
			r, fault := pb.Run(ctx, in)
			code := doubtCode(r, fault)
			if code != c.want {
				t.Fatalf("it is %s, %v: %q", r.Status, fault, code)
			}
			if made := h.calls[c.tool].Load(); made != int64(map[bool]int{true: 1}[c.want == ""]) {
				t.Errorf("%d calls were made", made)
			}
		})
	}
}

// doubtCode is the code of what stopped a run.
func doubtCode(r *execution.RunResult, fault *diag.Fault) string {
	switch {
	case fault != nil:
		return fault.Code
	case r.Error != nil:
		return r.Error.Code
	case len(r.Diagnostics) > 0:
		return r.Diagnostics[0].Code
	}
	return ""
}

// A run parks for the calls of a tool, asks once for all of them, and remembers the answer,
// also in another process.
func TestPermissionIsAskedOnce(t *testing.T) {
	h := newHinted()
	file := t.TempDir() + "/runs.db"
	store := func() (runs.RunStore, error) { return journal.Open(file, nil) }
	open := func() *app.App {
		return overWith(t, app.Options{Store: store, Project: "p"}, nil, h.server)
	}
	pb := open()
	graph := `
nodes:
  - {id: entry, type: entry, next: each}
  - id: each
    type: mcp
    server: files
    tool: delete
    args: {path: {expr: $string($item)}}
    foreach: {items: {expr: '[1..50]'}, concurrency: 8}
    next: again
  - {id: again, type: mcp, server: files, tool: delete, args: {path: last}, next: exit}
  - {id: exit, type: exit, result: {expr: $count($.each)}}
`
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(graph)}})
	if doubtCode(r, fault) != run.NeedsAnswer || len(r.Asks) != 1 || h.calls["delete"].Load() != 0 {
		t.Fatalf("%+v, %v: %d calls", r, fault, h.calls["delete"].Load())
	}
	ask := r.Asks[0]
	if ask.Permits != "files/delete" || !strings.Contains(ask.Message, "the tool delete of the server files") || !strings.Contains(ask.Message, "for 50 items") || !strings.Contains(ask.Message, `{"path":"`) {
		t.Errorf("it asks %+v", ask)
	}
	if !strings.Contains(r.Error.Hint, "patchbay runs answer "+r.RunID) || !strings.HasSuffix(r.Error.Hint, "; resume_run only asks again") {
		t.Errorf("the hint is %q", r.Error.Hint)
	}
	pb.Close()

	pb = open()
	answered, fault := pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: "accept"})
	if fault != nil || answered.Status != string(run.Succeeded) || string(answered.Result) != "50" {
		t.Fatalf("%+v, %v", answered, fault)
	}
	if made := h.calls["delete"].Load(); made != 51 {
		t.Errorf("%d calls were made", made)
	}
}

// What a person does not permit is not called, now or after a retry.
func TestNotPermitted(t *testing.T) {
	for _, action := range []string{"decline", "cancel"} {
		h := newHinted()
		pb := over(t, nil, h.server)
		r, _ := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(calling("delete"))}})
		r, fault := pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: action})
		if doubtCode(r, fault) != "call-not-permitted" || r.Status != string(run.Failed) {
			t.Fatalf("%s: %+v, %v", action, r, fault)
		}
		again, fault := pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"})
		if doubtCode(again, fault) != "call-not-permitted" || h.calls["delete"].Load() != 0 {
			t.Errorf("%s, tried again: %+v, %v: %d calls", action, again, fault, h.calls["delete"].Load())
		}
	}
}

// Nothing that an agent sends permits a call.
func TestAgentsPermitNothing(t *testing.T) {
	send := func(t *testing.T, pb *app.App, in execution.RunInput) *execution.RunResult {
		t.Helper()
		r, fault := pb.Run(t.Context(), in)
		if doubtCode(r, fault) != run.NeedsAnswer {
			t.Fatalf("the run is %+v, %v", r, fault)
		}
		return r
	}
	for what, try := range map[string]func(*testing.T, *app.App) (code string){
		"a retry": func(t *testing.T, pb *app.App) string {
			r := send(t, pb, execution.RunInput{GraphInput: plans.GraphInput{Graph: text(calling("delete"))}})
			return doubtCode(pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"}))
		},
		"a skip": func(t *testing.T, pb *app.App) string {
			r := send(t, pb, execution.RunInput{GraphInput: plans.GraphInput{Graph: text(calling("delete"))}})
			return doubtCode(pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "skip"}))
		},
		"a pin of the answer": func(t *testing.T, pb *app.App) string {
			r := send(t, pb, execution.RunInput{GraphInput: plans.GraphInput{Graph: text(calling("delete"))}})
			return doubtCode(pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "pin", Pin: json.RawMessage(`{"action":"accept"}`)}))
		},
		"a corrected graph": func(t *testing.T, pb *app.App) string {
			r := send(t, pb, execution.RunInput{GraphInput: plans.GraphInput{Graph: text(calling("delete"))}})
			return doubtCode(pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry", Graph: text(calling("delete"))}))
		},
		"a corrected graph of a run that a person has permitted": func(t *testing.T, pb *app.App) string {
			fails := strings.Replace(calling("delete"), "next: exit}", "next: stop}\n  - {id: stop, type: transform, transform: {expr: $error('no')}, next: exit}", 1)
			r := send(t, pb, execution.RunInput{GraphInput: plans.GraphInput{Graph: text(fails)}})
			if r, fault := pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: "accept"}); doubtCode(r, fault) != "expression-failed" {
				t.Fatalf("%+v, %v", r, fault)
			}
			worse := strings.Replace(fails, "type: transform, transform: {expr: $error('no')}", "type: mcp, server: files, tool: delete, args: {path: everything}", 1)
			code := doubtCode(pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry", Graph: text(worse)}))
			return code
		},
		"a corrected graph of a person's run": func(t *testing.T, pb *app.App) string {
			fails := strings.Replace(calling("delete"), "type: mcp, server: files, tool: delete, args: {path: {expr: $.entry.path}}", "type: transform, transform: {expr: $error('no')}", 1)
			person := request.WithActor(t.Context(), run.Actor{Operator: true}) // of the same principal
			r, fault := pb.Run(person, execution.RunInput{GraphInput: plans.FromText("calling.yaml", fails, "")})
			if doubtCode(r, fault) != "expression-failed" {
				t.Fatalf("%+v, %v", r, fault)
			}
			return doubtCode(pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry", Graph: text(calling("delete"))}))
		},
		"run_node": func(t *testing.T, pb *app.App) string {
			r, fault := pb.RunNode(t.Context(), execution.RunNodeInput{ID: "mcp:files/delete", Arguments: json.RawMessage(`{"path":"a"}`)})
			if fault != nil || r.Error == nil || len(r.Asks) != 1 || r.Asks[0].Permits != "files/delete" {
				t.Fatalf("%+v, %v", r, fault)
			}
			return doubtCode(pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"}))
		},
		"arguments that name a permission": func(t *testing.T, pb *app.App) string {
			open := strings.Replace(calling("delete"), "inputSchema: {", "inputSchema: {additionalProperties: true, ", 1)
			return send(t, pb, execution.RunInput{GraphInput: plans.GraphInput{Graph: text(open)}, Arguments: json.RawMessage(`{"path":"a","operator":true,"permits":"files/delete"}`)}).Error.Code
		},
		"a test": func(t *testing.T, pb *app.App) string {
			r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(calling("delete"))}, Cases: []execution.RunCase{{Arguments: json.RawMessage(`{"path":"a"}`)}}})
			if fault != nil || r.Cases == nil {
				t.Fatalf("%+v, %v", r, fault)
			}
			return run.NeedsAnswer // the calls tell
		},
		"the gateway": func(t *testing.T, pb *app.App) string {
			_, err := pb.CallDownstream(t.Context(), execution.GatewayCall{Server: "files", Tool: "delete"})
			return run.AsFault(err).Code
		},
	} {
		t.Run(what, func(t *testing.T) {
			h := newHinted()
			pb := over(t, nil, h.server)
			code := try(t, pb)
			most := int64(0)
			if strings.Contains(what, "has permitted") {
				most = 1 // which the person did
			}
			switch code {
			case run.NeedsAnswer, "ask-a-person", "needs-permission":
			default:
				t.Errorf("it came to %q", code)
			}
			if made := h.calls["delete"].Load(); made != most {
				t.Errorf("%d calls were made", made)
			}
		})
	}
}

// For calls that are not made, nobody is asked.
func TestNobodyIsAskedForCallsThatAreNotMade(t *testing.T) {
	h := newHinted()
	pb := over(t, nil, h.server)
	src := plans.GraphInput{Graph: text(calling("delete"))}
	for what, in := range map[string]execution.RunInput{
		"a pin":   {GraphInput: src, Pins: map[string]json.RawMessage{"call": json.RawMessage(`{}`)}},
		"until":   {GraphInput: src, Until: "entry"},
		"dry_run": {GraphInput: src, Mode: run.DryRun},
	} {
		r, fault := pb.Run(t.Context(), in)
		if code := doubtCode(r, fault); code != "" && code != "needs-pin" || len(r.Asks) > 0 {
			t.Errorf("%s: %+v, %v", what, r, fault)
		}
	}
	if h.calls["delete"].Load() != 0 {
		t.Error("it was called")
	}
	r, _ := pb.Run(t.Context(), execution.RunInput{GraphInput: src, Arguments: json.RawMessage(`{"path":"a"}`)})
	if r, fault := pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: "accept"}); doubtCode(r, fault) != "" {
		t.Fatalf("%+v, %v", r, fault)
	}
	replayed, fault := pb.ReplayRun(operator(t), execution.ReplayRunInput{RunID: r.RunID})
	if fault != nil || len(replayed.Differences) > 0 || h.calls["delete"].Load() != 1 {
		t.Errorf("the replay: %+v, %v", replayed, fault)
	}
}

// A saved graph of a person's is called by agents without asking.
func TestPersonsGraphsAreNotAskedAbout(t *testing.T) {
	h := newHinted()
	graphs, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pb := overWith(t, app.Options{Graphs: graphs}, nil, h.server)
	if r, fault := pb.Save(operator(t), library.SaveInput{GraphInput: plans.FromText("calling.yaml", calling("delete"), "")}); fault != nil || r.Status != "saved" {
		t.Fatalf("%+v, %v", r, fault)
	}
	if r, fault := pb.Run(t.Context(), execution.RunInput{Saved: "calling", Arguments: json.RawMessage(`{"path":"a"}`)}); doubtCode(r, fault) != "" {
		t.Errorf("by name: %+v, %v", r, fault)
	}
	nested := "nodes:\n  - {id: entry, type: entry, next: call}\n  - {id: call, type: graph, graph: calling, args: {path: a}, next: exit}\n  - {id: exit, type: exit}\n"
	if r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(nested)}}); doubtCode(r, fault) != "" {
		t.Errorf("in a graph of an agent: %+v, %v", r, fault)
	}
	if made := h.calls["delete"].Load(); made != 2 {
		t.Errorf("%d calls were made", made)
	}
}

// savingOver is an App with a folder of saved graphs.
func savingOver(t *testing.T, o app.Options, s downstream.Server) (*app.App, *graphfiles.Graphs) {
	t.Helper()
	graphs, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o.Graphs = graphs
	return overWith(t, o, nil, s), graphs
}

// What an agent saves is asked about until a person has approved it, whoever calls it, and
// again after the next change of an agent.
func TestGraphsOfAgentsAreAskedAbout(t *testing.T) {
	h := newHinted()
	pb, _ := savingOver(t, app.Options{}, h.server)
	save := func(ctx context.Context, src string) {
		t.Helper()
		if r, fault := pb.Save(ctx, library.SaveInput{GraphInput: plans.GraphInput{Graph: text(src)}, Overwrite: true}); fault != nil || r.Status != "saved" || !r.Exposed {
			t.Fatalf("%+v, %v", r, fault)
		}
	}
	nested := "nodes:\n  - {id: entry, type: entry, next: call}\n  - {id: call, type: graph, graph: calling, args: {path: a}, next: exit}\n  - {id: exit, type: exit}\n"
	served := plans.GraphInput{Text: nested, Name: "own.yaml", Trusted: true}
	calls := map[string]func() (*execution.RunResult, *diag.Fault){
		"as a tool": func() (*execution.RunResult, *diag.Fault) {
			return pb.CallGraph(t.Context(), "calling", json.RawMessage(`{"path":"a"}`))
		},
		"by name": func() (*execution.RunResult, *diag.Fault) {
			return pb.Run(t.Context(), execution.RunInput{Saved: "calling", Arguments: json.RawMessage(`{"path":"a"}`)})
		},
		"in the operator's document": func() (*execution.RunResult, *diag.Fault) {
			return pb.Run(t.Context(), execution.RunInput{GraphInput: served})
		},
	}
	each := func(want string) {
		t.Helper()
		for how, call := range calls {
			r, fault := call()
			if code := doubtCode(r, fault); code != want {
				t.Errorf("%s: %q, want %q", how, code, want)
			} else if want != "" {
				if code := doubtCode(pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"})); code != want {
					t.Errorf("%s, resumed: %q", how, code)
				}
			}
		}
	}
	save(t.Context(), calling("delete"))
	each(run.NeedsAnswer)
	if r, fault := pb.Run(operator(t), execution.RunInput{Saved: "calling", Arguments: json.RawMessage(`{"path":"a"}`)}); doubtCode(r, fault) != run.NeedsAnswer {
		t.Errorf("the operator's own run: %+v, %v", r, fault)
	}
	approve := func() {
		t.Helper()
		r, fault := pb.ApproveGraph(operator(t), library.ApproveGraphInput{Names: []string{"calling"}})
		if fault != nil || !r.Graphs[0].Reviewed {
			t.Fatalf("%+v, %v", r, fault)
		}
	}
	approve()
	each("")
	save(t.Context(), calling("delete")) // nothing new
	each("")
	waiting, _ := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(calling("both"))}})
	save(t.Context(), strings.Replace(calling("delete"), "Calls a tool", "Calls another", 1))
	each(run.NeedsAnswer)
	if code := doubtCode(pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: waiting.RunID, Decision: "retry"})); code != run.NeedsAnswer {
		t.Errorf("the run that waits: %q", code)
	}
	list, _ := pb.Graphs(t.Context(), library.GraphsInput{})
	if len(list.Graphs) != 1 || !list.Graphs[0].Unreviewed {
		t.Errorf("the list is %+v", list)
	}
	save(operator(t), strings.Replace(calling("delete"), "Calls a tool", "Calls another", 1)) // the same text, by a person
	each("")
}

// The run of a text that an agent has saved is asked about, also after the agent has saved
// another.
func TestARunKeepsWhoWroteIt(t *testing.T) {
	h := newHinted()
	pb, _ := savingOver(t, app.Options{}, h.server)
	var waiting []string
	for _, description := range []string{"Calls a tool", "Calls another"} {
		src := strings.Replace(calling("delete"), "Calls a tool", description, 1)
		if r, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.GraphInput{Graph: text(src)}, Overwrite: true}); fault != nil || r.Status != "saved" {
			t.Fatalf("%+v, %v", r, fault)
		}
		r, fault := pb.Run(t.Context(), execution.RunInput{Saved: "calling"})
		if doubtCode(r, fault) != run.NeedsAnswer {
			t.Fatalf("%+v, %v", r, fault)
		}
		waiting = append(waiting, r.RunID)
	}
	for _, id := range waiting {
		if code := doubtCode(pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: id, Decision: "retry"})); code != run.NeedsAnswer {
			t.Errorf("%s: %q", id, code)
		}
	}
}

// The operator says what agents may do with saved graphs.
func TestGraphsOfAgents(t *testing.T) {
	for may, want := range map[config.GraphsOfAgents]struct {
		code    string
		exposed bool
	}{config.AgentsExpose: {"", true}, config.AgentsSave: {"", false}, config.AgentsOff: {"graphs-read-only", false}} {
		pb, _ := savingOver(t, app.Options{GraphsOfAgents: may}, newHinted().server)
		in := library.SaveInput{GraphInput: plans.GraphInput{Graph: text(calling("read"))}}
		r, fault := pb.Save(t.Context(), in)
		if fault != nil {
			if fault.Code != want.code || fault.Hint == "" {
				t.Errorf("%d: %v", may, fault)
			}
			if r, fault := pb.Save(operator(t), in); fault != nil || !r.Exposed {
				t.Errorf("a person: %+v, %v", r, fault)
			}
			if _, fault := pb.Delete(t.Context(), library.DeleteInput{Name: "calling"}); fault == nil || fault.Code != want.code {
				t.Errorf("delete: %v", fault)
			}
			changed, fault := pb.Edit(t.Context(), library.EditInput{Saved: "calling", Ops: []edit.Op{{Op: "set", Path: "/description", Value: json.RawMessage(`"Other"`)}}})
			if fault != nil || changed.Saved || changed.Error == nil || changed.Error.Code != want.code {
				t.Errorf("edit: %+v, %v", changed, fault)
			}
			continue
		}
		if want.code != "" || r.Exposed != want.exposed || len(pb.GraphTools.List()) != map[bool]int{true: 1}[want.exposed] {
			t.Errorf("%d: %+v, %d tools", may, r, len(pb.GraphTools.List()))
		}
		if may != config.AgentsSave {
			continue
		}
		if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "patchbay graphs approve calling") {
			t.Errorf("the notes are %q", r.Notes)
		}
		if _, fault := pb.ApproveGraph(operator(t), library.ApproveGraphInput{Names: []string{"calling"}}); fault != nil || len(pb.GraphTools.List()) != 1 {
			t.Errorf("after the approval: %v, %d tools", fault, len(pb.GraphTools.List()))
		}
	}
}
