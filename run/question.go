package run

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// A Question is put to a person: by an ask node, or for a call.
type Question struct {
	Key     string // names the question within its run; of a call, among the questions of the call
	Step    string // key of the step that asks; "" is the key up to its last slash
	Node    string
	Server  string // the downstream server that asks, "" of a question of Patchbay or the graph
	Permits string // the tool, as server/tool, whose calls the answer permits for the whole run; "" of other questions
	Message string
	Schema  json.RawMessage `json:",omitempty"` // a flat object schema of primitives, or nil
	Timeout time.Duration   // after which the answer is "timeout"; 0 is never
}

// DetailOf returns what an intent to ask keeps of a question.
func DetailOf(q Question) json.RawMessage {
	b, _ := json.Marshal(struct {
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"schema,omitempty"`
		Server  string          `json:"server,omitempty"`
		Permits string          `json:"permits,omitempty"`
	}{q.Message, q.Schema, q.Server, q.Permits})
	return b
}

// permitPrefix begins the key of a question whose answer permits the calls of a tool.
const permitPrefix = "permit/"

// PermitKey names the question whether the calls of a tool are permitted, in the run of a
// document: a corrected document asks again.
func PermitKey(document, tool string) string {
	sum := sha256.Sum256([]byte(document))
	return permitPrefix + base64.RawURLEncoding.EncodeToString(sum[:9]) + "/" + tool
}

// permits reports whether an intent is a question whose answer permits the calls of a tool.
func (in *Intent) permits() bool {
	return in.Kind == IntentAsk && strings.HasPrefix(in.Key, permitPrefix)
}

// An Answer is what a person did about a question.
type Answer struct {
	Action  string          `json:"action"`            // accept, decline, cancel or timeout
	Content json.RawMessage `json:"content,omitempty"` // with accept: an object that satisfies the question's schema
}

// An Asker puts questions to a person for a call in progress.
type Asker interface {
	// Ask returns the answer to a question of a call, at once where the run has it
	// already. The error is a fault for which [Parked] is true if the run is to stop until
	// there is an answer; then the call must not be made. Any other error says that
	// nobody can be asked.
	Ask(ctx context.Context, c Call, q Question) (*Answer, error)
}

// A CallAsker is an [Asker] that also puts questions during the call, which waits for the
// answer meanwhile.
type CallAsker interface {
	Asker
	// AskDuring returns the answer to a question that the server asks during the call, with
	// the action "timeout" if nobody answers in time. An error says that nobody can be
	// asked, or is the cause of ctx.
	AskDuring(ctx context.Context, c Call, q Question) (*Answer, error)
}

// ErrNobodyAsked is the error of a [CallAsker] for a run in which nobody is asked.
var ErrNobodyAsked = errors.New("nobody can be asked")
