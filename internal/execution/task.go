package execution

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// tasks are runs as those see them who poll them, or wait for them.
type tasks struct{ execution *Execution }

// A Task is how a run stands, for who polls it. All of it is derived from the record of the
// run, so a task is there as long as its run.
type Task struct {
	State   TaskState
	Message string // about the state, or ""
	Asks    []Ask  // of [TaskAsks], one for each step
	Created time.Time
	Updated time.Time
	Keep    time.Duration // for how long after the run has stopped it is kept; 0 is without a bound
}

// A TaskState is what there is to do about a task.
type TaskState string

// The states of a task.
const (
	TaskWorks     TaskState = "works"     // wait: it goes on by itself
	TaskAsks      TaskState = "asks"      // answer its questions
	TaskStopped   TaskState = "stopped"   // read its result, or what it needs
	TaskCancelled TaskState = "cancelled" // nothing
)

// Of returns how a run of the caller's stands.
func (tk *tasks) Of(ctx context.Context, id string) (*Task, *diag.Fault) {
	rec, fault := tk.execution.record(ctx, id)
	if fault != nil {
		return nil, fault
	}
	t := &Task{State: tk.state(rec), Created: rec.Started, Updated: updated(rec), Keep: tk.execution.process.Config().Runs.Keep}
	switch t.State {
	case TaskAsks:
		asked := map[string]bool{}
		for _, ask := range Asks(rec) {
			if !asked[ask.Step] {
				asked[ask.Step] = true
				t.Asks = append(t.Asks, ask)
			}
		}
		t.Message = t.Asks[0].Message
	case TaskWorks:
		t.Message = fmt.Sprintf("%d node executions so far", rec.Executions())
	}
	if rec.Fault != nil && t.Message == "" {
		t.Message = rec.Fault.Message
	}
	return t, nil
}

func (tk *tasks) state(rec *run.Record) TaskState {
	switch rec.Status {
	case run.Running:
		if len(rec.Questions()) > 0 {
			return TaskAsks
		}
		return TaskWorks
	case run.Cancelled:
		return TaskCancelled
	case run.Interrupted:
		switch {
		case len(rec.Questions()) > 0:
			return TaskAsks
		case rec.Fault != nil && (rec.Fault.Code == run.ShuttingDown || rec.Fault.Code == runs.NeedsServer) && !tk.execution.process.Config().Runs.NoRecover:
			return TaskWorks // it is resumed by itself
		}
	}
	return TaskStopped
}

// updated is when something last happened in a run, as far as it is stored.
func updated(rec *run.Record) time.Time {
	last := rec.Started
	later := func(t time.Time) {
		if t.After(last) {
			last = t
		}
	}
	later(rec.Ended)
	for _, step := range rec.Steps {
		later(step.Started.Add(step.Duration))
	}
	for _, r := range rec.Resumed {
		later(r.At)
	}
	return last
}

// An AskAnswer is the answer of a person to the question of a step.
type AskAnswer struct {
	Step    string
	Action  string // accept, decline or cancel
	Content json.RawMessage
}

// AnswerAll is [Execution.Answer] for several questions of a run, which then continues once.
func (tk *tasks) AnswerAll(ctx context.Context, id string, answers []AskAnswer) (*RunResult, *diag.Fault) {
	rec, fault := tk.execution.answered(ctx, id)
	if fault != nil {
		return nil, fault
	}
	return tk.execution.answer(ctx, rec, answers, reply.TraceSummary, nil)
}

// answered finds a run of this project that may have questions.
func (ex *Execution) answered(ctx context.Context, id string) (*run.Record, *diag.Fault) {
	rec, fault := ex.record(ctx, id)
	if fault == nil {
		fault = ex.ownRun(rec)
	}
	if fault == nil && (rec.Status != run.Running || len(rec.Questions()) == 0) {
		fault = resumable(rec)
	}
	return rec, fault
}

// answer stores answers and resumes the run, or has the calls continue that wait for them.
func (ex *Execution) answer(ctx context.Context, rec *run.Record, answers []AskAnswer, detail reply.TraceMode, onEvent func(run.Event)) (*RunResult, *diag.Fault) {
	held := rec.Status == run.Running
	for _, given := range answers {
		question, fault := rec.Reply(given.Step, run.Answer{Action: given.Action, Content: given.Content}, time.Now())
		if fault == nil {
			fault = ex.policy.KeepPermission(ctx, rec.ID, question)
		}
		if fault == nil && held {
			fault = ex.Runner.Reply(request.ActorFrom(ctx), rec.ID, question.Key, question.Outcome)
		}
		if fault != nil {
			return nil, fault
		}
	}
	if held {
		return ex.follow(ctx, rec.ID, detail, onEvent)
	}
	plan, fault := ex.RunPlans.Of(ctx, rec.Source)
	if fault != nil {
		return nil, fault
	}
	return ex.resumeAndReport(ctx, plan, rec, detail, onEvent)
}
