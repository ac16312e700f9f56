package run

import (
	"encoding/json"
	"errors"
	"time"
)

// ErrNoRun is the error for a run that does not exist, or not for the actor.
var ErrNoRun = errors.New("unknown run")

// A Filter chooses runs that an actor sees. Its other fields restrict unless they are
// zero.
type Filter struct {
	Actor   Actor
	Graph   string
	Status  Status
	Project string    // that the runs ran with
	Since   time.Time // started then or later
	Limit   int
}

// A Summary is a line about a run.
type Summary struct {
	ID        string          `json:"run_id"`
	Graph     string          `json:"graph,omitempty"`
	Principal string          `json:"-"`
	Status    Status          `json:"status"`
	Project   string          `json:"project,omitempty"`
	Started   time.Time       `json:"started"`
	Ended     time.Time       `json:"ended,omitzero"`
	Steps     int             `json:"node_executions"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Code      string          `json:"code,omitempty"`    // of what stopped it
	Message   string          `json:"message,omitempty"` // of what stopped it

	// Unverified says that the journal does not know who wrote the run: it is not resumed.
	Unverified bool `json:"unverified,omitempty"`

	Links []string `json:"answer_links,omitempty"` // to its open questions, in lists for the operator
}

// Summarize returns the line about a run.
func Summarize(r *Record) Summary {
	s := Summary{ID: r.ID, Graph: r.Graph, Principal: r.Principal, Project: r.Project, Status: r.Status, Started: r.Started, Ended: r.Ended, Steps: len(r.Steps), Arguments: r.Arguments}
	if r.Fault != nil {
		s.Code, s.Message = r.Fault.Code, r.Fault.Error()
	}
	if r.Status == Running {
		if asked := r.held(); len(asked) > 0 {
			s.Waits(asked[0].Detail)
		}
	}
	return s
}

// Waits notes that a call of the run waits for the answer to a question, of which the
// intent has the detail.
func (s *Summary) Waits(detail json.RawMessage) {
	var q struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(detail, &q) // of our own
	s.Code, s.Message = NeedsAnswer, "a person must answer: "+q.Message
}
