package run

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// An Event is one thing that happened in a run: a node started, or ended. An
// item of a foreach is an execution of its own, and so is every step of a nested
// graph; their keys begin with the key of what they are part of.
type Event struct {
	Key   string // path-shaped key of the step, the same in every replay
	Node  string
	Type  string
	Index int  // position among the run's node executions, from 0
	Part  bool // an item or a step of a nested graph: no output of the run's own nodes
	Pure  bool // the node reads nothing but the run
	Frame bool // it consists of other steps, from which its output follows
	Items int  // of an item of a foreach: how many items that has; 0 for other steps
	// Branches are the names of the branches that the step runs at the same time, in
	// the order in which they join; nil where it has none.
	Branches []string
	Ended    bool // false when the node starts
	At       time.Time
	// Duration is how long the execution took, when it has ended.
	Duration time.Duration
	Input    expr.Value // what the node was given, evaluated; set when it ends
	Output   expr.Value // nil is undefined
	Size     int        // of the output as JSON, in bytes; set when it ends
	Err      error
	Caught   bool // the run continued after Err, with Output
	// Call identifies what the step called: server, tool and arguments.
	Call string
	// Completed says that the call was completed, also where the step failed.
	Completed bool
	// Attempts is how often the step was tried, where it may be retried.
	Attempts int
	// Failed is how many attempts are known to have failed before another was made, of a
	// step that begins with the first one again. It is set when the node starts.
	Failed int
	// Inside says of a step that has ended when it starts, because it is recorded, that
	// the steps it consists of are executed again, whatever they come to.
	Inside bool
	// Again says of a step that starts that it is recorded as completed, and its output is
	// computed again.
	Again bool
	// Repeats says of a step that starts that what it computes has been computed before,
	// or belongs to a replay: counted limits alone end its expressions, as time would end
	// them elsewhere than it did.
	Repeats bool
	// Simulated says where an output that was not computed comes from: "pin",
	// "schema", "skip" where the step was left out, or [DryRun] of a wait that did
	// not wait.
	Simulated string
	// Definition is a fingerprint of what the document says of the node.
	Definition uint64
	// Scope is what the node's expressions see. It is the run's own: it may be read
	// while the event is handled, not kept.
	Scope *expr.Scope
}

// A Moment is the start or the end of a step.
type Moment struct {
	Step  *StepRecord
	Ended bool
}

// At is when it happened.
func (m Moment) At() time.Time {
	if m.Ended {
		return m.Step.Started.Add(m.Step.Duration)
	}
	return m.Step.Started
}

// Moments are the starts and ends of steps in the order in which they happened. At the same
// time, which is frequent where a clock stands still between calls, a step ends before the
// next one starts, and after the steps that it consists of.
func Moments(steps []*StepRecord) []Moment {
	steps = slices.DeleteFunc(slices.Clone(steps), func(s *StepRecord) bool { return s.Started.IsZero() })
	ends := slices.DeleteFunc(slices.Clone(steps), func(s *StepRecord) bool { return s.Ended == 0 })
	slices.SortStableFunc(ends, func(a, b *StepRecord) int { return cmp.Compare(a.Ended, b.Ended) })
	all := make([]Moment, 0, len(steps)+len(ends))
	for _, s := range steps {
		for len(ends) > 0 && ends[0].Index < s.Index && !isWithin(s.Key, ends[0].Key) {
			all, ends = append(all, Moment{ends[0], true}), ends[1:]
		}
		all = append(all, Moment{s, false})
	}
	for _, s := range ends {
		all = append(all, Moment{s, true})
	}
	slices.SortStableFunc(all, func(a, b Moment) int { return cmp.Compare(a.At().UnixNano(), b.At().UnixNano()) })
	return all
}

// isWithin reports whether the step of a key is one of those that another one consists of.
func isWithin(key, frame string) bool {
	rest, inside := strings.CutPrefix(key, frame)
	return inside && rest != "" && (rest[0] == '[' || rest[0] == '/')
}

// Event is the moment as the process that executes the run tells of it, as far as the record
// has it.
func (m Moment) Event() Event {
	s := m.Step
	e := Event{
		Key: s.Key, Node: s.Node, Type: s.Type, Index: s.Index, Part: s.Part, Pure: s.Pure, Frame: s.Frame,
		Branches: s.Branches, At: m.At(), Ended: m.Ended, Definition: s.Definition,
	}
	if !m.Ended {
		return e
	}
	e.Duration, e.Input, e.Output, e.Size, e.Caught = s.Duration, s.Input, s.Output, s.Size, s.Caught
	e.Call, e.Attempts, e.Simulated = s.Call, s.Attempts, s.Simulated
	if s.Fault != nil {
		e.Err = s.Fault
	}
	return e
}

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
	Items    int         `json:"items,omitempty"`     // of an item of a foreach: how many items that has, while the process knows it
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
	n := Notice{Type: NodeStarted, Run: run, Graph: graph, Principal: principal, Node: e.Node, NodeType: e.Type, Key: e.Key, Index: e.Index, Items: e.Items, At: e.At}
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
			n.Error = &diag.Fault{Code: diag.CodeInternalError, Message: e.Err.Error()}
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

// A NoticeLog knows which events of one run were shown already. What happens in this process
// is told, and what another one does is read from the store: some events come both ways, and
// the store does not keep that a run has paused before. The zero NoticeLog is empty.
type NoticeLog struct {
	steps map[int]notedStep
	run   map[notedStop]bool
}

// A notedStep is the latest execution of a step: a run that is resumed may repeat it.
type notedStep struct {
	started int64
	ended   bool
}

type notedStop struct {
	what NoticeType
	key  string // of the step at which a debugger paused
	at   int64
}

// New are the events that were not shown yet. They count as shown.
func (l *NoticeLog) New(events []Notice) []Notice {
	if l.steps == nil {
		l.steps, l.run = map[int]notedStep{}, map[notedStop]bool{}
	}
	list := make([]Notice, 0, len(events))
	for _, n := range events {
		if l.note(&n) {
			list = append(list, n)
		}
	}
	return list
}

// note files an event and reports whether it is new.
func (l *NoticeLog) note(n *Notice) bool {
	at := n.At.UnixNano()
	switch n.Type {
	case NodeStarted:
		if was, ok := l.steps[n.Index]; ok && was.started >= at {
			return false
		}
		l.steps[n.Index] = notedStep{started: at}
	case NodeCompleted, NodeFailed:
		was := l.steps[n.Index]
		if was.ended {
			return false
		}
		l.steps[n.Index] = notedStep{was.started, true}
	default:
		stop := notedStop{n.Type, n.Key, at}
		known := l.run[stop]
		l.run[stop] = true
		return !known
	}
	return true
}
