package wire

import (
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
)

// A CallRequest asks a worker to make a call.
type CallRequest struct {
	Run       string `json:"run"`
	Project   string `json:"project,omitempty"`
	Principal string `json:"principal,omitempty"`
	Graph     string `json:"graph,omitempty"`
	Mode      string `json:"mode,omitempty"`

	Server      string          `json:"server"`
	Tool        string          `json:"tool"`
	Args        json.RawMessage `json:"args,omitempty"`
	Key         string          `json:"key"`
	ID          string          `json:"id,omitempty"`
	Repeatable  bool            `json:"repeatable,omitempty"`
	Idempotency string          `json:"idempotency,omitempty"`
	Body        json.RawMessage `json:"body,omitempty"` // schema of the response body of a request
	Sent        bool            `json:"sent,omitempty"`
	Unreviewed  bool            `json:"unreviewed,omitempty"`
	Marked      bool            `json:"marked,omitempty"`
	Session     string          `json:"session,omitempty"`
	Items       int             `json:"items,omitempty"`
	Passed      *run.Passed     `json:"passed,omitempty"`

	// Answers are those to the questions that were put before the call, by their keys.
	Answers map[string]run.Answer `json:"answers,omitempty"`
}

// RequestOf returns the request to make a call of a run.
func RequestOf(rec *run.Record, c run.Call) CallRequest {
	r := CallRequest{
		Run: rec.ID, Project: rec.Project, Principal: rec.Principal, Graph: rec.Graph, Mode: rec.Mode,
		Server: c.Server, Tool: c.Tool, Args: c.Args, Key: c.Key, ID: c.ID, Repeatable: c.Repeatable, Idempotency: c.Idempotency,
		Sent: c.Sent, Unreviewed: c.Unreviewed, Session: c.Session, Marked: c.Marked, Items: c.Items, Passed: c.Passed,
	}
	if c.Answer != nil {
		r.Body = c.Answer.Raw
	}
	return r
}

// Call returns the call to make, without a person to ask.
func (r *CallRequest) Call() run.Call {
	return run.Call{
		Server: r.Server, Tool: r.Tool, Args: r.Args, Key: r.Key, ID: r.ID, Repeatable: r.Repeatable, Idempotency: r.Idempotency,
		Answer: schema.New(r.Body), Sent: r.Sent, Unreviewed: r.Unreviewed, Session: r.Session, Marked: r.Marked, Items: r.Items, Passed: r.Passed,
	}
}

// A CallReply is what came of a call.
type CallReply struct {
	Result *Result `json:"result,omitempty"`
	// Fault is why there is no result, and Outcome what came of the call then.
	Fault   *Fault          `json:"fault,omitempty"`
	Outcome run.CallOutcome `json:"outcome,omitempty"`
	// Asks is a question that has to be answered before the call is made. It was not made.
	Asks *run.Question `json:"asks,omitempty"`
	// Waits says that the worker could not make the call, as it has no such server or
	// tool, and that another one may. It was not made.
	Waits bool `json:"waits,omitempty"`
}

// A Result is a run.Result as it travels: without what follows from the rest.
type Result struct {
	Structured json.RawMessage   `json:"structured,omitempty"`
	Content    []json.RawMessage `json:"content,omitempty"`
	Raw        json.RawMessage   `json:"raw,omitempty"` // of a server that asks for something instead
	IsError    bool              `json:"isError,omitempty"`
	Unknown    bool              `json:"unknown,omitempty"`
	Simulated  string            `json:"simulated,omitempty"`
}

// ReplyOf returns the reply that says what a call has returned.
func ReplyOf(res *run.Result, err error) CallReply {
	if err != nil {
		return CallReply{Fault: FaultOf(run.AsFault(err)), Outcome: run.OutcomeOf(err)}
	}
	r := &Result{Structured: res.Structured, Content: res.Content, IsError: res.IsError, Unknown: res.Unknown, Simulated: res.Simulated}
	if r.Structured == nil && r.Content == nil {
		r.Raw = res.Raw
	}
	return CallReply{Result: r}
}

// Return is what the call has returned.
func (r *CallReply) Return() (*run.Result, error) {
	switch {
	case r.Fault.Diag() != nil && r.Outcome != run.CallUnknown:
		return nil, &run.CallError{Outcome: r.Outcome, Err: r.Fault.Fault}
	case r.Fault.Diag() != nil:
		return nil, r.Fault.Fault
	case r.Result == nil:
		return nil, diag.Faultf(diag.CodeBadResult, "the worker has returned nothing")
	}
	return &run.Result{
		Structured: r.Result.Structured, Content: r.Result.Content, Raw: r.Result.Raw,
		IsError: r.Result.IsError, Unknown: r.Result.Unknown, Simulated: r.Result.Simulated,
	}, nil
}

// A StateRequest asks a worker to read or change state. It may come again: the store
// makes a change with the same run and intent key once, and returns its result again.
type StateRequest struct {
	Run    string          `json:"run"`
	Intent run.Intent      `json:"intent"`
	Change run.StateChange `json:"change"`
	Dry    bool            `json:"dry,omitempty"`
}

// A StateReply is what came of it.
type StateReply struct {
	Result json.RawMessage `json:"result,omitempty"`
	Fault  *Fault          `json:"fault,omitempty"`
}
