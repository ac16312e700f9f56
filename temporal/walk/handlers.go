package walk

import (
	"context"
	"encoding/json"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// handle answers the queries and updates of a run.
func (s *session) handle(ctx workflow.Context) error {
	queries := map[string]any{
		wire.QueryRecord: func() (wire.Record, error) { return s.in.Record, nil },
		wire.QueryStatus: func() (wire.Status, error) { return s.status(), nil },
		wire.QueryNews:   s.news,
	}
	for _, name := range []string{wire.QueryRecord, wire.QueryStatus, wire.QueryNews} {
		if err := workflow.SetQueryHandler(ctx, name, queries[name]); err != nil {
			return err
		}
	}
	updates := []struct {
		name   string
		handle any
	}{{wire.UpdateAnswer, s.answer}, {wire.UpdateResume, s.resume}, {wire.UpdateAsk, s.askDuring}}
	for _, u := range updates {
		if err := workflow.SetUpdateHandlerWithOptions(ctx, u.name, u.handle, workflow.UpdateHandlerOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// answer takes a person's answer: to a question with which a call waits, or for which the
// run is parked.
func (s *session) answer(_ workflow.Context, a wire.Answer) error {
	var answer run.Answer
	if err := json.Unmarshal(a.Answer, &answer); err != nil {
		return refuse(diag.CodeBadArgument, "the answer cannot be read: %v", err)
	}
	if held := s.held[a.Key]; held != nil && held.answer == nil {
		held.answer = &answer
		return nil
	}
	if !s.parked && s.rec.Status != run.Running {
		return refuse(diag.CodeNotRunning, "the run %s does not execute any more", s.rec.ID)
	}
	if s.parked {
		for _, in := range s.rec.Questions() {
			if in.Key != a.Key {
				continue
			}
			if _, fault := s.rec.Reply(in.Step, answer, s.world.Now()); fault != nil {
				return wire.Refusal(wire.FaultOf(fault))
			}
			s.again = true
			return nil
		}
	}
	return refuse(run.CodeNotAsked, "the run %s does not ask this, or has an answer already", s.rec.ID)
}

// resume takes with what a parked run continues.
func (s *session) resume(_ workflow.Context, in wire.Input) error {
	switch {
	case !s.parked || s.again || s.next != nil:
		return refuse(diag.CodeRunBusy, "the run %s executes", s.rec.ID)
	case in.Record.Begun != s.rec.Begun:
		return refuse(diag.CodeRunChanged, "the run %s has changed since it was read", s.rec.ID)
	}
	s.next = &in
	return nil
}

// refuse is the error of an update that changes nothing.
func refuse(code, format string, args ...any) error {
	return wire.Refusal(wire.FaultOf(&diag.Fault{Code: code, Message: fmt.Sprintf(format, args...)}))
}

// listen ends the run when somebody cancels it: by a signal, or the workflow by the means
// of Temporal.
func (s *session) listen(ctx, life workflow.Context) {
	workflow.Go(life, func(c workflow.Context) {
		signals := workflow.GetSignalChannel(c, wire.SignalCancel)
		for {
			var fault wire.Fault
			signals.Receive(c, &fault)
			s.end(fault.Fault)
		}
	})
	workflow.Go(ctx, func(c workflow.Context) {
		c.Done().Receive(c, nil)
		s.end(&diag.Fault{Code: diag.CodeCancelled, Message: "the workflow of the run was cancelled"})
	})
}

// end ends the run, if nothing has before.
func (s *session) end(fault *diag.Fault) {
	if s.cancelled != nil {
		return
	}
	if fault == nil {
		fault = &diag.Fault{Code: diag.CodeCancelled, Message: "the run was cancelled"}
	}
	why := *fault
	why.Err = context.Canceled
	s.cancelled = &why
	if s.cancel != nil {
		s.cancel(&why)
	}
}

// status is how the run stands.
func (s *session) status() wire.Status {
	r := s.rec
	st := wire.Status{
		ID: r.ID, Graph: r.Graph, Project: r.Project, Principal: r.Principal, Around: r.Options.Around, Status: r.Status, Started: r.Started, Ended: r.Ended,
		Steps: r.Executions(), Questions: len(r.Questions()), Waiting: s.waiting(),
	}
	if r.Fault != nil {
		st.Code, st.Message = r.Fault.Code, r.Fault.Message
	}
	if r.Status == run.Running {
		st.Code, st.Message = "", ""
	}
	return st
}

// tell keeps the memo and the search attributes of the workflow current.
func (s *session) tell(ctx workflow.Context) {
	_ = workflow.UpsertMemo(ctx, map[string]any{wire.MemoSummary: s.status()}) // it is not empty
	if s.in.Indexed {
		_ = workflow.UpsertTypedSearchAttributes(ctx, []temporal.SearchAttributeUpdate{wire.AttributeStatus.ValueSet(string(s.rec.Status))}...) // nor are they
	}
}
