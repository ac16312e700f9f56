package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// Runtime is all that a walking run touches of the world. The walker uses no
// clock, goroutine, randomness or I/O but through it, so that one walker serves
// in process, journalled, or on a workflow engine that replays. Its methods are
// called from every branch of a run, also at the same time.
//
// A key names what it belongs to within its run and is the same in every replay:
// "loop#2" is the third execution of the node loop, "each#0[3]" the fourth item
// of a foreach, "fork#0/left/a#0" a step of a branch, "call#0/a#0" a step of a saved
// graph and "call#0/#2/a#0" the same in the second attempt at it.
type Runtime interface {
	// Now is the time of the step in progress.
	Now() time.Time
	// Record takes note of what happened; the events of one branch come in order.
	// For the start of an execution it sets Index, and At and Attempts where an
	// earlier attempt at the run has begun it already. What an earlier attempt has completed is not
	// done again: then the event comes back ended, with its output. An error ends
	// the run.
	Record(ctx context.Context, e *Event) error
	// Call runs a downstream tool, or anything else outside that is like one.
	Call(ctx context.Context, c Call) (*Result, error)
	// Sleep returns after d, or with the context's cause when that ends. The key
	// names the wait within its run.
	Sleep(ctx context.Context, key string, d time.Duration) error
	// Await returns a person's answer, or a fault for which [Parked] is true: then
	// the run stops here and goes on when there is an answer.
	Await(ctx context.Context, q Question) (*Answer, error)
	// Fan calls f(0) … f(n-1), at most limit at a time, and returns when all have
	// returned. The first that fails cancels the context of the others with an
	// [Abandoned] cause; its error is returned. One that is [Parked] lets those
	// beside it finish.
	Fan(ctx context.Context, n, limit int, f func(ctx context.Context, i int) error) error
}

// Abandoned is the cause that ends the branches of a fan after one has failed.
func Abandoned(by error) *diag.Fault {
	return &diag.Fault{Code: "cancelled", Message: "stopped because what ran beside it failed", Err: by}
}

// A Call is one call of a downstream tool, or the request of an http node: then
// Server is [WebServer], Tool the method, and Args the request, {method, url,
// query, headers, auth, body}. In its texts, keys left aside, ${NAME} is the value
// of a variable of the operator's, and $${ is ${ itself; the result is {status,
// headers, body} and an error unless the status is 2xx.
type Call struct {
	Server, Tool string
	Args         json.RawMessage // a JSON object
	Key          string          // names the call within its run
	// Repeatable says that calling twice does no harm: the tool is read-only or
	// idempotent by trusted annotations, or the graph's author has said so.
	Repeatable bool
	// Idempotency is a text that the tool may use to tell a repeated call from a
	// new one: the same for the same call of the same run. It is empty where the
	// run keeps none.
	Idempotency string
	// Answer is the schema of the body that answers a request, where its node says;
	// nil of tools.
	Answer *Schema
}

// WebServer stands for the server of a [Call] that is a request: no downstream
// server can be called so.
const WebServer = "http:"

// A Result is what a downstream tool answered, bytes as they came: numbers and
// key order are the server's.
type Result struct {
	Structured json.RawMessage   // structuredContent, or nil
	Content    []json.RawMessage // content items
	IsError    bool
	// Simulated says where a result that no server gave comes from: "pin" or
	// "schema". Empty for a real one.
	Simulated string
}

// A Caller calls downstream tools: a machine's or a server's failure is an
// error (a diag.Fault where more is known); a tool that answers isError is a
// Result.
type Caller interface {
	CallTool(ctx context.Context, c Call) (*Result, error)
}

// A Question is put to a person by an ask node.
type Question struct {
	Key     string // names the question within its run
	Node    string
	Message string
	Schema  json.RawMessage // a flat object schema of primitives, or nil
	Timeout time.Duration   // after which the answer is "timeout"; 0 is never
}

// An Answer is what a person did about a question.
type Answer struct {
	Action  string          `json:"action"`            // accept, decline, cancel or timeout
	Content json.RawMessage `json:"content,omitempty"` // with accept: an object that satisfies the question's schema
}

// Codes of the faults that park a run: it has not failed, it waits for somebody.
const (
	NeedsAnswer    = "needs-answer"    // an ask node waits for a person
	OutcomeUnknown = "outcome-unknown" // a call was in flight when the run stopped, and must not simply be repeated
	ShuttingDown   = "shutting-down"   // the process ends
)

// Parked reports whether an error stops a run without ending it: it can go on
// later from where it stands.
func Parked(err error) bool {
	if err == nil {
		return false
	}
	switch asFault(err).Code {
	case NeedsAnswer, OutcomeUnknown, ShuttingDown:
		return true
	}
	return false
}

// An Event is one thing that happened in a run: a node started, or ended. An
// item of a foreach is an execution of its own, and so is every step of a nested
// graph; their keys begin with the key of what they are part of.
type Event struct {
	Key   string // path-shaped key of the step, the same in every replay
	Node  string
	Type  string
	Index int  // position among the run's node executions, from 0
	Part  bool // an item or a step of a nested graph: no output of the run's own nodes
	Pure  bool // the node reads nothing but the run
	Ended bool // false when the node starts
	At    time.Time
	// Duration is how long the execution took, when it has ended.
	Duration time.Duration
	Input    expr.Value // what the node was given, evaluated; set when it ends
	Output   expr.Value // nil is undefined
	Err      error
	Caught   bool // the run went on after Err, with Output
	// Attempts is how often the step was tried, where it may be retried.
	Attempts int
	// Simulated says where an output that was not computed comes from: "pin",
	// "schema", "skip" where the step was left out, or [DryRun] of a wait that did
	// not wait.
	Simulated string
	// Definition is a fingerprint of what the document says of the node.
	Definition uint64
	// Scope is what the node's expressions see. It is the run's own: it may be read
	// while the event is handled, not kept.
	Scope *expr.Scope
}
