package app_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// cameWith is a Patchbay over the graphs of a folder that came with a project.
func cameWith(t *testing.T, o app.Options, dir string, servers ...downstream.Server) *app.App {
	t.Helper()
	graphs, err := graphfiles.OpenGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	graphs.UseApprovals(graphfiles.Approvals{File: filepath.Join(t.TempDir(), "approved", "graphs.json"), Foreign: true})
	o.Graphs = graphs
	return overWith(t, o, nil, servers...)
}

func writeGraph(t *testing.T, dir, name, src string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A graph that came with its folder is not a tool, and its destructive calls are asked
// about, whoever runs it, until a person has approved this text of it.
func TestGraphsThatCameWithAFolder(t *testing.T) {
	h, dir := newHinted(), t.TempDir()
	writeGraph(t, dir, "calling", calling("delete"))
	pb := cameWith(t, app.Options{}, dir, h.server)
	args := json.RawMessage(`{"path":"a"}`)
	look := func(tools int, reason, code string) {
		t.Helper()
		pb.GraphsChanged()
		if got := len(pb.GraphTools.List()); got != tools {
			t.Errorf("%d tools, want %d", got, tools)
		}
		list, fault := pb.Graphs(t.Context(), library.GraphsInput{})
		if fault != nil || len(list.Graphs) != 1 || list.Graphs[0].Reason != reason || list.Graphs[0].Unreviewed != (reason != "") {
			t.Errorf("the list is %+v, %v", list, fault)
		}
		calls := h.calls["delete"].Load()
		for who, ctx := range map[string]func() (*execution.RunResult, string){
			"an agent": func() (*execution.RunResult, string) {
				r, fault := pb.Run(t.Context(), execution.RunInput{Saved: "calling", Arguments: args})
				return r, doubtCode(r, fault)
			},
			"a person": func() (*execution.RunResult, string) {
				r, fault := pb.Run(operator(t), execution.RunInput{Saved: "calling", Arguments: args})
				return r, doubtCode(r, fault)
			},
			"a person, by its file": func() (*execution.RunResult, string) {
				r, fault := pb.Run(operator(t), execution.RunInput{GraphInput: plans.FromText(filepath.Join(dir, "calling.yaml"), read(t, dir, "calling"), ""), Arguments: args})
				return r, doubtCode(r, fault)
			},
		} {
			r, got := ctx()
			if got != code {
				t.Errorf("%s: %q, want %q", who, got, code)
			}
			if got == run.NeedsAnswer {
				if got := doubtCode(pb.ResumeRun(operator(t), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"})); got != code {
					t.Errorf("%s, resumed: %q, want %q", who, got, code)
				}
			}
		}
		want := calls
		if code == "" {
			want += 3
		}
		if got := h.calls["delete"].Load(); got != want {
			t.Errorf("%d calls, want %d", got-calls, want-calls)
		}
	}
	const came, agents = "it came with its folder, and nobody has approved it", "an agent has saved it, and nobody has approved it"
	look(0, came, run.NeedsAnswer)
	_, hits := found(t, pb, discover.SearchInput{Query: "calls a tool", TypeFilter: "graph"})
	if len(hits.Results) == 0 || hits.Results[0].Runnable == nil || *hits.Results[0].Runnable || hits.Results[0].Reason != came {
		t.Errorf("it is found as %+v", hits.Results)
	}
	r, fault := pb.ApproveGraph(operator(t), library.ApproveGraphInput{All: true})
	if fault != nil || len(r.Graphs) != 1 || !r.Graphs[0].Reviewed || !slices.Equal(r.Graphs[0].Tools, []string{"files/delete"}) {
		t.Fatalf("%+v, %v", r, fault)
	}
	look(1, "", "")
	writeGraph(t, dir, "calling", strings.Replace(calling("delete"), "Calls a tool", "Does something else", 1))
	look(0, came, run.NeedsAnswer)
	writeGraph(t, dir, "calling", calling("delete"))
	look(1, "", "")
	if r, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.GraphInput{Graph: text(strings.Replace(calling("delete"), "Calls a tool", "Is an agent's", 1))}, Overwrite: true}); fault != nil || !r.Exposed {
		t.Errorf("%+v, %v", r, fault)
	}
	look(1, agents, run.NeedsAnswer)
	if r, fault := pb.Save(operator(t), library.SaveInput{GraphInput: plans.FromText("", strings.Replace(calling("delete"), "Calls a tool", "Is a person's", 1), ""), Overwrite: true}); fault != nil || !r.Exposed {
		t.Errorf("%+v, %v", r, fault)
	}
	look(1, "", "")
}

func saveBy(ctx context.Context, t *testing.T, pb *app.App, src string) {
	t.Helper()
	if r, fault := pb.Save(ctx, library.SaveInput{GraphInput: plans.GraphInput{Graph: text(src)}, Overwrite: true}); fault != nil || r.Status != "saved" {
		t.Fatalf("%+v, %v", r, fault)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// parentOf calls a saved graph and then a tool.
const parentOf = `
name: parent
description: Calls a graph, then a tool
inputSchema: {type: object}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: graph, graph: calling, args: {path: a}, next: second}
  - {id: second, type: mcp, server: files, tool: delete, args: {path: {expr: $.first.path}}, next: exit}
  - {id: exit, type: exit}
`

// A graph has no more rights than the graphs that it calls: what they return is in its
// calls.
func TestAGraphHasTheRightsOfWhatItCalls(t *testing.T) {
	h := newHinted()
	pb, _ := savingOver(t, app.Options{}, h.server)
	saveBy(operator(t), t, pb, calling("read"))
	saveBy(operator(t), t, pb, parentOf)
	inline := strings.Replace(parentOf, "name: parent", "name: other", 1)
	each := func(agents, persons string) {
		t.Helper()
		for _, c := range []struct {
			in   execution.RunInput
			want [2]string
		}{
			{execution.RunInput{Saved: "parent"}, [2]string{agents, persons}},
			{execution.RunInput{GraphInput: plans.FromText("other.yaml", inline, "")}, [2]string{agents, persons}},
			{execution.RunInput{GraphInput: plans.GraphInput{Graph: text(inline)}}, [2]string{run.NeedsAnswer, persons}},
		} {
			r, fault := pb.Run(t.Context(), c.in)
			if got := doubtCode(r, fault); got != c.want[0] {
				t.Errorf("an agent, %+v: %q, want %q", c.in.Name, got, c.want[0])
			}
			r, fault = pb.Run(operator(t), c.in)
			if got := doubtCode(r, fault); got != c.want[1] {
				t.Errorf("a person, %+v: %q, want %q", c.in.Name, got, c.want[1])
			}
		}
	}
	each("", "")
	saveBy(t.Context(), t, pb, strings.Replace(calling("read"), "Calls a tool", "Returns another path", 1))
	each(run.NeedsAnswer, run.NeedsAnswer)
}

// What the program starts by itself is not started while no person answers for it, or for a
// graph that it calls.
func TestWhatStartsByItself(t *testing.T) {
	h := newHinted()
	hook := config.Webhook{Name: "hook", Graph: "parent", Token: "t"}
	pb, err := app.Open(t.Context(), &config.Config{GraphsDir: t.TempDir(), Runs: config.Runs{Memory: true}, Webhooks: []config.Webhook{hook}}, app.Setup{Servers: []downstream.Server{h.server}})
	if err != nil {
		t.Fatal(err)
	}
	defer pb.Close()
	pb.Start(t.Context())
	start := func(calls int64, code string) {
		t.Helper()
		before := h.calls["delete"].Load()
		r, fault := pb.Webhooks.Named("hook").Start(request.WithClient(t.Context(), request.Client{Wait: 1 << 40}), nil)
		if got := doubtCode(r, fault); got != code {
			t.Errorf("it is %q, want %q: %+v", got, code, fault)
		}
		if got := h.calls["delete"].Load() - before; got != calls {
			t.Errorf("%d calls, want %d", got, calls)
		}
		stopped := pb.Approvals.Stopped()
		if len(stopped) != map[bool]int{true: 1}[code != ""] || code != "" && stopped[0].Code != code {
			t.Errorf("stopped: %+v", stopped)
		}
	}
	approve := func(name string) {
		t.Helper()
		if _, fault := pb.ApproveGraph(operator(t), library.ApproveGraphInput{Names: []string{name}}); fault != nil {
			t.Fatal(fault)
		}
	}
	saveBy(operator(t), t, pb, calling("delete"))
	saveBy(operator(t), t, pb, parentOf)
	start(2, "")
	for _, src := range []string{strings.Replace(parentOf, "a graph", "one graph", 1), strings.Replace(calling("delete"), "a tool", "one tool", 1)} {
		saveBy(t.Context(), t, pb, src)
		start(0, "needs-approval")
		approve(strings.Fields(src)[1])
		start(2, "")
	}
}

// An agent neither replaces nor deletes a file that is not a graph: the folder of graphs may
// be a link to one of the user's. A person may.
func TestAgentsLeaveOtherFilesAlone(t *testing.T) {
	dir := t.TempDir()
	const own = "servers: {mine: {command: x}}\n"
	if err := os.WriteFile(filepath.Join(dir, "settings.yaml"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	pb := cameWith(t, app.Options{}, dir, newHinted().server)
	_, deleted := pb.Delete(t.Context(), library.DeleteInput{Name: "settings"})
	_, saved := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.GraphInput{Graph: text(calling("delete"))}, As: "settings", Overwrite: true})
	for _, fault := range []*diag.Fault{deleted, saved} {
		if fault == nil || fault.Code != "broken-graph" {
			t.Errorf("got %v, want broken-graph", fault)
		}
	}
	if got := read(t, dir, "settings"); got != own {
		t.Errorf("the file is now %q", got)
	}
	if _, fault := pb.Delete(operator(t), library.DeleteInput{Name: "settings"}); fault != nil {
		t.Error(fault)
	}
}
