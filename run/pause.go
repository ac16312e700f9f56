package run

import (
	"encoding/json"
	"time"
)

// PauseKey ends the key of the intent of a pause; what comes before is the key of the step.
const PauseKey = "/pause"

// Paused is what the intent of a pause has as its detail.
type Paused struct {
	Node string `json:"node"`
	Type string `json:"type"`
	Why  string `json:"why"`
}

// Continued is the outcome of a pause after which the step has started.
type Continued struct {
	By string    `json:"by"` // ByContinue or ByStep
	At time.Time `json:"at"`
}

// Intent is the pause as the record of the run keeps it.
func (p *Pause) Intent() Intent {
	in := Intent{Key: p.Key + PauseKey, Step: p.Key, Kind: IntentPause, At: p.At}
	in.Detail, _ = json.Marshal(Paused{p.Node, p.NodeType, p.Why}) // of texts
	return in
}

// Notice is the event that the run has paused.
func (p *Pause) Notice() Notice {
	return Notice{Type: RunPaused, Node: p.Node, NodeType: p.NodeType, Key: p.Key, Why: p.Why, At: p.At}
}

// Continued is the event that the run continues.
func (p *Pause) Continued(c Continued) Notice {
	n := p.Notice()
	n.Type, n.Why, n.At = RunResumed, c.By, c.At
	return n
}

// pauses are the events of an intent of the run's, if it is that of a pause.
func (r *Record) pauses(in *Intent) []Notice {
	if in.Kind != IntentPause {
		return nil
	}
	var d Paused
	_ = json.Unmarshal(in.Detail, &d) // what cannot be read is left out
	p := &Pause{Key: in.Step, Node: d.Node, NodeType: d.Type, Why: d.Why, At: in.At}
	list := []Notice{p.Notice()}
	var c Continued
	if json.Unmarshal(in.Outcome, &c) == nil {
		list = append(list, p.Continued(c))
	}
	for i := range list {
		list[i].Run, list[i].Graph, list[i].Principal = r.ID, r.Graph, r.Principal
	}
	return list
}
