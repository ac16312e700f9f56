package tooldef

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Bounds on what a server lists.
const (
	MaxSchema      = 512 << 10 // bytes of one schema
	maxSchemaDepth = 100       // of nesting within it
	MaxText        = 64 << 10  // bytes of a description
)

// anyObject is the schema of a tool whose own is of no use.
var anyObject = json.RawMessage(`{"type":"object"}`)

// A Tool is one tool as its server lists it. It is immutable.
type Tool struct {
	Server      string `json:"-"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// InputSchema has the server's own bytes without insignificant white space.
	// It is {"type":"object"} where Note says that the server's is of no use.
	InputSchema  json.RawMessage    `json:"-"`
	OutputSchema json.RawMessage    `json:"-"` // as sent; nil when the server lists none, or none of use
	Annotations  *specs.Annotations `json:"annotations,omitempty"`
	Hash         string             `json:"hash"`               // of name, title, description, schemas and annotations as sent: hex SHA-256
	Raw          json.RawMessage    `json:"-"`                  // the whole definition as sent, of a server of a gateway
	Note         string             `json:"note,omitempty"`     // what is wrong with the definition, for the operator
	Endpoint     string             `json:"endpoint,omitempty"` // what a call of an API's tool requests, as [apis.EndpointKey]; "" of others

	Definition json.RawMessage `json:"-"` // what the hash covers, until it is pinned
}

// Read reads one definition. An error says why it cannot be kept at all.
func Read(server string, raw json.RawMessage, trusted bool) (*Tool, error) {
	return readDefinition(server, raw, trusted, schema.Usable)
}

// ReadGenerated is [Read] for a definition whose schemas this program has made: they are
// not compiled to see whether they are valid, which takes most of the time.
func ReadGenerated(server string, raw json.RawMessage, trusted bool) (*Tool, error) {
	t, err := readDefinition(server, raw, trusted, func(raw json.RawMessage) (json.RawMessage, []string, error) { return raw, nil, nil })
	if err != nil {
		return nil, err
	}
	var def struct {
		Meta map[string]any `json:"_meta"`
	}
	_ = json.Unmarshal(raw, &def) // it was read above
	t.Endpoint, _ = def.Meta[apis.EndpointKey].(string)
	return t, nil
}

// usable returns a schema without what JSON Schema does not allow in it, and what that is.
type usable func(raw json.RawMessage) (clean json.RawMessage, without []string, err error)

func readDefinition(server string, raw json.RawMessage, trusted bool, use usable) (*Tool, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return nil, errors.New("a tool that is not an object")
	}
	hidden := 0
	text := func(name string) string {
		var s string
		_ = json.Unmarshal(fields[name], &s) // what is not a string counts as absent
		clean, n := Visible(s)
		hidden += n
		return diag.Cut(clean, MaxText)
	}
	t := &Tool{Server: server, Name: text("name")}
	if t.Name == "" {
		return nil, errors.New("a tool without a name")
	}
	if hidden > 0 {
		return nil, fmt.Errorf("a tool whose name %q has invisible characters", t.Name)
	}
	if len(t.Name) > 256 {
		return nil, fmt.Errorf("a tool whose name has %d bytes", len(t.Name))
	}
	t.Title, t.Description = text("title"), text("description")
	var hints struct {
		Title string `json:"title"`
		specs.Annotations
	}
	if a, ok := fields["annotations"]; ok && json.Unmarshal(a, &hints) == nil {
		if t.Title == "" {
			t.Title, _ = Visible(hints.Title)
		}
		t.Annotations = &hints.Annotations
		t.Annotations.Trusted = trusted
	}
	t.Definition = definition(fields)
	t.Hash = files.Hash(string(t.Definition))

	var notes []string
	shown, n := visibleSchema(fields["inputSchema"])
	hidden += n
	input, note := checkSchema(shown, true, use)
	if note != "" {
		notes = append(notes, "inputSchema "+note)
	}
	t.InputSchema = input
	if out, ok := fields["outputSchema"]; ok && string(out) != "null" {
		shown, n := visibleSchema(out)
		hidden += n
		output, note := checkSchema(shown, false, use)
		if note != "" {
			notes = append(notes, "outputSchema "+note)
		}
		t.OutputSchema = output
	}
	if hidden > 0 {
		notes = append(notes, fmt.Sprintf("%d invisible characters are removed from its texts", hidden))
	}
	t.Note = strings.Join(notes, "; ")
	return t, nil
}

// checkSchema returns a schema that can be used, and what had to be done to
// make it so. A useless schema becomes anyObject for input, nil for output.
func checkSchema(raw json.RawMessage, input bool, use usable) (json.RawMessage, string) {
	useless := func(format string, args ...any) (json.RawMessage, string) {
		if input {
			return anyObject, fmt.Sprintf(format, args...) + ", any object is accepted"
		}
		return nil, fmt.Sprintf(format, args...) + ", it is ignored"
	}
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return useless("is missing")
	case len(raw) > MaxSchema:
		return useless("has %d bytes, more than the %d that are read", len(raw), MaxSchema)
	case raw[0] != '{':
		return useless("is not an object")
	case nesting(raw) > maxSchemaDepth:
		return useless("is nested deeper than %d levels", maxSchemaDepth)
	}
	var buf bytes.Buffer
	if err := json.Compact(&buf, raw); err != nil {
		return useless("is not JSON")
	}
	raw = buf.Bytes()
	note := ""
	switch typ := schema.Read(raw).Get("type"); {
	case !input || typ.Text() == "object":
	case typ == nil:
		note = `has no "type", it is taken as "object"`
		sep := ","
		if string(raw) == "{}" {
			sep = ""
		}
		raw = append([]byte(`{"type":"object"`+sep), raw[1:]...)
	default:
		return useless(`has the type %s where only "object" is allowed`, diag.Cut(string(typ.Raw()), 60))
	}
	clean, without, err := use(raw)
	if err != nil {
		return useless("is not a valid JSON Schema (%s)", diag.Cut(strings.TrimPrefix(err.Error(), "not a valid JSON Schema: "), 200))
	}
	if len(without) > 0 {
		odd := "is used without " + diag.OneOf(without, 5) + ", which JSON Schema does not allow"
		note = strings.TrimPrefix(note+"; "+odd, "; ")
	}
	return clean, note
}

// nesting is how deep raw's objects and arrays are nested.
func nesting(raw []byte) int {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}
