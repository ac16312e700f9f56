package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
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
	Record(ctx context.Context, e *run.Event) error
	// Used returns how many node executions count towards the limit of the run before it
	// begins: those of earlier attempts at it.
	Used() int
	// Counted reports whether an execution is one of those, or need not be counted.
	Counted(key string) bool
	// Identify returns a text that identifies server, tool and arguments of a call. It
	// is the same where only secrets in them have changed.
	Identify(c *run.Call) string
	// Call runs a downstream tool, or anything else outside that is like one.
	Call(ctx context.Context, c run.Call) (*run.Result, error)
	// State reads or changes what a graph stores for later runs, and returns the result,
	// a JSON object. The key names the change within its run: it is made once, together
	// with its record. Simulated says that it was only computed.
	State(ctx context.Context, key string, c run.StateChange) (result json.RawMessage, simulated string, err error)
	// Sleep returns after d, or with the context's cause when that ends. The key
	// names the wait within its run.
	Sleep(ctx context.Context, key string, d time.Duration) error
	// Deadline returns a context that ends after d, with the cause.
	Deadline(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc)
	// Await returns a person's answer, or a fault for which [Parked] is true: then
	// the run stops here and continues when there is an answer.
	Await(ctx context.Context, q run.Question) (*run.Answer, error)
	// Fan calls f(0) … f(n-1), at most limit at a time, and returns when all have
	// returned. The first that fails cancels the context of the others with an
	// [Abandoned] cause; its error is returned. One that is [Parked] lets the others
	// finish.
	Fan(ctx context.Context, n, limit int, f func(ctx context.Context, i int) error) error
	// Background returns what calls functions at the same time as the walk of a graph
	// that has just begun, with contexts derived from ctx.
	Background(ctx context.Context) Background
}

// A Background calls the detached branches of one execution of a graph.
type Background interface {
	// Go calls f at the same time as what follows. An error is logged under the key,
	// and nothing else follows from it.
	Go(key string, f func(ctx context.Context) error)
	// End is called once the graph has come to its result or to err, and returns when
	// all functions have. If err parks the run, they may finish; otherwise their context
	// ends, with a [run.Ended] cause.
	End(err error)
	// Wait is called instead of End where the branches outlast the graph: it returns when
	// all functions have.
	Wait()
}
