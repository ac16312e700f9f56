package run

import (
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
)

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
	Frame bool // it consists of other steps, from which its output follows
	Items int  // of an item of a foreach: how many items that has; 0 for other steps
	// Branches are the names of the branches that the step runs at the same time, in
	// the order in which they join; nil where it has none.
	Branches []string
	Ended    bool // false when the node starts
	At       time.Time
	// Duration is how long the execution took, when it has ended.
	Duration time.Duration
	Input    expr.Value // what the node was given, evaluated; set when it ends
	Output   expr.Value // nil is undefined
	Size     int        // of the output as JSON, in bytes; set when it ends
	Err      error
	Caught   bool // the run continued after Err, with Output
	// Call identifies what the step called: server, tool and arguments.
	Call string
	// Completed says that the call was completed, also where the step failed.
	Completed bool
	// Attempts is how often the step was tried, where it may be retried.
	Attempts int
	// Failed is how many attempts are known to have failed before another was made, of a
	// step that begins with the first one again. It is set when the node starts.
	Failed int
	// Inside says of a step that has ended when it starts, because it is recorded, that
	// the steps it consists of are executed again, whatever they come to.
	Inside bool
	// Again says of a step that starts that it is recorded as completed, and its output is
	// computed again.
	Again bool
	// Repeats says of a step that starts that what it computes has been computed before,
	// or belongs to a replay: counted limits alone end its expressions, as time would end
	// them elsewhere than it did.
	Repeats bool
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
