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
	Caught    bool   // the run went on after Fault, with Output
	Part      bool   // an item of a foreach, or a step of a nested graph
	Attempts  int    // how often it was tried, where it may be retried
	Ended     int    // position in the order in which executions ended, from 1; 0 while it runs
	Simulated string // "pin" or "schema" where the output was not computed
}

// Scope returns what an expression after the first n steps of the run sees; n < 0
// means all of them. Of what ran at the same time it sees what had ended by then.
func (r *Record) Scope(n int, l expr.Limits) *expr.Scope {
	if n < 0 || n > len(r.Steps) {
		n = len(r.Steps)
	}
	last := 0
	for i := range r.Steps[:n] {
		last = max(last, r.Steps[i].Ended)
	}
	seen := make([]*StepRecord, last)
	for i := range r.Steps {
		if step := &r.Steps[i]; step.Ended > 0 && step.Ended <= last {
			seen[step.Ended-1] = step
		}
	}
	h := &history{byID: map[string][]int{}}
	s := expr.NewScope(h, l)
	for _, step := range seen {
		if step != nil && !step.Part && (step.Fault == nil || step.Caught) {
			s.Set(step.Node, step.Output)
			h.add(step.Node, step.Output)
		}
	}
	s.SetNow(r.Ended)
	return s
}
