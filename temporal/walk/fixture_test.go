package walk_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// A site has what runs call: the tools of a server s, of which those whose name begins
// with "read" are repeatable.
type site struct {
	t     *testing.T
	tools map[string]func(ctx context.Context, c run.Call) (*run.Result, error)

	mu   sync.Mutex
	keys []string // of the calls, in order
}

func (s *site) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	yes := true
	spec := &specs.Spec{NodeType: specs.MCP, Subtype: server + "/" + tool}
	if tool[0] == 'r' {
		spec.Annotations = &specs.Annotations{ReadOnly: &yes, Trusted: true}
	}
	return &engine.Tool{Spec: spec}, nil
}
func (s *site) Names() []string { return nil }

func (s *site) Resolve(string) (server, tool string, known bool) { return "", "", false }

func (s *site) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	s.mu.Lock()
	s.keys = append(s.keys, c.Key)
	s.mu.Unlock()
	if c.Idempotency == "" {
		s.t.Errorf("the call %s has no idempotency key", c.Key)
	}
	tool := s.tools[c.Tool]
	if tool == nil {
		return structured(c.Args), nil
	}
	return tool(ctx, c)
}

// calls returns the keys of the calls that were made, sorted.
func (s *site) calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.keys))
}

func structured(b json.RawMessage) *run.Result { return &run.Result{Structured: b} }

// A trial is a run in the test environment of the SDK.
type trial struct {
	*testsuite.TestWorkflowEnvironment

	t    *testing.T
	site *site
	in   wire.Input

	reads converter.DataConverter // what is written; nil is the SDK's
}

// newTrial prepares a run of a graph. The tools of the site may be nil.
func newTrial(t *testing.T, text string, s *site, o *walk.Options) *trial {
	t.Helper()
	e := newEnvironment(t, o)
	e.site, s.t = s, t
	calls := &walk.Calls{Caller: func(context.Context, *wire.CallRequest) run.Caller { return s }}
	calls.Register(e)
	e.in = inputOf(t, text, s)
	e.SetStartTime(e.in.Record.Started)
	return e
}

// newEnvironment returns an environment with the workflow of runs, and without activities.
func newEnvironment(t *testing.T, o *walk.Options) *trial {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	e := &trial{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), t: t}
	e.SetTestTimeout(10 * time.Minute)
	e.SetWorkerOptions(walk.WorkerOptions())
	walk.New(o).Register(e)
	return e
}

// inputOf returns what starts a run of a graph.
func inputOf(t *testing.T, text string, s *site) wire.Input {
	t.Helper()
	doc, _ := graph.Parse("g.yaml", text)
	limits := run.Limits{MaxExecutionTime: 365 * 24 * time.Hour}
	plan, found := engine.Compile(doc, "", engine.Env{Tools: s, Limits: limits})
	if plan == nil {
		t.Fatal(found[0].Message)
	}
	pinned, err := wire.Pin(t.Context(), plan, limits, func(string) int { return 100 })
	if err != nil {
		t.Fatal(err)
	}
	return wire.NewInput(plan, pinned, json.RawMessage(`{}`), run.Options{ID: "run_1", Limits: limits}, time.Unix(1_800_000_000, 0).UTC())
}

// run executes the run, in as many executions of its workflow as it takes, and returns its
// record.
func (e *trial) run() *run.Record {
	e.t.Helper()
	rec, next := e.once()
	if next != nil {
		e.t.Fatal("the run continues as a new execution")
	}
	return rec
}

// once executes the workflow once: it returns the record, or with what it continues.
func (e *trial) once() (*run.Record, *wire.Input) {
	e.t.Helper()
	e.ExecuteWorkflow(wire.Workflow, e.in)
	if !e.IsWorkflowCompleted() {
		e.t.Fatal("the workflow has not completed")
	}
	if err := e.GetWorkflowError(); err != nil {
		again, ok := errors.AsType[*workflow.ContinueAsNewError](err)
		if !ok {
			e.t.Fatal(err)
		}
		next := &wire.Input{}
		if err := e.decode(again, next); err != nil {
			e.t.Fatal(err)
		}
		return nil, next
	}
	var out wire.Outcome
	if err := e.GetWorkflowResult(&out); err != nil {
		e.t.Fatal(err)
	}
	if out.Status.Status != out.Record.Status {
		e.t.Errorf("status %s of a run that is %s", out.Status.Status, out.Record.Status)
	}
	return &out.Record.Record, nil
}

func (e *trial) decode(again *workflow.ContinueAsNewError, into any) error {
	if e.reads == nil {
		e.reads = converter.GetDefaultDataConverter()
	}
	return e.reads.FromPayloads(again.Input, into)
}

// result fails the test unless the run has succeeded with a result.
func result(t *testing.T, rec *run.Record, want string) {
	t.Helper()
	if rec.Status != run.Succeeded {
		t.Fatalf("the run is %s: %v", rec.Status, rec.Fault)
	}
	b, err := expr.Encode(rec.Result)
	if err != nil || string(b) != want {
		t.Errorf("result %s (%v), want %s", b, err, want)
	}
}

// failed fails the test unless the run has stopped with a fault.
func failed(t *testing.T, rec *run.Record, status run.Status, code string) {
	t.Helper()
	if rec.Status != status || rec.Fault == nil || rec.Fault.Code != code {
		t.Fatalf("the run is %s: %v; want %s: %s", rec.Status, rec.Fault, status, code)
	}
}

// quiet logs nothing.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

// graphOf returns a graph of nodes between an entry and an exit, in flow style.
func graphOf(first string, nodes ...string) string {
	head := "name: g\nexecutionLimits: {maxExecutionTimeMs: 31536000000}\nnodes:\n"
	all := slices.Concat([]string{"{id: entry, type: entry, next: " + first + "}"}, nodes, []string{"{id: exit, type: exit}"})
	return head + "  - " + strings.Join(all, "\n  - ") + "\n"
}
