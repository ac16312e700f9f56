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
type Runtime interface {
	// Now is the time of the step in progress.
	Now() time.Time
	// Record takes note of what happened; the events of one branch come in order.
	Record(Event)
	// Call runs a downstream tool.
	Call(ctx context.Context, c Call) (*Result, error)
	// Sleep returns after d, or with the context's cause when that ends. The key
	// names the wait within its run.
	Sleep(ctx context.Context, key string, d time.Duration) error
	// Fan calls f(0) … f(n-1), at most limit at a time, and returns when all have
	// returned. The first that fails cancels the context of the others with an
	// [Abandoned] cause; its error is returned.
	Fan(ctx context.Context, n, limit int, f func(ctx context.Context, i int) error) error
}

// Abandoned is the cause that ends the branches of a fan after one has failed.
func Abandoned(by error) *diag.Fault {
	return &diag.Fault{Code: "cancelled", Message: "stopped because what ran beside it failed", Err: by}
}

// A Call is one call of a downstream tool.
type Call struct {
	Server, Tool string
	Args         json.RawMessage // a JSON object
	Key          string          // names the call within its run, the same in every replay
}

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

// An Event is one thing that happened in a run: a node started, or ended. An
// item of a foreach is an execution of its own, and so is every step of a nested
// graph; their keys begin with the key of what they are part of.
type Event struct {
	Key    string // path-shaped key of the step, the same in every replay
	Node   string
	Type   string
	Index  int  // position among the run's node executions, from 0
	Part   bool // an item or a step of a nested graph: no output of the run's own nodes
	Ended  bool // false when the node starts
	At     time.Time
	Input  expr.Value // what the node was given, evaluated; set when it ends
	Output expr.Value // nil is undefined
	Err    error
	Caught bool // the run went on after Err, with Output
	// Attempts is how often the step was tried, where it may be retried.
	Attempts int
	// Simulated says where an output that was not computed comes from: "pin" or
	// "schema".
	Simulated string
}
