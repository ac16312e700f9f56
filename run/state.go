package run

import (
	"encoding/json"
	"time"
)

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
