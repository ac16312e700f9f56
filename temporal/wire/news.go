package wire

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/run"
)

// Seen is what somebody knows of the steps of a run.
type Seen struct {
	Steps int `json:"steps"` // how many have begun
	Ended int `json:"ended"` // the latest position among those that have ended
}

// News is what has happened in a run besides what somebody has seen.
type News struct {
	Record Record `json:"record"` // with the steps that have begun or ended since, and those in progress
	// Items are how many items the foreach of a step has, by the key of the step, where
	// the record has such items.
	Items map[string]int `json:"items,omitempty"`
}

// NewsOf returns what is new in a record. The result shares the steps with it.
func NewsOf(rec *run.Record, seen Seen) News {
	n := News{}
	n.Record.ID, n.Record.Graph, n.Record.Principal, n.Record.Status, n.Record.Started = rec.ID, rec.Graph, rec.Principal, rec.Status, rec.Started
	for _, s := range rec.Steps {
		if s.Index >= seen.Steps || s.Ended == 0 || s.Ended > seen.Ended {
			n.Record.Steps = append(n.Record.Steps, s)
		}
	}
	return n
}

// And is what is known after some steps of the run.
func (s Seen) And(steps []*run.StepRecord) Seen {
	for _, x := range steps {
		s.Steps, s.Ended = max(s.Steps, x.Index+1), max(s.Ended, x.Ended)
	}
	return s
}

// ForeachOf returns the key of the foreach that a step is an item of.
func ForeachOf(key string) (of string, item bool) {
	i := strings.LastIndexByte(key, '[')
	if i < 0 || !strings.HasSuffix(key, "]") {
		return "", false
	}
	return key[:i], true
}
