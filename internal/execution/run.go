package execution

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// RunInput asks for a run of a graph or of a saved one.
type RunInput struct {
	plans.GraphInput `arg:"FILE|NAME"`
	Saved            string                     `json:"name,omitempty" flag:"-" jsonschema:"a saved graph instead of graph"`
	Arguments        json.RawMessage            `json:"arguments,omitempty" arg:"[KEY=VALUE…]" flag:"args,a" jsonschema:"the call's arguments" help:"arguments as a JSON object; - is standard input, @FILE a file"`
	Mode             string                     `json:"mode,omitempty" flag:"-" enum:"run,dry_run" jsonschema:"dry_run calls only tools known to be read-only"`
	Pins             map[string]json.RawMessage `json:"pins,omitempty" flag:"pin" jsonschema:"outputs to use instead of running nodes, by node id" help:"use this output instead of running the node (repeatable)"`
	Cases            []RunCase                  `json:"cases,omitempty" flag:"-" maximum:"100" jsonschema:"instead of arguments: {arguments, pins?, expect?: the result, or error?: its code, name?, keep?: make it a test}"`
	Until            string                     `json:"until,omitempty" jsonschema:"the last node to run"`
	Trace            string                     `json:"trace,omitempty" default:"none" enum:"none,summary,full" jsonschema:"default summary; full has inputs and outputs" help:"none, summary or full: with inputs and outputs"`
	TimeoutMs        int                        `json:"timeout_ms,omitempty" jsonschema:"a lower time limit than the graph's" help:"time limit of the run, in milliseconds; it can only lower the limit of the graph and of the operator"`
	WaitMs           int                        `json:"wait_ms,omitempty" flag:"-" jsonschema:"default 45000; a longer run continues, see get_run"`
	Background       bool                       `json:"background,omitempty" flag:"-" jsonschema:"reply with run_id at once"`

	// OnEvent is called as nodes start and end.
	OnEvent func(run.Event) `json:"-"`
	// Debugger may pause the run before nodes; nil pauses nowhere. Cases cannot be debugged.
	Debugger *run.Debugger `json:"-"`
	// OnCase is called as cases end.
	OnCase func(passed bool) `json:"-"`
	// RunID is an ID for the run, of [runs.NewID]; "" has it chosen.
	RunID string `json:"-"`
}

// RunResult is the outcome of a run.
type RunResult struct {
	RunID          string              `json:"run_id,omitempty"`
	Status         string              `json:"status"` // succeeded, failed, cancelled, running: it continues after the reply, interrupted: it waits for somebody, or rejected before it ran
	Result         json.RawMessage     `json:"result,omitempty"`
	ResultSize     int                 `json:"result_size,omitempty"` // in bytes, where the result is cut
	Paths          []string            `json:"paths,omitempty"`       // of a result that is cut, such as "files[].name: string"
	Error          *diag.Fault         `json:"error,omitempty"`
	Hint           string              `json:"hint,omitempty"` // what to do about a run that continues, failed or needs a decision
	Diagnostics    diag.List           `json:"diagnostics,omitempty"`
	More           int                 `json:"more,omitempty"`
	Asks           []Ask               `json:"asks,omitempty"`          // what an interrupted run, or a call of one that continues, wants to know of a person
	Open           []string            `json:"open,omitempty"`          // keys of the steps at which an unsuccessful run stopped
	UnknownCalls   []run.Called        `json:"unknown_calls,omitempty"` // of open steps: only a decision makes them again
	Trace          []reply.TraceStep   `json:"trace,omitempty"`
	DurationMs     float64             `json:"duration_ms"`
	NodeExecutions int                 `json:"node_executions"`
	Tokens         *Tokens             `json:"tokens,omitempty"` // that models have taken
	Cases          *CasesResult        `json:"cases,omitempty"`
	Draft          string              `json:"draft,omitempty"` // of the graph that ran; a caller that sent the handle has it, unless it ran cases
	Catalog        *plans.CatalogState `json:"catalog,omitempty"`

	Rendered string `json:"-"` // the diagnostics for people
	Rest     string `json:"-"` // how to read a part of a result that is not shown in whole

	content *reply.Content // of the result
}

// Failed reports whether the run did not do what was asked. One that continues has
// not failed.
func (r *RunResult) Failed() bool {
	return r.Status != string(run.Succeeded) && r.Status != string(run.Running)
}

const modeDry = run.DryRun

// Run compiles a graph and runs it.
func (ex *Execution) Run(ctx context.Context, in RunInput) (*RunResult, *diag.Fault) {
	plan, rejected, fault := ex.runnable(ctx, in)
	if fault != nil || rejected != nil {
		return rejected, fault
	}
	if fault := ex.plans.NotRunnable(ctx, plan); fault != nil {
		return &RunResult{Status: reply.StatusRejected, Error: fault}, nil
	}
	detail, fault := reply.TraceDetail(in.Trace)
	if fault != nil {
		return nil, fault
	}
	o, fault := ex.startOptions(ctx, in)
	if fault != nil {
		return nil, fault
	}
	if fault := in.checkDebugger(plan); fault != nil {
		return nil, fault
	}
	if len(in.Cases) > 0 {
		return ex.runCases(ctx, plan, in, o)
	}
	if fault := plan.UnknownArguments(in.Arguments); fault != nil {
		return &RunResult{Status: reply.StatusRejected, Error: fault}, nil
	}
	rec, fault := ex.Runner.Start(ctx, plan, in.Arguments, o)
	if fault != nil {
		return nil, fault
	}
	r := runReply(rec, detail)
	if len(in.Graph) > 0 {
		if handle := ex.draftHandle(ctx, &in); !bytes.Contains(in.Graph, []byte(handle)) {
			r.Draft = handle
		}
	}
	return r, nil
}

// startOptions are how the run is started that a call asks for.
func (ex *Execution) startOptions(ctx context.Context, in RunInput) (runs.StartOptions, *diag.Fault) {
	o := ex.Starts(ctx, request.ClientFrom(ctx, in.OnEvent))
	o.ID, o.Background, o.Debugger = in.RunID, in.Background, in.Debugger
	if in.WaitMs > 0 {
		o.Wait = request.Remaining(ctx, time.Duration(in.WaitMs)*time.Millisecond)
	}
	o.Limits = ex.plans.Limits
	if asked := time.Duration(in.TimeoutMs) * time.Millisecond; asked > 0 && (o.Limits.MaxExecutionTime <= 0 || asked < o.Limits.MaxExecutionTime) {
		o.Limits.MaxExecutionTime = asked
	}
	o.Until = in.Until
	o.Pins = map[string]expr.Value{}
	if fault := AddPins(o.Pins, in.Pins, "/pins/"); fault != nil {
		return o, fault
	}
	switch in.Mode {
	case "", "run":
	case modeDry:
		o.Mode = modeDry
	default:
		return o, diag.BadArgument("/mode", `mode is "run" or "dry_run"`, "unknown mode %q", in.Mode)
	}
	return o, nil
}

// AddPins decodes the outputs that a caller has sent at a path.
func AddPins(to map[string]expr.Value, pins map[string]json.RawMessage, path string) *diag.Fault {
	for id, text := range pins {
		v, err := expr.Decode(text)
		if err != nil {
			return diag.BadArgument(path+id, "write a JSON value; a text is in quotes", "the pin of %q is not JSON: %v", id, err)
		}
		to[id] = v
	}
	return nil
}

// runnable finds the plan a call means, or the reply that refuses it.
func (ex *Execution) runnable(ctx context.Context, in RunInput) (*engine.Plan, *RunResult, *diag.Fault) {
	if in.Saved != "" {
		if !in.Empty() {
			return nil, nil, diag.BadArgument("/name", "send graph or name, not both", "the call has both graph and name")
		}
		plan, found, fault := ex.plans.SavedPlan(ctx, in.Saved)
		if fault != nil || plan != nil {
			return plan, nil, fault
		}
		return nil, ex.reject(ctx, &plans.Source{Name: in.Saved}, found), nil
	}
	s, fault := ex.plans.Source(ctx, in.GraphInput)
	if fault != nil {
		return nil, nil, fault
	}
	c, fault := ex.plans.One(ctx, s, in.Tool)
	if fault != nil {
		return nil, nil, fault
	}
	c.Runnable()
	if c.Plan == nil {
		return nil, ex.reject(ctx, s, c.Found), nil
	}
	return c.Plan, nil, nil
}

// reject is the reply to a graph that cannot run.
func (ex *Execution) reject(ctx context.Context, s *plans.Source, found diag.List) *RunResult {
	r := &RunResult{Status: reply.StatusRejected, Error: plans.StartingFault(found), Catalog: ex.plans.CatalogState(ctx)}
	if r.Error != nil {
		return r
	}
	r.Diagnostics, r.More = s.Shown(found.With(diag.Error))
	if !s.Object {
		r.Rendered = diag.Format(s.Name, s.Written(), r.Diagnostics)
	}
	return r
}

// runReply is the outcome of a run, with what can be done about it.
func runReply(rec *run.Record, detail reply.TraceMode) *RunResult {
	r := runResult(rec, detail)
	r.Hint = cmp.Or(r.Hint, afterFailure(rec), readRest(rec.ID, r.Trace))
	return r
}

func runResult(rec *run.Record, detail reply.TraceMode) *RunResult {
	r := &RunResult{
		RunID: rec.ID, Status: string(rec.Status), Error: inRun(rec.Fault, rec.ID), Hint: nextStep(rec),
		DurationMs: reply.Milliseconds(lasted(rec)), NodeExecutions: rec.Executions(), Tokens: tokensOf(rec), Rest: readValue(rec),
	}
	if rec.Status == run.Running {
		r.Asks = Asks(rec)
		return r
	}
	if rec.Status == run.Failed && len(rec.Steps) == 0 {
		r.Status = reply.StatusRejected
	}
	if rec.Fault == nil {
		b, err := expr.Encode(rec.Result)
		if err != nil {
			r.Status, r.Error = string(run.Failed), &diag.Fault{Code: diag.CodeInvalidResult, Message: "the result is not JSON: " + err.Error(), Err: err}
		} else {
			r.Result = b
		}
	}
	r.Asks, r.Open, r.UnknownCalls = Asks(rec), openSteps(rec), unknownCalls(rec)
	r.Trace = reply.Trace(rec, detail)
	return r
}

// Text is the diagnostics for people, or "".
func (r *RunResult) Text() string { return r.Rendered }

// CallGraph runs a published graph as the tool it is.
func (ex *Execution) CallGraph(ctx context.Context, name string, arguments json.RawMessage) (*RunResult, *diag.Fault) {
	return ex.start(ctx, diag.Cut(request.ClientName(ctx), maxStarter), name, arguments, "", true)
}

// ToolReply is the reply of a published graph: its result as structured content,
// or why there is none.
func (r *RunResult) ToolReply() (json.RawMessage, *diag.Fault) {
	switch {
	case r.Error != nil && r.Hint != "":
		f := *r.Error
		f.Hint = diag.JoinHints(f.Hint, r.Hint)
		return nil, &f
	case r.Error != nil:
		return nil, r.Error
	case r.Status == string(run.Running):
		return nil, diag.Faultf(plans.StillRunning, "the run %s is still in progress after %.0f ms", r.RunID, r.DurationMs).WithHint(r.Hint)
	}
	return engine.Wrap(r.Result), nil
}
