package engine

import (
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// A Status says how a run stands.
type Status string

// The statuses of a run.
const (
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// A Record is all that is kept of a run.
type Record struct {
	ID        string
	Graph     string // name of the tool, or ""
	Principal string // who started it; others do not see it
	Status    Status
	Arguments json.RawMessage
	Result    expr.Value // nil is undefined
	Fault     *diag.Fault
	Started   time.Time
	Ended     time.Time
	Steps     []StepRecord
	Plan      *Plan
}

// A StepRecord is one node execution of a run.
type StepRecord struct {
	Index     int
	Node      string
	Type      string
	Key       string
	Started   time.Time
	Duration  time.Duration
	Input     expr.Value // what the node was given, evaluated; nil where it takes nothing
	Output    expr.Value // nil is undefined
	Fault     *diag.Fault
	Simulated string // "pin" or "schema" where the output was not computed
}

// Scope returns what an expression after the first n steps of the run sees; n < 0
// means all of them.
func (r *Record) Scope(n int, l expr.Limits) *expr.Scope {
	if n < 0 || n > len(r.Steps) {
		n = len(r.Steps)
	}
	h := &history{byID: map[string][]int{}}
	s := expr.NewScope(h, l)
	for _, step := range r.Steps[:n] {
		if step.Fault == nil {
			s.Set(step.Node, step.Output)
			h.add(step.Node, step.Output)
		}
	}
	s.SetNow(r.Ended)
	return s
}
