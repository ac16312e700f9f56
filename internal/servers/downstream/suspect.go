package downstream

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Sizes above which a person should look at a definition.
const (
	longDescription = 4000     // characters
	longSchema      = 64 << 10 // bytes
)

// orders are texts that tell the model what to do, instead of what the tool does.
var orders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)` +
		`\b(ignore|disregard|forget)\b.{0,30}\b(previous|prior|above|earlier|other)\b.{0,20}\b(instruction|prompt|message|rule)s?\b` +
		`|\b(do not|don't|never)\b.{0,20}\b(tell|mention|inform|reveal|show|notify)\b.{0,40}\b(user|human|anyone|person)\b` +
		`|\byou (must|should|have to|need to|are required to) (always|never|first|not|call|use|send|include|read|pass)\b` +
		`|\b(before|after|whenever) (you )?(use|using|call|calling|run|running) (any|every|all|other|this)\b.{0,20}\btools?\b` +
		`|\binstead of\b.{0,30}\bother tools?\b` +
		`|<\s*/?\s*(important|system|instructions?|secret)\s*>` +
		`|\bsystem prompt\b` +
		`|\b(read|open|cat|send|include|attach|pass|upload)\b.{0,60}(~/\.ssh|\bid_rsa\b|\.env\b|\bcredentials?\b|\bpasswords?\b|\bapi[ _-]?keys?\b|\bprivate keys?\b)`)
})

// Suspicions returns what in a tool's definition a person should look at: texts that
// give orders to a model, values that people do not see, and definitions of unusual size. They hide and refuse nothing.
func (t *Tool) Suspicions() []string {
	var found []string
	for _, text := range []struct{ what, text string }{{"title", t.Title}, {"description", t.Description}, {"input schema", schemaTexts(t.InputSchema)}, {"output schema", schemaTexts(t.OutputSchema)}} {
		if order := orders().FindString(text.text); order != "" {
			found = append(found, fmt.Sprintf("its %s seems to tell the model what to do: %q", text.what, diag.Cut(diag.OneLine(order), 100)))
		}
	}
	for _, schema := range []struct {
		what string
		raw  json.RawMessage
	}{{"input", t.InputSchema}, {"output", t.OutputSchema}} {
		var values any
		_ = json.Unmarshal(schema.raw, &values) // none has no values
		if _, n := visible(fmt.Sprint(values)); n > 0 {
			found = append(found, fmt.Sprintf("names or values in its %s schema have %d invisible characters, which stay because calls are checked by them", schema.what, n))
		}
	}
	if n := utf8.RuneCountInString(t.Description); n > longDescription {
		found = append(found, fmt.Sprintf("its description has %d characters", n))
	}
	if n := len(t.InputSchema) + len(t.OutputSchema); n > longSchema {
		found = append(found, fmt.Sprintf("its schemas have %d bytes", n))
	}
	return found
}

// schemaTexts are the texts in a schema, one a line.
func schemaTexts(raw json.RawMessage) string {
	var all []byte
	for _, at := range schemaText.FindAllSubmatch(raw, -1) {
		var text string
		if json.Unmarshal(at[2], &text) == nil {
			all = append(append(all, text...), '\n')
		}
	}
	return string(all)
}

// What tells a server that is a Patchbay too which Patchbays have started or reached it: an
// environment variable of processes, and a header of requests.
const (
	AncestorsVariable = "PATCHBAY_ANCESTORS"
	AncestorsHeader   = "Patchbay-Ancestors"
)

// maxAncestors is how many Patchbays may be above one.
const maxAncestors = 2

// Ancestors are the identities of the Patchbays above this one, the first started first.
type Ancestors []string

// ReadAncestors reads the value of the variable or the header.
func ReadAncestors(text string) Ancestors {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// With adds the identity of this process, for its servers.
func (a Ancestors) With(identity string) Ancestors {
	if identity == "" || slices.Contains(a, identity) {
		return a
	}
	return append(slices.Clip(a), identity)
}

var (
	codeNestedTooDeep = diag.DefineFault("nested-too-deep", diag.RefusesRequest, "a Patchbay is a server of another one, which has two above it already", "add what it offers to the servers of one above it")
	codeOwnServer     = diag.DefineFault("own-server", diag.RefusesRequest, "a server is `patchbay serve` with the configuration and the state folder of the Patchbay that starts it", "delete its entry among the servers")
)

// Refuse returns the fault of a Patchbay that would serve itself, or too many others; nil if
// there is none. One without servers has the identity "".
func (a Ancestors) Refuse(identity string) *diag.Fault {
	switch {
	case identity != "" && slices.Contains(a, identity):
		return diag.Faultf(codeOwnServer, "this Patchbay has been made its own server: one with the same configuration and state folder is above it").
			WithHint("delete its entry among the servers; to start one that is not a server of the other, unset " + AncestorsVariable)
	case len(a) > maxAncestors:
		return diag.Faultf(codeNestedTooDeep, "this Patchbay is a server of a Patchbay that is a server of others: at most %d may be above it, and there are %d", maxAncestors, len(a)).
			WithHint("add what this one offers to the servers of one above it")
	}
	return nil
}

// Guard refuses the requests of Patchbays that h may not serve.
func Guard(identity string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f := ReadAncestors(r.Header.Get(AncestorsHeader)).Refuse(identity); f != nil {
			http.Error(w, f.Message+". "+f.Hint, http.StatusLoopDetected)
			return
		}
		h.ServeHTTP(w, r)
	})
}
