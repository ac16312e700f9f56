package run

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Question is put to a person: by an ask node, or for a call.
type Question struct {
	Key     string // names the question within its run; of a call, among the questions of the call
	Step    string // key of the step that asks; "" is the key up to its last slash
	Node    string
	Server  string      // the downstream server that asks, "" of a question of Patchbay or the graph
	Permits string      // the tool, as server/tool, whose calls the answer permits; "" of other questions
	Beyond  *Permission `json:",omitempty"` // that the answer can give beyond the run, or nil
	Message string
	Schema  json.RawMessage   `json:",omitempty"` // a flat object schema of primitives, or nil
	Timeout time.Duration     // after which the answer is "timeout"; 0 is never
	Graphs  map[string]string `json:",omitempty"` // revisions of the saved graphs that the run may call, by name; nil if it calls none
}

// DetailOf returns what an intent to ask keeps of a question.
func DetailOf(q Question) json.RawMessage {
	b, _ := json.Marshal(struct {
		Message string            `json:"message"`
		Schema  json.RawMessage   `json:"schema,omitempty"`
		Server  string            `json:"server,omitempty"`
		Permits string            `json:"permits,omitempty"`
		Beyond  *Permission       `json:"beyond,omitempty"`
		Graphs  map[string]string `json:"graphs,omitzero"`
	}{q.Message, q.Schema, q.Server, q.Permits, q.Beyond, q.Graphs})
	return b
}

// ChangedGraphs returns the names of the saved graphs that have changed since the question of
// an intent was asked, sorted, given the revisions of now. Earlier versions recorded none:
// then there are none.
func (in *Intent) ChangedGraphs(now map[string]string) (changed []string) {
	var asked struct {
		Graphs map[string]string `json:"graphs"`
	}
	if json.Unmarshal(in.Detail, &asked) != nil || asked.Graphs == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if was, there := asked.Graphs[name]; !there || was != now[name] {
			changed = append(changed, name)
		}
	}
	return changed
}

// permitPrefix begins the key of a question whose answer permits the calls of a tool.
const permitPrefix = "permit/"

// PermitKey names a question whether the calls of a tool are permitted, in the run of a
// document: a corrected document asks again. Before is how many were put before it, since
// their answers hold for one step each.
func PermitKey(document, tool string, before int) string {
	sum := sha256.Sum256([]byte(document))
	key := permitPrefix + base64.RawURLEncoding.EncodeToString(sum[:9])
	if before > 0 {
		key += "#" + strconv.Itoa(before)
	}
	return key + "/" + tool
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
var ErrNobodyAsked = errors.New("no person can be asked")
