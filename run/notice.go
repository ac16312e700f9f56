package run

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// A NoticeType says what happened.
type NoticeType string

// The types of notices.
const (
	NodeStarted   NoticeType = "nodeStarted"
	NodeCompleted NoticeType = "nodeCompleted"
	NodeFailed    NoticeType = "nodeFailed"
	RunPaused     NoticeType = "paused"  // the run waits for somebody, or a debugger holds a step
	RunResumed    NoticeType = "resumed" // it continues
	RunEnded      NoticeType = "ended"
)

// OfStep reports whether a step has started or ended: the others are of the run, also where a
// debugger pauses it before a step.
func (t NoticeType) OfStep() bool { return t == NodeStarted || t == NodeCompleted || t == NodeFailed }

// A Notice is one event of a run as everybody is told who watches it: a program that embeds
// Patchbay, the web UI, and patchbay runs logs.
type Notice struct {
	Type     NoticeType  `json:"type"`
	Run      string      `json:"run_id"`
	Graph    string      `json:"graph,omitempty"`
	Node     string      `json:"node,omitempty"`
	NodeType string      `json:"node_type,omitempty"`
	Key      string      `json:"key,omitempty"`       // of the step, the same in every replay
	Index    int         `json:"index"`               // of the step among the run's, from 0; 0 of what is not about one
	At       time.Time   `json:"at"`                  // when it happened
	Ms       float64     `json:"ms,omitempty"`        // how long the step took
	Attempts int         `json:"attempts,omitempty"`  // how often the step was tried, where it may be retried
	Caught   bool        `json:"caught,omitempty"`    // the run continued after the failure
	Given    string      `json:"simulated,omitempty"` // where an output that was not computed comes from, such as "pin"
	Status   Status      `json:"status,omitempty"`    // of a run that ended, or paused and has stopped; "" of one that a debugger paused
	Why      string      `json:"why,omitempty"`       // a debugger paused it, and how it continues: breakpoint or step, continue or step
	Error    *diag.Fault `json:"error,omitempty"`     // of a step or run that failed

	Principal string     `json:"-"` // whose run it is
	Input     expr.Value `json:"-"` // of a step that has ended, in the process that executes it
	Output    expr.Value `json:"-"` // of such a step; nil is undefined
}

// Notice is the event as who watches the run is told.
func (e *Event) Notice(run, graph, principal string) Notice {
	n := Notice{Type: NodeStarted, Run: run, Graph: graph, Principal: principal, Node: e.Node, NodeType: e.Type, Key: e.Key, Index: e.Index, At: e.At}
	if !e.Ended {
		return n
	}
	n.Type, n.Ms, n.Caught, n.Given, n.Input, n.Output = NodeCompleted, milliseconds(e.Duration), e.Caught, e.Simulated, e.Input, e.Output
	if e.Attempts > 1 {
		n.Attempts = e.Attempts
	}
	if e.Err != nil {
		n.Type = NodeFailed
		if n.Error, _ = errors.AsType[*diag.Fault](e.Err); n.Error == nil {
			n.Error = &diag.Fault{Code: "internal-error", Message: e.Err.Error()}
		}
	}
	return n
}

// Notices are the events of the run so far, in the order in which they happened.
func (r *Record) Notices() []Notice {
	all := make([]Notice, 0, 2*len(r.Steps)+len(r.Resumed)+1)
	for i := range r.Intents {
		all = append(all, r.pauses(&r.Intents[i])...)
	}
	for _, m := range Moments(r.Steps) {
		e := m.Event()
		all = append(all, e.Notice(r.ID, r.Graph, r.Principal))
	}
	for _, x := range r.Resumed {
		all = append(all, Notice{Type: RunResumed, Run: r.ID, Graph: r.Graph, Principal: r.Principal, At: x.At})
	}
	slices.SortStableFunc(all, func(a, b Notice) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	if r.Status != Running {
		all = append(all, r.Stopped())
	}
	return all
}

// Stopped is the notice that the run has stopped.
func (r *Record) Stopped() Notice {
	n := Notice{Type: RunEnded, Run: r.ID, Graph: r.Graph, Principal: r.Principal, At: r.Ended, Status: r.Status, Error: r.Fault}
	if !r.Ended.IsZero() {
		n.Ms = milliseconds(r.Ended.Sub(r.Started))
	}
	if r.Status == Interrupted {
		n.Type = RunPaused
	}
	return n
}

// milliseconds rounds a duration to microseconds.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
