package app_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/policy/permissions"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/run"
)

// A place is where a person keeps configurations and what they permit.
type place struct {
	dir string
	h   *hinted
}

func newPlace(t *testing.T) *place {
	t.Helper()
	return &place{t.TempDir(), newHinted()}
}

// permitted are the calls that are permitted in the place.
func (p *place) permitted() *permissions.Store {
	return permissions.Open(filepath.Join(p.dir, "approved", "calls.json"))
}

// file is the real path of a file.
func (p *place) file(name string) string { return files.Real(filepath.Join(p.dir, name)) }

// open opens an App with the configuration file of a name.
func (p *place) open(t *testing.T, file string, calls config.Calls) *app.App {
	t.Helper()
	cfg := &config.Config{
		ApprovalsFile: filepath.Join(p.dir, "approved", "graphs.json"), GraphsDir: filepath.Join(p.dir, "graphs"), Runs: config.Runs{Memory: true}, Calls: calls,
	}
	if file != "" {
		cfg.File = filepath.Join(p.dir, file)
		if err := os.WriteFile(cfg.File, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pb, err := app.Open(t.Context(), cfg, app.Setup{Servers: []downstream.Server{p.h.server}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	return pb
}

// inSession is the context of an agent's call in a session.
func inSession(ctx context.Context, id string) context.Context {
	return request.WithClient(request.WithActor(ctx, run.Actor{Principal: "agent"}), request.Client{Peer: id})
}

// deletes runs an agent's graph that deletes, and returns its run and what stopped it.
func deletes(ctx context.Context, t *testing.T, pb *app.App) (*execution.RunResult, string) {
	t.Helper()
	r, fault := pb.Run(ctx, execution.RunInput{GraphInput: plans.GraphInput{Graph: text(calling("delete"))}, Arguments: json.RawMessage(`{"path":"a"}`)})
	return r, doubtCode(r, fault)
}

func allow(how string) json.RawMessage { return json.RawMessage(`{"allow":"` + how + `"}`) }

// A person permits the calls of a tool once, for the run, for the session or for good.
func TestForHowLongCallsArePermitted(t *testing.T) {
	for _, c := range []struct{ how, same, other, later, elsewhere string }{
		{"once", run.NeedsAnswer, run.NeedsAnswer, run.NeedsAnswer, run.NeedsAnswer},
		{"run", run.NeedsAnswer, run.NeedsAnswer, run.NeedsAnswer, run.NeedsAnswer},
		{"session", "", run.NeedsAnswer, run.NeedsAnswer, run.NeedsAnswer},
		{"always", "", "", "", run.NeedsAnswer},
	} {
		t.Run(c.how, func(t *testing.T) {
			p := newPlace(t)
			pb := p.open(t, "patchbay.yaml", config.Calls{})
			one := inSession(t.Context(), "one")
			r, code := deletes(one, t, pb)
			if code != run.NeedsAnswer || !slices.Equal(r.Asks[0].Allowances(), []string{"once", "run", "session", "always"}) {
				t.Fatalf("%q, it asks %+v", code, r.Asks)
			}
			if r, fault := pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: "accept", Content: allow(c.how)}); doubtCode(r, fault) != "" || p.h.calls["delete"].Load() != 1 {
				t.Fatalf("%+v, %v: %d calls", r, fault, p.h.calls["delete"].Load())
			}
			expect := func(where string, ctx context.Context, pb *app.App, want string) {
				t.Helper()
				if _, code := deletes(ctx, t, pb); code != want {
					t.Errorf("%s: %q, want %q", where, code, want)
				}
			}
			expect("in the same session", one, pb, c.same)
			expect("in another one", inSession(t.Context(), "two"), pb, c.other)
			if _, err := pb.CallDownstream(one, execution.GatewayCall{Server: "files", Tool: "delete"}); (err == nil) != (c.same == "") {
				t.Errorf("by the gateway: %v", err)
			}
			list, err := p.permitted().List(p.file("patchbay.yaml"))
			if err != nil || len(list) != map[bool]int{true: 1}[c.same == ""] || len(list) > 0 && (list[0].Name() != "files/delete" || list[0].Allow() != c.how) {
				t.Errorf("the list is %+v, %v", list, err)
			}
			pb.Close()
			again := p.open(t, "patchbay.yaml", config.Calls{})
			expect("after a restart", one, again, c.later)
			expect("with another configuration file", one, p.open(t, "other.yaml", config.Calls{}), c.elsewhere)
			if c.how != "always" {
				return
			}
			expect("with calls.confirm", one, p.open(t, "patchbay.yaml", config.Calls{Confirm: []string{"files/*"}}), run.NeedsAnswer)
			if removed, err := p.permitted().Revoke(p.file("patchbay.yaml"), "files", "delete"); err != nil || !removed {
				t.Fatal(removed, err)
			}
			expect("revoked", one, again, run.NeedsAnswer)
		})
	}
}

// What is permitted for good is in a file that only the person can read, and ends with the
// definition of the tool.
func TestAChangedToolIsAskedAboutAgain(t *testing.T) {
	p := newPlace(t)
	pb := p.open(t, "patchbay.yaml", config.Calls{})
	r, _ := deletes(inSession(t.Context(), "one"), t, pb)
	p.h.server.InProcess.AddTool(&mcp.Tool{Name: "other", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	})
	if r, fault := pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: "accept", Content: allow("always")}); doubtCode(r, fault) != "" {
		t.Fatalf("%+v, %v", r, fault)
	}
	info, err := os.Stat(filepath.Join(p.dir, "approved", "calls.json"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, code := deletes(inSession(t.Context(), "two"), t, p.open(t, "patchbay.yaml", config.Calls{})); code != "" {
		t.Errorf("with another tool: %q", code)
	}
	yes := true
	p.h.server.InProcess.AddTool(&mcp.Tool{Name: "delete", Description: "Deletes more", InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes}}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: r.Params.Arguments}, nil
	})
	if _, code := deletes(inSession(t.Context(), "two"), t, p.open(t, "patchbay.yaml", config.Calls{})); code != run.NeedsAnswer {
		t.Errorf("with another definition: %q", code)
	}
}

// A call that is permitted once is one step: the next one asks again, also in another process,
// and a wider answer to that holds for the rest.
func TestPermittedOnceIsOneStep(t *testing.T) {
	h, file := newHinted(), t.TempDir()+"/runs.db"
	open := func() *app.App {
		return overWith(t, app.Options{Store: func() (runs.RunStore, error) { return journal.Open(file, nil) }, Project: "p"}, nil, h.server)
	}
	pb := open()
	const graph = `
nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: mcp, server: files, tool: delete, args: {path: {expr: $string($item)}}, foreach: {items: {expr: '[1..6]'}, concurrency: 3}, next: exit}
  - {id: exit, type: exit}
`
	r, fault := pb.Run(inSession(t.Context(), "one"), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(graph)}})
	for _, how := range []string{"once", "once", "once", "run"} {
		if doubtCode(r, fault) != run.NeedsAnswer || len(r.Asks) != 1 {
			t.Fatalf("before %s: %+v, %v", how, r, fault)
		}
		pb.Close()
		pb = open()
		r, fault = pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: "accept", Content: allow(how)})
		if made := h.calls["delete"].Load(); how == "once" && made > 3 {
			t.Errorf("%d calls were made", made)
		}
	}
	if doubtCode(r, fault) != "" || h.calls["delete"].Load() != 6 {
		t.Errorf("%+v, %v: %d calls", r, fault, h.calls["delete"].Load())
	}
}

// An agent's client cannot permit calls for good, whatever it answers.
func TestAClientPermitsNothingForGood(t *testing.T) {
	p := newPlace(t)
	pb := p.open(t, "patchbay.yaml", config.Calls{})
	one := inSession(t.Context(), "one")
	r, _ := deletes(one, t, pb)
	if got := r.Asks[0].AtClient().Allowances(); !slices.Equal(got, []string{"once", "run", "session"}) {
		t.Errorf("it is offered %q", got)
	}
	_, fault := pb.Answer(one, execution.AnswerInput{RunID: r.RunID, Action: "accept", Content: allow("always")})
	if fault == nil || fault.Code != "ask-a-person" || !strings.Contains(fault.Hint, "patchbay runs answer "+r.RunID+" accept allow=always") || p.h.calls["delete"].Load() != 0 {
		t.Fatalf("%v: %d calls", fault, p.h.calls["delete"].Load())
	}
	if list, _ := p.permitted().List(p.file("patchbay.yaml")); len(list) != 0 {
		t.Errorf("the list is %+v", list)
	}
	if r, fault := pb.Answer(one, execution.AnswerInput{RunID: r.RunID, Action: "accept", Content: allow("session")}); doubtCode(r, fault) != "" {
		t.Errorf("%+v, %v", r, fault)
	}
}

// What cannot be kept is not offered: without a configuration file nothing for good, without a
// session nothing for one, and neither for calls.confirm or a graph for which no person answers.
func TestWhatIsOffered(t *testing.T) {
	p := newPlace(t)
	pb := p.open(t, "patchbay.yaml", config.Calls{})
	if r, fault := pb.Save(inSession(t.Context(), "one"), library.SaveInput{GraphInput: plans.GraphInput{Graph: text(calling("delete"))}}); fault != nil || r.Status != "saved" {
		t.Fatalf("%+v, %v", r, fault)
	}
	sent := execution.RunInput{GraphInput: plans.GraphInput{Graph: text(strings.Replace(calling("delete"), "name: calling", "name: sent", 1))}}
	for what, c := range map[string]struct {
		pb      *app.App
		session string
		in      execution.RunInput
		want    []string
	}{
		"no configuration file": {p.open(t, "", config.Calls{}), "one", sent, []string{"once", "run", "session"}},
		"no session":            {pb, "", sent, []string{"once", "run", "always"}},
		"calls.confirm":         {p.open(t, "patchbay.yaml", config.Calls{Confirm: []string{"files/*"}}), "one", sent, []string{"once", "run"}},
		"an agent's graph":      {pb, "one", execution.RunInput{Saved: "calling", Arguments: json.RawMessage(`{"path":"a"}`)}, []string{"once", "run"}},
	} {
		r, fault := c.pb.Run(inSession(t.Context(), c.session), c.in)
		if doubtCode(r, fault) != run.NeedsAnswer {
			t.Fatalf("%s: %+v, %v", what, r, fault)
		}
		if got := r.Asks[0].Allowances(); !slices.Equal(got, c.want) {
			t.Errorf("%s: it is offered %q, want %q", what, got, c.want)
		}
	}
	sentRun, _ := pb.Run(inSession(t.Context(), "one"), sent)
	if r, fault := pb.Answer(operator(t), execution.AnswerInput{RunID: sentRun.RunID, Action: "accept", Content: allow("always")}); doubtCode(r, fault) != "" {
		t.Fatalf("%+v, %v", r, fault)
	}
	if r, fault := pb.Run(inSession(t.Context(), "one"), execution.RunInput{Saved: "calling", Arguments: json.RawMessage(`{"path":"a"}`)}); doubtCode(r, fault) != run.NeedsAnswer {
		t.Errorf("the agent's graph: %+v, %v", r, fault)
	}
}
