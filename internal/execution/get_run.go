package execution

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/run"
)

// GetRunInput asks what a run did.
type GetRunInput struct {
	RunID string `json:"run_id" arg:"ID" jsonschema:"run ID, as in a reply"`
	Node  string `json:"node,omitempty" jsonschema:"node id or step key: return its input and output"`
	Index *int   `json:"index,omitempty" jsonschema:"which execution of node or the run: 0 is the first, -1 the last" help:"which execution of --node, or, without --node, of the whole run: 0 is the first, -1 the last"`
	Expr  string `json:"expr,omitempty" jsonschema:"JSONata on the context then, to read part of a large output"`
	From  *int   `json:"from,omitempty" flag:"-" jsonschema:"return a page of all executions from this one, without values"`
}

// GetRunResult is a run's record, one execution of it, or a projection.
type GetRunResult struct {
	RunID          string            `json:"run_id"`
	Graph          string            `json:"graph,omitempty"`
	Project        string            `json:"project,omitempty"` // if it is not this one
	Status         string            `json:"status"`
	Started        string            `json:"started"`
	DurationMs     float64           `json:"duration_ms"`
	NodeExecutions int               `json:"node_executions"`
	Arguments      json.RawMessage   `json:"arguments,omitempty"`
	Result         json.RawMessage   `json:"result,omitempty"`
	Error          *diag.Fault       `json:"error,omitempty"`
	Tokens         *Tokens           `json:"tokens,omitempty"` // that models have taken
	Trace          []reply.TraceStep `json:"trace,omitempty"`
	Asks           []Ask             `json:"asks,omitempty"`          // of a person
	Open           []string          `json:"open,omitempty"`          // keys of the steps at which an unsuccessful run stopped
	UnknownCalls   []run.Called      `json:"unknown_calls,omitempty"` // of open steps: only a decision makes them again
	Hint           string            `json:"hint,omitempty"`          // which decision it needs
	Unverified     string            `json:"unverified,omitempty"`    // why the run is not resumed, nor anything made of it
	Resumed        []run.Resumption  `json:"resumed,omitempty"`
	Step           *reply.TraceStep  `json:"step,omitempty"`
	Steps          []reply.TraceStep `json:"steps,omitempty"`      // a page of the executions, in the order in which they started
	StepCount      int               `json:"step_count,omitempty"` // of all pages
	By             string            `json:"by,omitempty"`         // with a page: what started the run
	Value          json.RawMessage   `json:"value,omitempty"`
	Type           string            `json:"type,omitempty"`
	Cut            int               `json:"size,omitempty"` // of the value in bytes, where it is cut

	content *reply.Content // of the value, the output or the result
}

// MaxValueBytes is how much of one value get_run and evaluate reply with.
const MaxValueBytes = 64 << 10

// GetRun reads a recorded run of the caller's own.
func (rs *Records) GetRun(ctx context.Context, in GetRunInput) (*GetRunResult, *diag.Fault) {
	rec, fault := rs.LookedAt(ctx, in.RunID)
	if fault != nil {
		return nil, fault
	}
	r := &GetRunResult{
		RunID: rec.ID, Graph: rec.Graph, Status: string(rec.Status), Started: rec.Started.UTC().Format("2006-01-02T15:04:05.000Z"),
		DurationMs: reply.Milliseconds(lasted(rec)), NodeExecutions: rec.Executions(), Error: inRun(rec.Fault, rec.ID),
	}
	if rec.Project != rs.execution.process.Project {
		r.Project = projectName(rec.Project)
	}
	if f := rec.Unverified; f != nil {
		r.Unverified = f.Message + "; " + f.Hint
	}
	if in.From != nil {
		r.By = rec.Options.By
		fault := r.page(rec, *in.From)
		return r, fault
	}
	if in.Node == "" && in.Index == nil && in.Expr == "" {
		budget := reply.MaxTraceBytes
		if v, err := expr.Decode(rec.Arguments); err == nil {
			r.Arguments, _ = reply.Excerpt(v, reply.MaxStepBytes, &budget)
		}
		r.Result, r.Cut = reply.Excerpt(rec.Result, reply.MaxTraceBytes, &budget)
		r.content = reply.ReadContent(rec.Result)
		r.Tokens, r.Trace = tokensOf(rec), reply.Trace(rec, reply.TraceFull)
		r.Asks, r.Open, r.UnknownCalls, r.Hint, r.Resumed = rs.asksFor(ctx, rec), openSteps(rec), unknownCalls(rec), cmp.Or(answerNeeded(rec), decisionNeeded(rec)), rec.Resumed
		if r.Unverified != "" {
			r.Hint = ""
		}
		return r, nil
	}
	at := -2 // after all
	if in.Node != "" || in.Index != nil {
		if at, fault = findStep(rec, in); fault != nil {
			return nil, fault
		}
	}
	if in.Expr != "" {
		prog, err := expr.Compile(in.Expr)
		if err != nil {
			return nil, exprArgument("/expr", err)
		}
		var v expr.Value
		var evalErr error
		if fault := rs.execution.process.Compute(ctx, 0, func(ctx context.Context) {
			v, evalErr = prog.Eval(ctx, rec.Scope(at+1, expr.Limits{Timeout: rs.execution.plans.Limits.Within(run.Limits{}).MaxExpressionTime}))
		}); fault != nil {
			return nil, fault
		}
		if evalErr != nil {
			return nil, diag.BadArgument("/expr", "", "the expression failed: %v", evalErr)
		}
		budget := MaxValueBytes
		r.Value, r.Cut = reply.Excerpt(v, budget, &budget)
		r.Type, r.content = expr.Type(v), reply.ReadContent(v)
		return r, nil
	}
	step := rec.Steps[at]
	budget := 2 * MaxValueBytes
	shown := reply.ShowStep(step)
	r.Step = &shown
	if step.Input != nil {
		r.Step.Input, _ = reply.Excerpt(step.Input, MaxValueBytes, &budget)
	}
	r.Step.Output, r.Step.OutputSize = reply.Excerpt(step.Output, MaxValueBytes, &budget)
	r.content = reply.ReadContent(step.Output)
	rs.showExpressions(ctx, rec, at, r.Step)
	return r, nil
}

// Tokens are what the models of a run have taken.
type Tokens struct {
	run.Tokens
	Nodes []run.TokenUse `json:"nodes"`
}

// tokensOf returns what the models of a run have taken, nil if it has asked none.
func tokensOf(rec *run.Record) *Tokens {
	nodes, all := rec.TokenUses()
	if nodes == nil {
		return nil
	}
	return &Tokens{all, nodes}
}

// lasted is how long a run took, or has taken until now.
func lasted(rec *run.Record) time.Duration {
	if rec.Ended.IsZero() {
		return time.Since(rec.Started)
	}
	return rec.Ended.Sub(rec.Started)
}

// openSteps are the keys of the steps at which a run stopped or waits.
func openSteps(rec *run.Record) []string {
	if rec.Status == run.Succeeded || rec.Status == run.Running {
		return nil
	}
	var keys []string
	for _, step := range rec.Open() {
		keys = append(keys, step.Key)
	}
	return keys
}

// findStep finds the execution that node and index mean.
func findStep(rec *run.Record, in GetRunInput) (int, *diag.Fault) {
	var of []int
	var nodes []string
	for i := range rec.Steps {
		nodes = append(nodes, rec.Steps[i].Node)
		if in.Node == "" || rec.Steps[i].Node == in.Node && !rec.Steps[i].Part || rec.Steps[i].Key == in.Node {
			of = append(of, i)
		}
	}
	if len(of) == 0 {
		f := diag.Faultf(run.CodeUnknownNode, "node %q did not run", in.Node)
		f.Path, f.Suggestions = "/node", diag.Closer(in.Node, nodes, 3)
		f.Hint = "the nodes that ran: " + diag.OneOf(nodes, 12)
		return 0, f
	}
	i := len(of) - 1
	if in.Index != nil {
		if i = *in.Index; i < 0 {
			i += len(of)
		}
	}
	if i < 0 || i >= len(of) {
		return 0, diag.Faultf(diag.CodeBadArgument, "no execution has index %d: there are %d", *in.Index, len(of)).At("/index").WithHint("0 is the first, -1 the last")
	}
	return of[i], nil
}

var CodeExprSyntax = diag.DefineFault("expr-syntax", diag.RefusesRequest, "the expression does not parse", "correct it as the message says")

func exprArgument(path string, err *jsonata.Error) *diag.Fault {
	return diag.Faultf(CodeExprSyntax, "%s", err.Message).At(path).WithHint(err.Hint)
}
