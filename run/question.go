package run

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/schema"
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

// For how long a person can permit the calls of a tool.
const (
	AllowOnce    = "once"    // for the step that asks
	AllowRun     = "run"     // for the run
	AllowSession = "session" // for the session of the client
	AllowAlways  = "always"  // for good
)

// A Permission is to call a tool as its server has defined it, for good or in one session.
type Permission struct {
	Config     string `json:"config,omitempty"` // the real path of the configuration file
	Server     string `json:"server"`
	Tool       string `json:"tool"`
	Definition string `json:"definition"`        // its hash
	Session    string `json:"session,omitempty"` // "" is for good
}

// Allows returns for how long an answer to a question about a call permits the calls, "" if it
// does not permit them. Without a choice that is the run.
func (a *Answer) Allows() string {
	if a.Action != "accept" {
		return ""
	}
	var content struct {
		Allow string `json:"allow"`
	}
	if json.Unmarshal(a.Content, &content) != nil || content.Allow == "" {
		return AllowRun
	}
	return content.Allow
}

// AllowedOther reports whether the answer to the question of an intent permits the calls of one
// step only, which is another one.
func (in *Intent) AllowedOther(step string) bool {
	var a Answer
	return in.Step != step && json.Unmarshal(in.Outcome, &a) == nil && a.Allows() == AllowOnce
}

// Bounds of what a server asks a person.
const (
	maxAskedText   = 4000     // characters of its message
	maxAskedSchema = 64 << 10 // bytes of its schema
)

// ServerQuestion returns the question that a server asks a person for a call of a tool. Its
// texts are bounded, invisible characters in them are made visible, and the message names
// the server. The params are those of elicitation/create; an error says, as the end of a
// sentence, why they are not a question that can be put.
func ServerQuestion(server, tool string, params json.RawMessage) (Question, error) {
	var p struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return Question{}, errors.New("it cannot be read")
	}
	switch {
	case p.Mode != "" && p.Mode != "form":
		return Question{}, fmt.Errorf("its mode is %q, and a run can only show forms", diag.Excerpt(p.Mode))
	case len(p.Schema) > maxAskedSchema:
		return Question{}, fmt.Errorf("its schema has more than %d bytes", maxAskedSchema)
	}
	q := Question{Server: server, Message: fmt.Sprintf("The server %s asks, for a call of its tool %s: %s", server, diag.Visible(tool), diag.Visible(diag.Cut(p.Message, maxAskedText)))}
	if len(p.Schema) == 0 || string(p.Schema) == "null" {
		return q, nil
	}
	v, err := expr.Decode(p.Schema)
	if err != nil || schema.Read(p.Schema).Get("type").Text() != "object" {
		return Question{}, errors.New("its schema is not that of an object")
	}
	q.Schema, err = expr.Encode(visible(v))
	return q, err
}

// visible is a value with the invisible characters in its texts made visible.
func visible(v expr.Value) expr.Value {
	switch v := v.(type) {
	case string:
		return diag.Visible(v)
	case []any:
		return lists.Each(v, visible)
	case expr.Object:
		out := expr.NewObject()
		for key, member := range v.All() {
			out.Set(diag.Visible(key), visible(member))
		}
		return out
	}
	return v
}
