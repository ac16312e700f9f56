// Package runs owns the life of a run: it starts runs and bounds how many execute
// at the same time, parks and resumes them, cancels them, recovers those that an
// earlier process left, and reports all of them to the log, the metrics and the
// tracer. It knows plans and records. Where plans come from and what their calls
// reach is said by [Options]; where runs are kept, by a [RunStore].
package runs

import (
	"context"
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Runner executes plans, and finds the runs that it has executed. [Local] does so
// in this process; a workflow engine elsewhere can implement the same methods. A
// fault with the code unknown-run says that a run does not exist for the actor.
type Runner interface {
	// Start executes a plan as a new run and returns its record when it has stopped:
	// what went wrong in the run is in the record. If its client stops waiting before,
	// the record has the status running; the run is stored by then, and continues. The
	// end of ctx ends the run while the client waits, and not afterwards. A fault says
	// that the run did not start.
	Start(ctx context.Context, plan *engine.Plan, arguments json.RawMessage, o StartOptions) (*run.Record, *diag.Fault)
	// Resume continues a stopped run at its open step, and
	// returns as Start does. The record is the run's from then on.
	Resume(ctx context.Context, plan *engine.Plan, rec *run.Record, c Client) (*run.Record, *diag.Fault)
	// Cancel ends a run that executes or waits, with why as its fault, and returns how
	// it stands. It waits two seconds at most: a run that is still running then ends
	// soon after.
	Cancel(ctx context.Context, actor run.Actor, id string, why *diag.Fault) (run.Status, *diag.Fault)
	// Reply passes the answer to a question, by the key of its intent, to the call that waits
	// for it, in whichever process. The answer satisfies the schema of the question. The
	// fault not-asked says that there is an answer already, not-running that the run does not
	// execute any more.
	Reply(actor run.Actor, id, key string, answer json.RawMessage) *diag.Fault
	// Follow returns the record of a run when it has stopped, in whichever process it
	// executes; else, with the status running, when the client stops waiting, or a call waits
	// for an answer that the client can have. The end of ctx ends a run of this process.
	Follow(ctx context.Context, actor run.Actor, id string, c Client) (*run.Record, *diag.Fault)
	// Load returns a copy of a run's record. An unverified one is a fault with the code
	// unverified-run.
	Load(actor run.Actor, id string) (*run.Record, *diag.Fault)
	// Look returns what Load does, to look at: what the store does not keep of the steps,
	// because it follows from the rest, is computed again. Nothing is called. The record may
	// be unverified.
	Look(ctx context.Context, actor run.Actor, id string) (*run.Record, *diag.Fault)
	// List returns a line about each of the chosen runs, the latest first.
	List(f run.Filter) ([]run.Summary, *diag.Fault)
	// Uses adds up runs as [RunStore.Uses] does.
	Uses(f run.Filter) ([]run.Use, *diag.Fault)
	// Prune deletes runs as [RunStore.Prune] does.
	Prune(project string, before time.Time, maxBytes int64) (deleted int, fault *diag.Fault)
	// Adopt moves runs to another project as [RunStore.Adopt] does.
	Adopt(from []string, to string) (adopted int, fault *diag.Fault)
	// States lists what graphs have stored as [run.StateStore.States] does.
	States(project, graph string) ([]run.StateEntry, *diag.Fault)
	// DeleteState deletes what a graph has stored as [run.StateStore.DeleteState] does.
	DeleteState(project, graph, key string) (deleted int, fault *diag.Fault)

	run.ScheduleStore // how far schedules have been handled, in the store of the runs

	// Recover resumes, in the background, the runs that an earlier process left.
	Recover()
	// InFlight returns how many runs execute, and how many wait for their turn.
	InFlight() (running, queued int)
	// RunningIDs returns the ids of the runs that execute in this process, sorted.
	RunningIDs() []string
	// AddMetrics lets metrics know of every run that starts or resumes from now on.
	AddMetrics(Metrics)
	// Close refuses new runs, stops those that execute, parks them so that they can be
	// resumed later, and closes the store. Calls that have left may return until ctx
	// ends; everything else of a run stops at once.
	Close(ctx context.Context)
}

// NewID returns an ID for a run that is started later.
func NewID() string { return local.NewID() }

// StartOptions are how a plan is started as a new run.
type StartOptions struct {
	run.Options        // an ID is one of [NewID], which no run has; "" is the runner's to choose
	Principal   string // whose run it is
	Mode        string // run.DryRun, or "" for a real run
	Client
}
