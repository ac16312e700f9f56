// Package engine turns a document into a plan and runs it. Validation is
// compilation: there is no second checker.

package engine

import (
	"context"
	"encoding/json"
	"time"
)

// Runtime is all that a walking run touches of the world. The walker uses no
// clock, goroutine, randomness or I/O but through it, so that one walker serves
// in process, journalled, or on a workflow engine that replays.
type Runtime interface {
	// Now is the time of the step in progress.
	Now() time.Time
	// Record takes note of what happened; it is called in the order of the run.
	Record(Event)
	// Call runs a downstream tool. The key names the call within the run and is
	// the same in every replay.
	Call(ctx context.Context, key string, c Call) (*Result, error)
}

// A Call is one call of a downstream tool.
type Call struct {
	Server, Tool string
	Args         json.RawMessage // a JSON object
}

// A Result is what a downstream tool answered, bytes as they came: numbers and
// key order are the server's.
type Result struct {
	Structured json.RawMessage   // structuredContent, or nil
	Content    []json.RawMessage // content items
	IsError    bool
}

// A Caller calls downstream tools: a machine's or a server's failure is an
// error (a [github.com/patchbay-mcp/patchbay/diag.Fault] where more is known);
// a tool that answers isError is a Result.
type Caller interface {
	CallTool(ctx context.Context, c Call) (*Result, error)
}

// An Event is one thing that happened in a run: a node started, or ended.
type Event struct {
	Key    string // path-shaped key of the step, the same in every replay
	Node   string
	Index  int  // position among the run's node executions, from 0
	Ended  bool // false when the node starts
	At     time.Time
	Input  any // what the node was given, evaluated; nil until it ends
	Output any // nil is undefined
	Err    error
}
