package reply

import (
	"encoding/json"
)

// A ShownExpression is an expression or a rule that one execution evaluated: what it
// read, and what it came to. Values beyond 2 kB are cut to text.
type ShownExpression struct {
	Graph string                     `json:"graph,omitempty"` // the saved graph that it is in, called by that of the run
	Path  string                     `json:"path"`            // in the document of the graph
	Line  int                        `json:"line"`
	Text  string                     `json:"text"` // JSONata, or the JSON Logic of a rule
	Reads map[string]json.RawMessage `json:"reads,omitempty"`
	Value json.RawMessage            `json:"value,omitempty"`
	Error string                     `json:"error,omitempty"`
}
