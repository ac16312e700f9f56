package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// asking is the context of an operation whose calls may wait for answers: a person at the
// terminal is asked, unless they debug the run. Else the questions are printed, and answered
// from elsewhere.
func (i *Invocation) asking(ctx context.Context) context.Context {
	if in, ok := i.In.(*execution.RunInput); ReadStdin(i.Cmd).Terminal && (!ok || in.Debugger == nil) {
		return request.WithClient(ctx, request.Client{Answers: true})
	}
	printed := map[string]bool{}
	return request.WithClient(ctx, request.Client{OnQuestion: func(rec *run.Record) {
		for _, a := range execution.AsksOf(rec) {
			if key := a.Step + a.Until + a.Message; !printed[key] {
				printed[key] = true
				PrintAsks(i.Cmd.ErrOrStderr(), &execution.RunResult{RunID: rec.ID, Asks: []execution.Ask{a}})
			}
		}
	}})
}

// answerCalls has the person at the terminal answer the questions with which calls of the
// run wait, until the run has stopped.
func (i *Invocation) answerCalls(ctx context.Context) *diag.Fault {
	switch r := i.Out.(type) {
	case *execution.RunResult:
		out, fault := i.answerRun(ctx, r)
		i.Out = out
		return fault
	case *execution.RunNodeResult:
		if !waitsWithCall(r.Status, r.Asks) {
			return nil
		}
		if _, fault := i.answerRun(ctx, &execution.RunResult{RunID: r.RunID, Status: r.Status, Asks: r.Asks}); fault != nil {
			return fault
		}
		out, fault := i.App.Tasks.NodeRunState(ctx, r.RunID, i.In.(*execution.RunNodeInput).ShapeOnly)
		i.Out = out
		return fault
	}
	return nil
}

func waitsWithCall(status string, asks []execution.Ask) bool {
	return status == string(run.Running) && len(asks) > 0
}

func (i *Invocation) answerRun(ctx context.Context, r *execution.RunResult) (*execution.RunResult, *diag.Fault) {
	trace := ""
	if in, ok := i.In.(*execution.RunInput); ok {
		trace = in.Trace
	}
	for waitsWithCall(r.Status, r.Asks) {
		ask := r.Asks[0]
		action, content, err := i.askPerson(ask)
		if err != nil {
			return nil, run.AsFault(err)
		}
		id := r.RunID
		out, fault := i.App.Answer(ctx, execution.AnswerInput{RunID: id, Step: ask.Step, Action: action, Content: content, Trace: trace})
		switch {
		case fault != nil && fault.Code == diag.CodeBadArgument:
			PrintFault(i.Page(i.Cmd.ErrOrStderr()), fault)
			continue
		case execution.CameLate(fault):
			out, fault = i.App.Tasks.Follow(ctx, id, trace, nil)
		}
		if fault != nil {
			return nil, fault
		}
		r = out
	}
	return r, nil
}

// askPerson puts a question to the person at the terminal. The end of the input cancels.
func (i *Invocation) askPerson(ask execution.Ask) (action string, content json.RawMessage, err error) {
	log := i.Page(i.Cmd.ErrOrStderr())
	fmt.Fprintln(log, ask.Message)
	for action == "" {
		fmt.Fprint(log, "accept, decline or cancel> ")
		line, err := ReadStdin(i.Cmd).ReadLine(i.Cmd.Context())
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
	c := &call{Invocation: i, known: execution.QuestionArguments(ask), given: map[string]json.RawMessage{}}
	if err := c.ask(); err != nil {
		if c.Interrupted.Swap(false) { // the input has ended
			return "cancel", nil, nil
		}
		return "", nil, err
	}
	content, err = json.Marshal(c.given)
	return action, content, err
}

// PrintAsks prints the questions that a run waits for.
func PrintAsks(log io.Writer, r *execution.RunResult) {
	for _, a := range r.Asks {
		fmt.Fprintf(log, "asks: %s\n", a.Message)
		content := "KEY=VALUE…"
		if a.Permits != "" {
			content = "allow=" + strings.Join(a.Allowances(), "|")
		} else {
			PrintAnswer(log, a.Schema)
		}
		if a.Until != "" {
			fmt.Fprintf(log, "  until %s\n", a.Until)
		}
		fmt.Fprintf(log, "  patchbay runs answer %s accept|decline|cancel [%s] --step '%s'\n", r.RunID, content, a.Step)
	}
}

// PrintAnswer shows the fields of an answer with their types and meanings, one a line.
func PrintAnswer(w io.Writer, answer json.RawMessage) {
	for _, p := range schema.Parameters(schema.Read(answer)) {
		fmt.Fprintf(w, "  %s\n", strings.TrimSpace(ParameterLine(p)))
	}
}

// ParameterLine has the name, with * if it is required, the type, what the values may
// be, and the description.
func ParameterLine(p specs.Parameter) string {
	star, values := "", ""
	if p.Required {
		star = "*"
	}
	if len(p.EnumValues) > 0 {
		values = ", one of " + JSONText(p.EnumValues)
	}
	if p.DefaultValue != nil {
		values += ", default " + JSONText(p.DefaultValue)
	}
	return fmt.Sprintf("%s%s: %s%s  %s", p.Name, star, p.Type, values, diag.OneLine(p.Description))
}

// JSONText is a value as JSON, in which < and > are themselves.
func JSONText(v any) string {
	text, err := json.Marshal(v)
	if err == nil {
		text, err = jsontext.AppendFormat(nil, text, jsontext.PreserveRawStrings(false))
	}
	if err != nil {
		return ""
	}
	return string(text)
}

// PrintDifferences shows where a replay or a test differs from what was recorded or is
// expected.
func PrintDifferences(w io.Writer, list []execution.Difference, was string) {
	for _, d := range list {
		fmt.Fprintf(w, "  %s %s\n", d.Step, d.What)
		if d.Recorded != "" {
			fmt.Fprintf(w, "    %s %s\n", was, d.Recorded)
		}
		if d.Replayed != "" {
			fmt.Fprintf(w, "    now      %s\n", d.Replayed)
		}
	}
}
