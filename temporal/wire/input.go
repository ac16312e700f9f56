package wire

import (
	"context"
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/run"
)

// An Input starts a run, or continues one.
type Input struct {
	Record Record `json:"record"` // of the run so far; of a new one, without steps
	Pinned Pinned `json:"pinned"`
	// Resume says that the record is that of a run that has stopped, or continues as a new
	// execution: what it has completed is not done again.
	Resume bool `json:"resume,omitempty"`
	// Spent is the time of the run that counts towards its limit already.
	Spent time.Duration `json:"spent,omitempty"`
	// Attempt is how often the workflow has continued as a new execution since the run was
	// started or resumed.
	Attempt int `json:"attempt,omitempty"`
	// Indexed says that the namespace knows the search attributes.
	Indexed bool `json:"indexed,omitempty"`
	// Queue is the task queue of the run's workflow, from which that of its calls follows.
	Queue string `json:"queue"`
	// MaxHeld is how long a call waits for an answer.
	MaxHeld time.Duration `json:"maxHeld,omitempty"`
}

// NewInput returns what starts a plan as a new run. Pinned is that of [Pin].
func NewInput(plan *engine.Plan, pinned Pinned, arguments json.RawMessage, o run.Options, now time.Time) Input {
	return Input{
		Pinned: pinned,
		Record: Record{Record: run.Record{ID: o.ID, Graph: plan.Name, Source: plan.Source(), Options: o, Arguments: run.JSONOrText(arguments), Status: run.Running, Started: now}},
	}
}

// An Outcome is what a workflow returns: how the run has come out, and its whole record.
type Outcome struct {
	Status Status `json:"status"`
	Record Record `json:"record"`
}

// A Status is a line about a run.
type Status struct {
	ID        string     `json:"id"`
	Graph     string     `json:"graph,omitempty"`
	Project   string     `json:"project,omitempty"`
	Principal string     `json:"principal,omitempty"`
	Around    bool       `json:"around,omitempty"` // it is of a workflow around a request
	Status    run.Status `json:"status"`
	Code      string     `json:"code,omitempty"` // of the fault
	Message   string     `json:"message,omitempty"`
	Started   time.Time  `json:"started"`
	Ended     time.Time  `json:"ended,omitzero"`
	Steps     int        `json:"steps"`               // node executions so far
	Questions int        `json:"questions,omitempty"` // that wait for an answer
	// Waiting says for what calls wait, such as a server that no worker has: lines for
	// people, in order.
	Waiting []string `json:"waiting,omitempty"`
}

// An Answer answers a question by the key of its intent.
type Answer struct {
	Key    string          `json:"key"`
	Answer json.RawMessage `json:"answer"` // a run.Answer
}

// An Ask is a question that a call in progress puts to a person.
type Ask struct {
	Call     string       `json:"call"` // key of the call
	Question run.Question `json:"question"`
}

// A Pinned is what the compiler has seen beyond the document of a run, so that every
// worker, now and later, compiles the same plan: a changed tool or saved graph does not
// touch runs in flight.
type Pinned struct {
	Tools  []Tool     `json:"tools,omitempty"`
	Graphs []Graph    `json:"graphs,omitempty"`
	Limits run.Limits `json:"limits,omitzero"`
	// Unreviewed is that of engine.Plan.
	Unreviewed bool `json:"unreviewed,omitempty"`
	// Models are those that the run may ask, with how many tokens a reply may have.
	Models map[string]int `json:"models,omitempty"`
}

// A Tool is a tool of a server as the checker saw it.
type Tool struct {
	Server      string          `json:"server"`
	Tool        string          `json:"tool"`
	Description string          `json:"description,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"` // specs.Annotations
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
}

// A Graph is a saved graph that a run may call.
type Graph struct {
	Name   string     `json:"name"`
	Tool   Tool       `json:"tool"` // without a server
	Source run.Source `json:"source"`

	Unreviewed bool `json:"unreviewed,omitempty"` // as that of Pinned
	AsksModel  bool `json:"asksModel,omitempty"`  // as that of engine.Tool
}

// Pin returns what the compiler saw of a plan and of the graphs that it runs. Limits are
// those that it was compiled with, and maxReply is that of local.Options. An error says that a
// graph cannot be run.
func Pin(ctx context.Context, plan *engine.Plan, limits run.Limits, maxReply func(model string) int) (Pinned, error) {
	p := pinner{maxReply: maxReply, pinned: Pinned{Limits: limits, Unreviewed: plan.Unreviewed()}, tools: map[string]bool{}, graphs: map[string]bool{}, plans: map[*engine.Plan]bool{}}
	if err := p.add(ctx, plan); err != nil {
		return Pinned{}, err
	}
	return p.pinned, nil
}
