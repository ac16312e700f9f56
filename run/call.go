package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/schema"
)

// A Call is one call of a downstream tool, or the request of an http node: then
// Server is [HTTPServer], Tool the method, and Args the request, {method, url,
// query, headers, auth, body}. In its strings, but not in
// its keys, ${NAME} is the value of one of the operator's variables, and $${ is a
// literal ${. The result is {status, headers, body}, and an error unless the status is
// 2xx.
type Call struct {
	Server, Tool string
	Args         json.RawMessage // a JSON object
	Key          string          // names the call within its run
	ID           string          // identifies server, tool and arguments
	// Repeatable says that calling twice does no harm: the tool is read-only or
	// idempotent by trusted annotations, or the graph's author says so.
	Repeatable bool
	// Idempotency is a text that the tool may use to tell a repeated call from a
	// new one: the same for the same call of the same run. It is empty where the
	// run keeps none.
	Idempotency string
	// Answer is the schema of the response body of a request, where its node says;
	// nil of tools.
	Answer *schema.Schema
	// Passed is what the client of a gateway sent besides the arguments; nil of the
	// calls of runs.
	Passed *Passed
	// Sent says that an agent has sent the call: no person has written, sent or approved the
	// document of the call, or one that it calls.
	Sent bool
	// Unreviewed says that no person answers for the document of the call, or for a saved graph
	// that it calls: what a person permits beyond a run does not count for it.
	Unreviewed bool
	// Marked says that the call depends on what a model has answered: a person is asked about it.
	Marked bool
	// Again says that the same attempt at the step makes a second call, as the reply to the
	// first could not be used.
	Again bool
	// Session is that of [Options]; of a call of a gateway, that of its client.
	Session string
	// Items is how many calls the step makes, one for each item of a foreach; 0 where that
	// is not known.
	Items int
	// Limits are those of the run; nil outside of one.
	Limits *Limits
	// Ask puts questions about the call to a person; nil where nobody can be asked.
	Ask Asker
	// RawOnly says that the caller reads nothing of the result but Raw and IsError, so
	// that no time is spent on the rest. [ReadResult] reads it later.
	RawOnly bool
}

// Passed is what a client sends with a call besides the arguments, and what its
// server gets as it is.
type Passed struct {
	Meta map[string]any // _meta, without what concerns only the client's own connection
	// InputResponses and RequestState answer what the server asked for in its reply to
	// an earlier attempt of the same call.
	InputResponses json.RawMessage `json:",omitempty"`
	RequestState   string
	// Capabilities are those of the client that this call may use, a JSON object; nil
	// means none.
	Capabilities json.RawMessage `json:",omitempty"`
}

// HTTPServer is the server of a [Call] that is a request. No downstream server can
// have this name.
const HTTPServer = "http:"

// HookServer is the server of a [Call] that executes the script of a hook. Tool is the
// id of the node, or the name of a hook module; Args are {script or module, context,
// timeoutMs}. The result is {returned, context}: what the script has returned, absent if
// that is undefined, and the context as it has left it. An error is {code, message}.
const HookServer = "hook:"

// WorkflowServer is the server of a [Call] that makes the call around which a workflow
// runs. Tool is the method, tools/call or tools/list, and Args are the params of the
// request. The result is the response.
const WorkflowServer = "workflow:"

// A Result is what a downstream tool answered, bytes as they came: numbers and
// key order are the server's.
type Result struct {
	Structured json.RawMessage   // structuredContent, or nil
	Content    []json.RawMessage // content items
	// Raw is the whole result object as the server sent it: content, structuredContent,
	// _meta and what is not known here. Nil of a result that no server gave.
	Raw     json.RawMessage
	IsError bool
	// Unknown says, of an error, that it is not the server's: whether the call took
	// effect is not known.
	Unknown bool
	// Store keeps a large result of a call that must not be made again as it came, so that
	// the step has it when the run is resumed. Nil where there is no need.
	Store func() error
	// Simulated says where a result that no server gave comes from: "pin" or
	// "schema". Empty for a real one.
	Simulated string
}

// A Caller calls downstream tools: a machine's or a server's failure is an
// error (a diag.Fault where more is known); a tool that answers isError is a
// Result. An error says by a [CallError] what came of the call. After any other error
// it is not known, and a call that is not repeatable is not made again without a decision.
type Caller interface {
	CallTool(ctx context.Context, c Call) (*Result, error)
}

// A Called is what is kept of a call before it is made, and why its step has no output.
type Called struct {
	Step        string          `json:"step,omitempty"`
	Server      string          `json:"server"`
	Tool        string          `json:"tool"`
	Arguments   json.RawMessage `json:"arguments,omitempty"` // without secrets, and cut where they are long
	Idempotency string          `json:"idempotencyKey,omitempty"`
	ID          string          `json:"call,omitempty"`      // as in [Call]
	Tokens      int             `json:"tokens,omitempty"`    // that it may cost, of a model
	Failure     string          `json:"failure,omitempty"`   // the message of the fault of its step
	Completed   bool            `json:"completed,omitempty"` // it was completed, and its result could not be used
}

// Called returns what an intent to call was about to call.
func (in *Intent) Called() (c Called) {
	if in.Kind == IntentCall {
		_ = json.Unmarshal(in.Detail, &c) // what cannot be read is not known
		c.Step = in.Step
	}
	return c
}

// CallOf returns the recorded call that an [OutcomeUnknown] or [Diverged] fault is
// about; zero for any other fault.
func CallOf(f *diag.Fault) (c Called) {
	if f == nil || f.Code != OutcomeUnknown && f.Code != Diverged {
		return c
	}
	switch details := f.Details.(type) {
	case Called:
		return details
	case expr.Object: // of a stored run
		if b, err := expr.Encode(details); err == nil {
			_ = json.Unmarshal(b, &c) // what cannot be read is not known
		}
	}
	return c
}

// A CallError is the error of a call with a known outcome.
type CallError struct {
	Outcome CallOutcome
	Err     error
}

// A CallOutcome is what came of a call that returned an error.
type CallOutcome int

// The outcomes of calls that returned an error. A call of unknown outcome may have taken
// effect; if it is not repeatable, only a decision about its step makes it again, as
// with one that was completed.
const (
	CallUnknown   CallOutcome = iota
	CallNotSent               // it did not reach its server, which does not start, for example
	CallRefused               // its server answered with an error
	CallCompleted             // it was completed, and its result cannot be used
)

// OutcomeOf returns what came of a call that returned an error: [CallUnknown] unless the
// error itself is a [CallError]. What it wraps does not count: a call that was cancelled
// because another failed returns an error that wraps that of the other.
func OutcomeOf(err error) CallOutcome {
	if e, ok := err.(*CallError); ok { //nolint:errorlint // see above
		return e.Outcome
	}
	return CallUnknown
}

// Error returns the message of the error.
func (e *CallError) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *CallError) Unwrap() error { return e.Err }

// ErrAsksForInput is the error of [ReadResult] for a reply that asks for something
// before the call is made.
var ErrAsksForInput = errors.New("it asks for input")

// ReadResult reads the result object of tools/call. The result keeps raw. An error
// says, as the end of a sentence, why it is not a tool result.
func ReadResult(raw json.RawMessage) (*Result, error) {
	if len(raw) > largeResult {
		if r := readLarge(raw); r != nil {
			return r, nil
		}
	}
	var r struct {
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
		Type       string          `json:"resultType"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, fmt.Errorf("%q is a JSON %s", e.Field, e.Value)
		}
		return nil, err
	}
	if r.Type == inputRequired {
		return nil, ErrAsksForInput
	}
	out := &Result{IsError: r.IsError, Raw: raw}
	if r.Structured != nil && string(r.Structured) != "null" {
		out.Structured = r.Structured
	}
	if r.Content != nil && json.Unmarshal(r.Content, &out.Content) != nil {
		return nil, errors.New(`"content" is not an array`)
	}
	if r.Content == nil && out.Structured == nil {
		return nil, errors.New(`it has neither "content" nor "structuredContent"`)
	}
	return out, nil
}

const inputRequired = "input_required"

// largeResult is the size in bytes of results from which their parts are not copied.
const largeResult = 64 << 10

// readLarge is [ReadResult] of a text that has nothing unusual; nil of others.
func readLarge(raw json.RawMessage) *Result {
	doc := schema.Read(raw)
	if !json.Valid(raw) || !doc.IsObject() {
		return nil
	}
	out := &Result{Raw: raw}
	for name, v := range doc.All() {
		switch text := v.Raw(); {
		case name == "content" && text[0] == '[':
			out.Content = make([]json.RawMessage, 0, v.Len())
			for _, item := range v.All() {
				out.Content = append(out.Content, item.Raw())
			}
		case name == "structuredContent" && text[0] == '{':
			out.Structured = text
		case name == "isError" && (text[0] == 't' || text[0] == 'f'):
			out.IsError = text[0] == 't'
		case slices.ContainsFunc([]string{"content", "structuredContent", "isError", "resultType"}, func(known string) bool { return strings.EqualFold(known, name) }):
			return nil
		}
	}
	if out.Content == nil {
		return nil
	}
	return out
}

// AsksForInput reports whether the server has not made the call yet, but asks for
// something first: Raw says what, and has no content.
func (r *Result) AsksForInput() bool {
	return r.Raw != nil && schema.Read(r.Raw).Get("resultType").Text() == inputRequired
}
