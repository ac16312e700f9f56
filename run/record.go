// Package run is what is known of a run, whatever executes it: its record and
// steps, its intents to act outside, the questions it asks, the decisions that
// continue it, and the journal that keeps it. It compiles and executes nothing.
package run

import (
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// DryRun is the mode of a run that changes nothing outside and waits for no time
// to pass.
const DryRun = "dry_run"

// IDPrefix is what the ID of every run begins with; a ULID follows.
const IDPrefix = "run_"

// IDCut begins the end of an ID where there is no room for all of it.
const IDCut = "…"

// A Status is the state of a run.
type Status string

// The statuses of a run.
const (
	Running     Status = "running"
	Succeeded   Status = "succeeded"
	Failed      Status = "failed"
	Cancelled   Status = "cancelled"
	Interrupted Status = "interrupted" // it waits for somebody: an answer, or a decision
)

// Statuses lists every status.
var Statuses = []Status{Running, Succeeded, Failed, Cancelled, Interrupted}

// A Record is all that is stored of a run. With it, a run can continue in another
// process, and be replayed.
type Record struct {
	ID        string
	Graph     string // name of the tool, or ""
	Principal string // who started it; others do not see it
	Source    Source
	Arguments json.RawMessage
	Options   Options
	Mode      string // DryRun, or "" for a real run
	Project   string // identifies the configuration it ran with; "" is not known

	Status  Status
	Result  expr.Value // nil is undefined
	Fault   *diag.Fault
	Started time.Time
	Ended   time.Time // zero while it runs
	Steps   []*StepRecord
	Intents []Intent
	Resumed []Resumption
	Begun   int // how often a journal took it up; tells a stale copy from the latest

	// Unverified is why nothing may be done with what the record says but to look at it; nil
	// where the journal knows who wrote it.
	Unverified *diag.Fault

	tally *Tally // of Steps; nil while they change
}

// A Source is where a run's plan comes from, so that it can be compiled again.
type Source struct {
	Name    string // of the file or the saved graph
	Text    string // the document
	Tool    string // which of its tools
	Trusted bool   // it is the operator's own
}

// A StepRecord is one node execution of a run.
type StepRecord struct {
	Index      int
	Node       string
	Type       string
	Key        string
	Started    time.Time
	Duration   time.Duration
	Input      expr.Value // what the node was given, evaluated; nil where it takes nothing
	Output     expr.Value // nil is undefined
	Size       int        // about how many bytes the output takes as JSON; 0 where it was not measured
	Fault      *diag.Fault
	Caught     bool     // the run continued after Fault, with Output
	Part       bool     // an item of a foreach, or a step of a nested graph
	Pure       bool     // the node reads nothing but the run
	Frame      bool     // it consists of other steps, from which its output follows
	Call       string   // identifies what it called: server, tool and arguments; "" where it called nothing
	Lost       bool     // it has ended, and its input and output are not kept: walking the run again computes them
	Attempts   int      // how often it was tried, where it may be retried
	Ended      int      // position in the order in which executions ended, from 1; 0 while it runs
	Simulated  string   // "pin", "schema", "skip" or DryRun where the output is not what a real run would have made it
	Definition uint64   // fingerprint of the node in the document
	Branches   []string // names of the branches that it runs at the same time, in the order in which they join
}

// Done reports whether the step has an outcome from which the run continues.
func (s *StepRecord) Done() bool { return s.Ended > 0 && (s.Fault == nil || s.Caught) }

// Given reports whether the step's output was decided instead of computed.
func (s *StepRecord) Given() bool { return s.Simulated == "skip" || s.Simulated == "pin" }

// ExpressionTimeout is the code of a step with an expression that took longer than it may
// by the clock, and not more than it may by what is counted.
var ExpressionTimeout = diag.DefineFault("expression-timeout", diag.FailsNode, "an expression took longer than its [wall time](expressions.md#limits) before a counted limit ended it; a replay takes this outcome from the record", "do less in one expression, or run it on a machine that is less busy")

var CodeAttemptTimeout = diag.DefineFault("attempt-timeout", diag.FailsAttempt, "a node did not finish within its `timeoutMs`", "raise it, or add `retry`")

// CutShort reports whether time or a cancellation ended the step: what its parts came
// to, or its expressions, does not tell that it failed.
func (s *StepRecord) CutShort() bool {
	return s.stopped() || s.Fault != nil && (s.Fault.Code == CodeAttemptTimeout || s.Fault.Code == ExpressionTimeout)
}

// Follows reports whether the step's outcome follows from the rest of the run:
// walking the run again gives the same. Calls, answers and waits come from outside,
// and so does a fault that time or a cancellation may have caused.
func (s *StepRecord) Follows() bool {
	return (s.Pure || s.Frame) && s.Fault == nil && s.Simulated == ""
}

// An Intent is what a step was about to do outside of the run, written before it
// did: after a crash it tells what may have happened.
type Intent struct {
	Key     string // of the call, the sleep or the question
	Step    string // key of the step
	Kind    IntentKind
	At      time.Time
	Until   time.Time       // when the sleep ends, or the question expires; zero is never
	Detail  json.RawMessage `json:",omitempty"` // a question's {message, schema}, a call's [Called]
	Outcome json.RawMessage `json:",omitempty"` // an answer, or why a call has no output: it was refused, not made, or its result not read; nil while only a decision repeats it
}

// An IntentKind says what a step was about to do.
type IntentKind string

// The kinds of intent.
const (
	IntentCall  IntentKind = "call"
	IntentSpent IntentKind = "spent" // a request to a model of a step that was executed again: it has cost tokens
	IntentSleep IntentKind = "sleep"
	IntentAsk   IntentKind = "ask"
	// IntentHeld is a question that the server asks during a call: the call waits for the
	// answer, and the run executes meanwhile.
	IntentHeld IntentKind = "held"
	// IntentPause is a pause of a [Debugger]. Its detail is a [Paused], its outcome a [Continued].
	IntentPause IntentKind = "pause"
)

// A Resumption is one continuation of a run after it had stopped.
type Resumption struct {
	At       time.Time `json:"at"`
	After    string    `json:"after"`              // the code of what had stopped it, or "crash"
	Decision string    `json:"decision,omitempty"` // retry, skip, pin or answer
	Step     string    `json:"step,omitempty"`     // key of the step the decision was about
	Steps    int       `json:"steps,omitempty"`    // how many calls, waits and questions it had made by then, where it was resumed by itself
}
