package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// asking is the context of an operation whose calls may wait for answers: a person at the
// terminal is asked, unless they debug the run. Else the questions are printed, and answered
// from elsewhere.
func (i *invocation) asking(ctx context.Context) context.Context {
	if in, ok := i.in.(*execution.RunInput); readStdin(i.cmd).terminal && (!ok || in.Debugger == nil) {
		return request.WithClient(ctx, request.Client{Answers: true})
	}
	printed := map[string]bool{}
	return request.WithClient(ctx, request.Client{OnQuestion: func(rec *run.Record) {
		for _, a := range execution.AsksOf(rec) {
			if key := a.Step + a.Until + a.Message; !printed[key] {
				printed[key] = true
				printAsks(i.cmd.ErrOrStderr(), &execution.RunResult{RunID: rec.ID, Asks: []execution.Ask{a}})
			}
		}
	}})
}

// answerCalls has the person at the terminal answer the questions with which calls of the
// run wait, until the run has stopped.
func (i *invocation) answerCalls(ctx context.Context) *diag.Fault {
	switch r := i.out.(type) {
	case *execution.RunResult:
		out, fault := i.answerRun(ctx, r)
		i.out = out
		return fault
	case *execution.RunNodeResult:
		if !waitsWithCall(r.Status, r.Asks) {
			return nil
		}
		if _, fault := i.answerRun(ctx, &execution.RunResult{RunID: r.RunID, Status: r.Status, Asks: r.Asks}); fault != nil {
			return fault
		}
		out, fault := i.app.NodeRunState(ctx, r.RunID, i.in.(*execution.RunNodeInput).ShapeOnly)
		i.out = out
		return fault
	}
	return nil
}

func waitsWithCall(status string, asks []execution.Ask) bool {
	return status == string(run.Running) && len(asks) > 0
}

func (i *invocation) answerRun(ctx context.Context, r *execution.RunResult) (*execution.RunResult, *diag.Fault) {
	trace := ""
	if in, ok := i.in.(*execution.RunInput); ok {
		trace = in.Trace
	}
	for waitsWithCall(r.Status, r.Asks) {
		ask := r.Asks[0]
		action, content, err := i.askPerson(ask)
		if err != nil {
			return nil, run.AsFault(err)
		}
		id := r.RunID
		out, fault := i.app.Answer(ctx, execution.AnswerInput{RunID: id, Step: ask.Step, Action: action, Content: content, Trace: trace})
		switch {
		case fault != nil && fault.Code == diag.CodeBadArgument:
			printFault(i.page(i.cmd.ErrOrStderr()), fault)
			continue
		case execution.CameLate(fault):
			out, fault = i.app.FollowRun(ctx, id, trace, nil)
		}
		if fault != nil {
			return nil, fault
		}
		r = out
	}
	return r, nil
}

// askPerson puts a question to the person at the terminal. The end of the input cancels.
func (i *invocation) askPerson(ask execution.Ask) (action string, content json.RawMessage, err error) {
	log := i.page(i.cmd.ErrOrStderr())
	fmt.Fprintln(log, ask.Message)
	for action == "" {
		fmt.Fprint(log, "accept, decline or cancel> ")
		line, err := readStdin(i.cmd).readLine(i.cmd.Context())
		switch {
		case errors.Is(err, io.EOF):
			fmt.Fprintln(log)
			return "cancel", nil, nil
		case err != nil:
			return "", nil, err
		case line == "accept", line == "decline", line == "cancel":
			action = line
		}
	}
	if action != "accept" {
		return action, nil, nil
	}
	c := &call{invocation: i, known: execution.QuestionArguments(ask), given: map[string]json.RawMessage{}}
	if err := c.ask(); err != nil {
		if c.interrupted.Swap(false) { // the input has ended
			return "cancel", nil, nil
		}
		return "", nil, err
	}
	content, err = json.Marshal(c.given)
	return action, content, err
}
