package run

import (
	"encoding/json"
	"errors"
	"time"
)

// An Archive is where runs are found after they have stopped: [Memory], or a
// journal on disk. A run belongs to the principal that started it; to others it
// does not exist. The principal "" is the operator, who sees all.
type Archive interface {
	// Load returns a run, or [ErrNoRun].
	Load(principal, id string) (*Record, error)
	// List returns what is known of runs, the latest first.
	List(f Filter) ([]Summary, error)
	// Prune forgets the runs that stopped before a time, and the oldest of the rest
	// until they take at most so many bytes; 0 is no bound. Runs that go on or wait
	// for somebody stay. It returns how many it forgot.
	Prune(before time.Time, maxBytes int64) (int, error)
}

// ErrNoRun is the error for a run that does not exist, or is another principal's.
var ErrNoRun = errors.New("there is no such run")

// A Filter chooses runs. Zero fields do not restrict.
type Filter struct {
	Principal string
	Graph     string
	Status    Status
	Project   string    // that the runs ran with
	Since     time.Time // started then or later
	Limit     int
}

// A Summary is a line about a run.
type Summary struct {
	ID        string          `json:"run_id"`
	Graph     string          `json:"graph,omitempty"`
	Principal string          `json:"-"`
	Status    Status          `json:"status"`
	Started   time.Time       `json:"started"`
	Ended     time.Time       `json:"ended,omitzero"`
	Steps     int             `json:"node_executions"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Code      string          `json:"code,omitempty"`    // of what stopped it
	Message   string          `json:"message,omitempty"` // of what stopped it
}

// Summarize returns the line about a run.
func Summarize(r *Record) Summary {
	s := Summary{ID: r.ID, Graph: r.Graph, Principal: r.Principal, Status: r.Status, Started: r.Started, Ended: r.Ended, Steps: len(r.Steps), Arguments: r.Arguments}
	if r.Fault != nil {
		s.Code, s.Message = r.Fault.Code, r.Fault.Error()
	}
	return s
}
