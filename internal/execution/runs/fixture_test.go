package runs_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

var operator = run.Actor{Operator: true}

// stopped is a context that gives calls in flight no time.
var stopped = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// toolServer is a server with one tool, s/work, that answers with its arguments.
type toolServer struct{}

func (toolServer) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	spec := &specs.Spec{NodeType: "mcp", Subtype: server + "/" + tool}
	return &engine.Tool{Spec: spec, Input: schema.New([]byte(`{"type":"object"}`)), Output: schema.New([]byte(`{"type":"object"}`))}, nil
}

func (toolServer) Names() []string { return []string{"s/work"} }

func (toolServer) Resolve(string) (server, tool string, ok bool) { return "", "", false }

// callerFunc is a function as a caller.
type callerFunc func(ctx context.Context, c run.Call) (*run.Result, error)

func (f callerFunc) CallTool(ctx context.Context, c run.Call) (*run.Result, error) { return f(ctx, c) }

func compile(_ context.Context, src run.Source) (*engine.Plan, *diag.Fault) {
	doc, found := graph.Parse(src.Name, src.Text)
	if doc != nil {
		plan, more := engine.Compile(doc, src.Tool, engine.Env{Tools: toolServer{}})
		if plan != nil {
			return plan, nil
		}
		found = more
	}
	return nil, diag.Faultf("invalid-graph", "%s", found[0].Message)
}

func planOf(t testing.TB, src string) *engine.Plan {
	t.Helper()
	plan, fault := compile(t.Context(), run.Source{Name: "g.yaml", Text: src})
	if fault != nil {
		t.Fatal(fault)
	}
	return plan
}

// newRunner returns a runner over a store in memory, whose runs call f.
func newRunner(t testing.TB, f callerFunc) (*runs.Local, *journal.Memory) {
	t.Helper()
	store := journal.NewMemory(nil)
	return newRunnerOver(t, store, f), store
}

func newRunnerOver(t testing.TB, store runs.RunStore, f callerFunc) *runs.Local {
	t.Helper()
	l := runs.NewLocal(runs.Options{
		Store:   func() (runs.RunStore, error) { return store, nil },
		Calls:   func(context.Context, string) run.Caller { return f },
		Compile: compile,
		Project: "p",
	})
	t.Cleanup(func() { l.Close(stopped) })
	return l
}

// start runs a graph as a principal's.
func start(t testing.TB, l *runs.Local, principal, src string) *run.Record {
	t.Helper()
	rec, fault := l.Start(t.Context(), planOf(t, src), json.RawMessage(`{}`), runs.StartOptions{Principal: principal})
	if fault != nil {
		t.Fatal(fault)
	}
	return rec
}

// startInBackground runs a graph as a principal's, and returns its record when it has
// stopped.
func startInBackground(t testing.TB, l *runs.Local, principal, src string) <-chan *run.Record {
	t.Helper()
	plan, done := planOf(t, src), make(chan *run.Record, 1)
	go func() {
		rec, _ := l.Start(t.Context(), plan, json.RawMessage(`{}`), runs.StartOptions{Principal: principal})
		done <- rec
	}()
	return done
}

// stands returns how a run stands: its status, and the code of its fault.
func stands(t testing.TB, l *runs.Local, id string) string {
	t.Helper()
	rec, fault := l.Load(operator, id)
	if fault != nil {
		return fault.Code
	}
	if rec.Fault == nil {
		return string(rec.Status)
	}
	return string(rec.Status) + " " + rec.Fault.Code
}
