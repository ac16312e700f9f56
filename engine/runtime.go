package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
)

// Runtime is all that a walking run touches of the world. The walker uses no
// clock, goroutine, randomness or I/O but through it, so that one walker serves
// in process, journalled, or on a workflow engine that replays.
type Runtime interface {
	// Now is the time of the step in progress.
	Now() time.Time
	// Record takes note of what happened; it is called in the order of the run.
	Record(Event)
	// Call runs a downstream tool.
	Call(ctx context.Context, c Call) (*Result, error)
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

// An Event is one thing that happened in a run: a node started, or ended.
type Event struct {
	Key    string // path-shaped key of the step, the same in every replay
	Node   string
	Type   string
	Index  int  // position among the run's node executions, from 0
	Ended  bool // false when the node starts
	At     time.Time
	Input  expr.Value // what the node was given, evaluated; set when it ends
	Output expr.Value // nil is undefined
	Err    error
	// Simulated says where an output that was not computed comes from: "pin" or
	// "schema".
	Simulated string
}
