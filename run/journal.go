package run

import (
	"encoding/json"
	"time"
)

// A Journal stores runs while they execute, so that they outlive the process. It is
// safe for concurrent use.
//
// A run waits for the disk only where something could be lost. A record without safe
// is written soon after the call, in the order of the calls. With safe, this record
// and all earlier ones of the run are on disk when the method returns; if it returns
// an error they may not be, and the run must not continue.
type Journal interface {
	// Begin stores a run that starts, or the whole record of one that continues. With
	// safe it may refuse the run.
	Begin(r *Record, safe bool) error
	// Step stores the start or the end of an execution. An error means that it can never
	// be stored.
	Step(run string, s StepRecord) error
	// Intend stores an intent or its outcome.
	Intend(run string, in Intent, safe bool) error
	// End stores the state of a run that has stopped.
	End(r *Record, safe bool) error
}

// Forget is the journal that stores nothing.
type Forget struct{}

// Begin does nothing.
func (Forget) Begin(*Record, bool) error { return nil }

// Step does nothing.
func (Forget) Step(string, StepRecord) error { return nil }

// Intend does nothing.
func (Forget) Intend(string, Intent, bool) error { return nil }

// End does nothing.
func (Forget) End(*Record, bool) error { return nil }

// A StateChange is what a step reads or changes of what its graph has stored for later
// runs.
type StateChange struct {
	Project, Graph string
	Do             string          // one of StateGet, StateSet, StateAdd and StateDelete
	Key            string          // of at most MaxStateKey bytes
	Value          json.RawMessage `json:",omitempty"` // of StateSet; a list of members of StateAdd
	TTL            time.Duration   // after which it is as if it had never been stored; 0 is never
}

// What a step can do with state.
const (
	StateGet    = "get"    // {value, found}
	StateSet    = "set"    // {changed, previous}
	StateAdd    = "add"    // {added, known, count}: the members that were not there, those that were, and how many there are
	StateDelete = "delete" // {deleted}
)

// Bounds on state.
const (
	MaxStateKey    = 200       // bytes of a key
	MaxStateValue  = 256 << 10 // bytes of a value
	MaxStateMember = 1 << 10   // bytes of a member, as JSON
	MaxMembers     = 10_000    // under one key
	MaxStateKeys   = 1_000     // of one graph
)

// IntentState is the kind of the intent of a step that has changed state. It is stored
// together with the change, and its outcome is what the step has come to.
const IntentState IntentKind = "state"

// A StateStore keeps the state of graphs. It is safe for concurrent use, by several
// processes if it is on disk.
type StateStore interface {
	// ChangeState reads or changes state at a time, for a step of a run that executes. A
	// change and its intent, with the result as its outcome, are stored together before
	// it returns, so that the change is made once whatever happens. With dry nothing is
	// stored. A change that is not possible is a diag.Fault.
	ChangeState(run string, in Intent, c StateChange, dry bool) (result json.RawMessage, err error)
	// States returns what is stored for a project and a graph, sorted by graph and key;
	// "" is every one.
	States(project, graph string) ([]StateEntry, error)
	// DeleteState deletes a key of a graph, or all of its keys for "", and returns how many
	// these are.
	DeleteState(project, graph, key string) (int, error)
}

// A StateEntry is what is stored under a key of a graph.
type StateEntry struct {
	Project string          `json:"project,omitempty"`
	Graph   string          `json:"graph"`
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`             // of members, their list
	Members int             `json:"members,omitempty"` // how many there are, where they were added
	Updated time.Time       `json:"updated"`
	Expires time.Time       `json:"expires,omitzero"` // zero is never, and of members
}

// A ScheduleMark is how far a schedule has been handled: every occurrence up to At has been
// started, or is being started.
type ScheduleMark struct {
	At         time.Time
	Definition string // when the schedule is due, as its author has written it
	Run        string // the ID of the run that is being started; "" when that is done
	Owner      string // who has set the mark, as the store knows it
	// Abandoned says that Run was never started, and that its process has ended. It is set
	// by the store.
	Abandoned bool
}

// A ScheduleStore keeps the marks of schedules. It is safe for concurrent use, by several
// processes if it is on disk.
type ScheduleStore interface {
	// ScheduleMark returns the mark of a schedule, nil for one that is not known.
	ScheduleMark(project, name string) (*ScheduleMark, error)
	// SetScheduleMark replaces a mark, nil for none, by another. It reports false if the
	// mark is not that one any more: somebody else has been faster.
	SetScheduleMark(project, name string, was *ScheduleMark, is ScheduleMark) (bool, error)
}
