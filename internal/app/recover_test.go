package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// wrecks is a journal that a process left, in a file.
type wrecks struct {
	t    *testing.T
	path string
}

func newWrecks(t *testing.T) wrecks { return wrecks{t, filepath.Join(t.TempDir(), "runs.db")} }

// leave leaves runs as a process does that is killed.
func (w wrecks) leave(runs ...*run.Record) {
	w.t.Helper()
	j, err := journal.Open(w.path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range runs {
		if err := j.Begin(r, true); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// stands returns the status of a run.
func (w wrecks) stands(id string) string {
	w.t.Helper()
	j, err := journal.Open(w.path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	rec, err := j.Load(run.Actor{Operator: true}, id)
	if err := errors.Join(err, j.Close()); err != nil {
		w.t.Fatal(err)
	}
	if rec.Fault == nil {
		return string(rec.Status)
	}
	return string(rec.Status) + " " + rec.Fault.Code
}

// options are of a Patchbay of the project "p" with this journal.
func (w wrecks) options() app.Options {
	return app.Options{Project: "p", Store: func() (runs.RunStore, error) { return journal.Open(w.path, nil) }}
}

const sum = `
nodes:
  - {id: entry, type: entry, next: sum}
  - {id: sum, type: transform, transform: {expr: 1 + 1}, next: exit}
  - {id: exit, type: exit}
`

func wreck(id, project, src string) *run.Record {
	return &run.Record{ID: id, Project: project, Principal: "local", Status: run.Running, Started: time.Now(), Source: run.Source{Name: "g.yaml", Text: src}}
}

// heard is a meter that tells how runs end, and panics for one type of node.
type heard struct {
	ends   chan string
	panics string
}

func (h *heard) Run(outcome string, _ time.Duration) { h.ends <- outcome }

func (h *heard) Node(kind, _ string, _ time.Duration) {
	if kind == h.panics {
		panic("a node that ends the process")
	}
}

// recovered recovers, and waits until so many runs have ended.
func recovered(t *testing.T, pb *app.App, h *heard, runs int) {
	t.Helper()
	if h.ends == nil {
		h.ends = make(chan string, 100)
	}
	pb.AddMetrics(h)
	pb.Recover()
	for range runs {
		<-h.ends
	}
	pb.Close()
}

func TestRecoverIsForOneProject(t *testing.T) {
	w := newWrecks(t)
	w.leave(wreck("mine", "p", sum), wreck("other", "q", sum), wreck("old", "", sum))
	recovered(t, overWith(t, w.options(), nil), &heard{}, 1)
	for id, want := range map[string]string{"mine": "succeeded", "other": "interrupted crashed", "old": "interrupted crashed"} {
		if got := w.stands(id); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	o := w.options()
	o.Project = ""
	recovered(t, overWith(t, o, nil), &heard{}, 0)
	if got := w.stands("old"); got != "interrupted crashed" {
		t.Errorf("without a project a run without one is %s", got)
	}
}

// A run that the process did not survive twice is parked, unless it made a call in
// between, somebody decided about it, or it only waited.
func TestRecoverParksCausesOfCrashes(t *testing.T) {
	w := newWrecks(t)
	crash := func(steps int) run.Resumption { return run.Resumption{After: "crash", Steps: steps} }
	wrecked := func(id string, resumed ...run.Resumption) *run.Record {
		r := wreck(id, "p", sum)
		r.Resumed = resumed
		return r
	}
	further := wrecked("further", crash(0))
	further.Steps = []*run.StepRecord{{Node: "entry", Type: "entry", Key: "entry#0", Ended: 1, Pure: true}, {Index: 1, Node: "call", Type: "mcp", Key: "call#0", Ended: 2}}
	computed := wrecked("computed", crash(0)) // what it computed is no progress
	computed.Steps = further.Steps[:1]
	waits := wreck("waits", "p", strings.Replace(sum, "type: transform, transform: {expr: 1 + 1}", "type: wait, ms: 1", 1))
	waits.Resumed = []run.Resumption{crash(0), crash(0)}
	waits.Steps = []*run.StepRecord{{Index: 0, Node: "sum", Type: "wait", Key: "sum#0", Started: time.Now()}}
	w.leave(wrecked("once"), wrecked("twice", crash(0)), further, computed, waits,
		wrecked("decided", crash(0), run.Resumption{After: "crashes", Decision: "retry"}),
		wrecked("between", crash(0), run.Resumption{After: run.ShuttingDown}))
	pb := overWith(t, w.options(), nil)
	h := &heard{ends: make(chan string, 100)}
	recovered(t, pb, h, 4)
	for id, want := range map[string]string{
		"once": "succeeded", "twice": "interrupted crashes", "computed": "interrupted crashes", "waits": "succeeded", "decided": "succeeded", "between": "interrupted crashes",
	} {
		if got := w.stands(id); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	if got := w.stands("further"); strings.HasSuffix(got, "crashes") {
		t.Errorf("a run that completed a step is %s", got)
	}

	recovered(t, overWith(t, w.options(), nil), h, 0)
	if got := w.stands("twice"); got != "interrupted crashes" {
		t.Errorf("at the next start it is %s", got)
	}
	pb = overWith(t, w.options(), nil)
	r, fault := pb.ResumeRun(request.WithActor(t.Context(), run.Actor{Principal: "local"}), execution.ResumeRunInput{RunID: "twice", Decision: "retry"})
	if fault != nil || r.Status != string(run.Succeeded) {
		t.Errorf("resumed by a decision: %+v %v", r, fault)
	}
	pb.Close()
}

// A recovered run that panics fails; the other runs and the process continue.
func TestRecoverSurvivesAPanic(t *testing.T) {
	w := newWrecks(t)
	w.leave(wreck("bad", "p", sum), wreck("good", "p", strings.Replace(sum, "type: transform, transform: {expr: 1 + 1}", "type: wait, ms: 1", 1)))
	recovered(t, overWith(t, w.options(), nil), &heard{panics: "transform"}, 2)
	if bad, good := w.stands("bad"), w.stands("good"); bad != "failed internal-error" || good != "succeeded" {
		t.Errorf("the run that panicked is %s, the other %s", bad, good)
	}
}

// A recovered run waits for a server as long as that is starting, however short
// others wait.
func TestRecoverWaitsForServers(t *testing.T) {
	w := newWrecks(t)
	w.leave(wreck("run", "p", "\nnodes:\n  - {id: entry, type: entry, next: slow}\n  - {id: slow, type: mcp, server: slow, tool: work, next: exit}\n  - {id: exit, type: exit}\n"))
	asked, up := make(chan struct{}, 10), make(chan struct{})
	slow := mcp.NewServer(&mcp.Implementation{Name: "slow", Version: "1"}, nil)
	slow.AddTool(&mcp.Tool{Name: "work", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: map[string]bool{"done": true}}, nil
	})
	slow.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			select {
			case <-up:
			default:
				asked <- struct{}{}
				<-up
			}
			return next(ctx, method, req)
		}
	})
	o := w.options()
	o.Servers, o.Downstream.Wait = []downstream.Server{{Name: "slow", InProcess: slow}}, time.Millisecond
	pb := app.New(o)
	t.Cleanup(pb.Close)
	go pb.Start(t.Context())
	<-asked // the server is started
	h := &heard{ends: make(chan string, 1)}
	pb.AddMetrics(h)
	pb.Recover()
	for range 100 { // many times as long as a call waits
		if err := pb.AwaitServers(t.Context(), func(downstream.Status) time.Duration { return time.Minute }); err != nil || pb.Status()[0].State == "ready" {
			t.Fatalf("while it starts: %+v, %v", pb.Status(), err)
		}
	}
	select {
	case how := <-h.ends:
		t.Errorf("the run ended before the server was ready: %s", how)
	default:
	}
	if got := w.stands("run"); got != "running" {
		t.Errorf("while the server starts the run is %s", got)
	}
	close(up)
	if how := <-h.ends; how != "succeeded" {
		t.Errorf("the run is %s", how)
	}
	pb.Close()
}

// A run that needs a tool which is missing says so, and is resumed when the tool is
// there.
func TestRecoverWhenAToolComes(t *testing.T) {
	w := newWrecks(t)
	w.leave(wreck("run", "p", "\nnodes:\n  - {id: entry, type: entry, next: late}\n  - {id: late, type: mcp, server: late, tool: work, next: exit}\n  - {id: exit, type: exit}\n"))
	late := mcp.NewServer(&mcp.Implementation{Name: "late", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}}})
	o := w.options()
	logged := make(chan string, 100)
	o.Servers, o.Logger = []downstream.Server{{Name: "late", InProcess: late}}, slog.New(slog.NewTextHandler(lines(logged), nil))
	pb := app.New(o)
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	h := &heard{ends: make(chan string, 1)}
	pb.AddMetrics(h)
	pb.Recover()
	for line := range logged {
		if strings.Contains(line, "code=needs-server") && strings.Contains(line, "has no tool") {
			break
		}
	}
	late.AddTool(&mcp.Tool{Name: "work", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: map[string]bool{"done": true}}, nil
	})
	if how := <-h.ends; how != "succeeded" {
		t.Errorf("the run is %s", how)
	}
	pb.Close()
}

// lines is a writer that passes on what is written.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// A client whose connection ends parks its run; one that cancels ends it.
func TestARunOutlivesItsConnection(t *testing.T) {
	for cause, want := range map[error]string{io.EOF: "interrupted", io.ErrClosedPipe: "interrupted", context.Canceled: "cancelled"} {
		g := newGate()
		pb := over(t, nil, g.server)
		ctx, leave := context.WithCancelCause(t.Context())
		src := strings.Replace(throughTheGate, "tool: pass,", "tool: pass, onError: exit,", 1)
		done := running(pb, ctx, src, `{"n":1}`)
		<-g.entered // the server is called
		leave(cause)
		r := <-done
		if r.Status != want || want == "interrupted" && r.Error.Code != run.ShuttingDown {
			t.Errorf("%v: the run is %s: %v", cause, r.Status, r.Error)
		}
		pb.Close()
	}
}
