package run

import (
	"encoding/json"
	"time"
)

// A Question is put to a person by an ask node.
type Question struct {
	Key     string // names the question within its run
	Node    string
	Message string
	Schema  json.RawMessage // a flat object schema of primitives, or nil
	Timeout time.Duration   // after which the answer is "timeout"; 0 is never
}

// An Answer is what a person did about a question.
type Answer struct {
	Action  string          `json:"action"`            // accept, decline, cancel or timeout
	Content json.RawMessage `json:"content,omitempty"` // with accept: an object that satisfies the question's schema
}
