package execution

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// ResumeRunInput says how to resume a stopped run.
type ResumeRunInput struct {
	RunID    string          `json:"run_id" arg:"ID" jsonschema:"run ID"`
	Decision string          `json:"decision" flag:"-" enum:"retry,skip,pin" jsonschema:"retry the open step, skip it, or pin its output"`
	Step     string          `json:"step,omitempty" jsonschema:"key of the open step, if there are several"`
	Pin      json.RawMessage `json:"pin,omitempty" flag:"-" jsonschema:"the output to pin"`
	Graph    json.RawMessage `json:"graph,omitempty" flag:"-" jsonschema:"a corrected graph, or its draft handle"`

	File plans.GraphInput `json:"-"` // a corrected graph from the operator's own file

	OnEvent func(run.Event) `json:"-"`
}

// ResumeRun resumes a run that failed, was cancelled or waits for a
// decision. What it has completed is not done again, also not with a corrected
// graph, which must leave that as it was.
func (ex *Execution) ResumeRun(ctx context.Context, in ResumeRunInput) (*RunResult, *diag.Fault) {
	rec, fault := ex.record(ctx, in.RunID)
	if fault != nil {
		return nil, fault
	}
	if fault := ex.ownRun(rec); fault != nil {
		return nil, fault
	}
	if fault := resumable(rec); fault != nil {
		return nil, fault
	}
	d := run.Decision{Do: in.Decision, Step: in.Step}
	switch {
	case d.Do == "":
		d.Do = "retry"
	case d.Do == "pin" && len(in.Pin) == 0:
		return nil, diag.BadArgument("/pin", "send the step's output", "decision pin needs pin")
	case d.Do == "pin":
		v, err := expr.Decode(in.Pin)
		if err != nil {
			return nil, diag.BadArgument("/pin", "write a JSON value; a text is in quotes", "the pin is not JSON: %v", err)
		}
		d.Pin = v
	case d.Do != "retry" && d.Do != "skip":
		return nil, diag.BadArgument("/decision", "retry, skip or pin", "unknown decision %q", d.Do)
	}
	if fault := ex.answerable(ctx, rec, d); fault != nil {
		return nil, fault
	}
	if len(in.Graph) > 0 {
		in.File = plans.GraphInput{Graph: in.Graph}
	}
	plan, rejected, fault := ex.correctedPlan(ctx, rec, in.File)
	if fault != nil || rejected != nil {
		return rejected, fault
	}
	if fault := rec.Decide(d, time.Now()); fault != nil {
		return nil, fault
	}
	rec.Options.Operator = rec.Options.Operator && request.ActorFrom(ctx).Operator
	if !request.ActorFrom(ctx).Operator {
		rec.Options.Session = ex.policy.Session(ctx)
	}
	return ex.resumeAndReport(ctx, plan, rec, reply.TraceSummary, in.OnEvent)
}

func (ex *Execution) resumeAndReport(ctx context.Context, plan *engine.Plan, rec *run.Record, detail reply.TraceMode, onEvent func(run.Event)) (*RunResult, *diag.Fault) {
	rec, fault := ex.Runner.Resume(ctx, plan, rec, request.ClientFrom(ctx, onEvent))
	if fault != nil {
		return nil, fault
	}
	return runReply(rec, detail), nil
}

// State returns how a run of the caller's stands: its result if it has one, and what
// it asks. The trace is as that of [RunInput].
func (tk *tasks) State(ctx context.Context, id, trace string) (*RunResult, *diag.Fault) {
	detail, fault := reply.TraceDetail(trace)
	if fault != nil {
		return nil, fault
	}
	rec, fault := tk.execution.record(ctx, id)
	if fault != nil {
		return nil, fault
	}
	return runReply(rec, detail), nil
}

// resumable refuses a run that is in progress, or has nothing left to do.
func resumable(rec *run.Record) *diag.Fault {
	var f *diag.Fault
	switch rec.Status {
	case run.Running:
		f = diag.Faultf(diag.CodeRunBusy, "the run %s is in progress", rec.ID)
		f.Hint = fmt.Sprintf("get_run {\"run_id\": %[1]q} shows its progress; cancel_run {\"run_id\": %[1]q} cancels it", rec.ID)
	case run.Succeeded:
		f = diag.Faultf(run.CodeNotResumable, "the run %s has succeeded", rec.ID)
		f.Hint = "run_graph starts a new one"
	default:
		return nil
	}
	f.Path = "/run_id"
	return f
}

// answerable refuses to let an agent decide what a person was asked.
func (ex *Execution) answerable(ctx context.Context, rec *run.Record, d run.Decision) *diag.Fault {
	if d.Do == "retry" || request.ActorFrom(ctx).Operator {
		return nil
	}
	asking := map[string]bool{}
	for _, in := range rec.Questions() {
		asking[in.Step] = true
	}
	for _, step := range rec.Open() {
		if (ex.plans.Kinds.Asks(step.Type) || asking[step.Key]) && (d.Step == "" || d.Step == step.Key || d.Step == step.Node) {
			return diag.Faultf(policy.CodeAskAPerson, "%s asks a person, so only a person can answer it", step.Key).
				At("/decision").WithHint("decision retry asks again, if your client can show a form; else a person runs: patchbay runs answer " + rec.ID)
		}
	}
	return nil
}

// correctedPlan is the plan with which a run is resumed: of the graph that it ran,
// or of a corrected one.
func (ex *Execution) correctedPlan(ctx context.Context, rec *run.Record, in plans.GraphInput) (*engine.Plan, *RunResult, *diag.Fault) {
	if in.Empty() {
		plan, fault := ex.RunPlans.Of(ctx, rec.Source)
		return plan, nil, fault
	}
	if !request.ActorFrom(ctx).Operator && rec.Asked("") != nil {
		return nil, nil, diag.Faultf(policy.CodeAskAPerson, "the run waits for a person's answer, which a corrected graph could bypass").
			At("/graph").WithHint("a person answers first: patchbay runs answer " + rec.ID)
	}
	if in.Tool == "" {
		in.Tool = rec.Source.Tool
	}
	plan, rejected, fault := ex.runnable(ctx, RunInput{GraphInput: in})
	if plan == nil {
		return nil, rejected, fault
	}
	if changed := plan.Changed(rec); len(changed) > 0 {
		f := diag.Faultf(diag.CodeGraphChanged, "the run has completed %s, which the graph you sent defines differently", strings.Join(quoted(changed), ", "))
		f.Path, f.Got = "/graph", changed
		f.Hint = "leave the completed nodes unchanged and change only later ones, or start a new run"
		return nil, nil, f
	}
	rec.Source = plan.Source()
	return plan, nil, nil
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = `"` + name + `"`
	}
	return out
}

// AnswerInput is a person's answer to a run's question.
type AnswerInput struct {
	RunID   string          `json:"run_id" arg:"ID" jsonschema:"run ID"`
	Action  string          `json:"action" arg:"accept|decline|cancel" jsonschema:"whether the person accepts, declines or cancels"`
	Content json.RawMessage `json:"content,omitempty" arg:"[KEY=VALUE…]" flag:"content" jsonschema:"the answer as a JSON object" help:"the answer as a JSON object; - is standard input, @FILE a file"`
	Step    string          `json:"step,omitempty" jsonschema:"key of the asking step, if there are several"`

	Trace   string          `json:"-"` // as that of [RunInput]
	OnEvent func(run.Event) `json:"-"`
}

// Follow returns the result of a run that executes, in whichever process: when it has
// stopped, when the client stops waiting, or when a call waits for an answer that the client
// can have. The trace is as that of [RunInput].
func (tk *tasks) Follow(ctx context.Context, id, trace string, onEvent func(run.Event)) (*RunResult, *diag.Fault) {
	detail, fault := reply.TraceDetail(trace)
	if fault != nil {
		return nil, fault
	}
	return tk.execution.follow(ctx, id, detail, onEvent)
}

func (ex *Execution) follow(ctx context.Context, id string, detail reply.TraceMode, onEvent func(run.Event)) (*RunResult, *diag.Fault) {
	rec, fault := ex.Runner.Follow(ctx, request.ActorFrom(ctx), id, request.ClientFrom(ctx, onEvent))
	if fault != nil {
		return nil, fault
	}
	return runReply(rec, detail), nil
}

// CameLate reports whether an answer was refused because there is one already, or time is
// over.
func CameLate(f *diag.Fault) bool {
	return f != nil && (f.Code == run.CodeNotAsked || f.Code == run.CodeTooLate)
}

// Answer stores the answer and resumes the run, or has the call continue that waits for
// it. Who calls it speaks for a person: no tool of an agent does.
func (ex *Execution) Answer(ctx context.Context, in AnswerInput) (*RunResult, *diag.Fault) {
	detail, fault := reply.TraceDetail(in.Trace)
	if fault != nil {
		return nil, fault
	}
	rec, fault := ex.answered(ctx, in.RunID)
	if fault != nil {
		return nil, fault
	}
	if open := Asks(rec); in.Step == "" && len(open) > 1 {
		steps := make([]string, len(open))
		for i, a := range open {
			steps[i] = a.Step
		}
		return nil, diag.Faultf(run.CodeWhichStep, "the run asks %d questions", len(open)).At("/step").WithHint("answer one of " + diag.OneOf(steps, 12))
	}
	return ex.answer(ctx, rec, []AskAnswer{{in.Step, in.Action, in.Content}}, detail, in.OnEvent)
}
