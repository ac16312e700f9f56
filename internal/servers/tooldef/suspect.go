package tooldef

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Sizes above which a person should look at a definition.
const (
	LongDescription = 4000     // characters
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
		if _, n := Visible(fmt.Sprint(values)); n > 0 {
			found = append(found, fmt.Sprintf("names or values in its %s schema have %d invisible characters, which stay because calls are checked by them", schema.what, n))
		}
	}
	if n := utf8.RuneCountInString(t.Description); n > LongDescription {
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
