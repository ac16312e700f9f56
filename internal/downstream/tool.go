package downstream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/patchbay-mcp/patchbay/internal/bounded"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Bounds on what a server lists.
const (
	maxSchema      = 512 << 10 // bytes of one schema
	maxSchemaDepth = 100       // of nesting within it
	maxText        = 64 << 10  // bytes of a description
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
	Hash         string             `json:"hash"`           // of the definition as sent: hex SHA-256
	Note         string             `json:"note,omitempty"` // what is wrong with the definition, for the operator
}

// readTool reads one definition. An error says why it cannot be kept at all.
func readTool(server string, raw json.RawMessage, trusted bool) (*Tool, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return nil, errors.New("a tool that is not an object")
	}
	text := func(name string) string {
		var s string
		_ = json.Unmarshal(fields[name], &s) // what is not a string counts as absent
		return cut(s, maxText)
	}
	t := &Tool{Server: server, Name: text("name"), Title: text("title"), Description: text("description")}
	if t.Name == "" {
		return nil, errors.New("a tool without a name")
	}
	if len(t.Name) > 256 {
		return nil, fmt.Errorf("a tool whose name has %d bytes", len(t.Name))
	}
	var hints struct {
		Title string `json:"title"`
		specs.Annotations
	}
	if a, ok := fields["annotations"]; ok && json.Unmarshal(a, &hints) == nil {
		if t.Title == "" {
			t.Title = hints.Title
		}
		t.Annotations = &hints.Annotations
		t.Annotations.Trusted = trusted
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, errors.New("a tool that is not JSON")
	}
	sum := sha256.Sum256(compact.Bytes())
	t.Hash = hex.EncodeToString(sum[:])

	var notes []string
	schema, note := checkSchema(fields["inputSchema"], true)
	if note != "" {
		notes = append(notes, "inputSchema "+note)
	}
	t.InputSchema = schema
	if out, ok := fields["outputSchema"]; ok && string(out) != "null" {
		schema, note := checkSchema(out, false)
		if note != "" {
			notes = append(notes, "outputSchema "+note)
		}
		t.OutputSchema = schema
	}
	t.Note = strings.Join(notes, "; ")
	return t, nil
}

// checkSchema returns a schema that can be used, and what had to be done to
// make it so. A useless schema becomes anyObject for input, nil for output.
func checkSchema(raw json.RawMessage, input bool) (json.RawMessage, string) {
	useless := func(format string, args ...any) (json.RawMessage, string) {
		if input {
			return anyObject, fmt.Sprintf(format, args...) + ", any object is accepted"
		}
		return nil, fmt.Sprintf(format, args...) + ", it is ignored"
	}
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return useless("is missing")
	case len(raw) > maxSchema:
		return useless("has %d bytes, more than the %d that are read", len(raw), maxSchema)
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
	var top struct {
		Type json.RawMessage `json:"type"`
	}
	if err := json.Unmarshal(raw, &top); err != nil {
		return useless("is not JSON")
	}
	note := ""
	if input && top.Type == nil {
		note = `has no "type", it is taken as "object"`
		sep := ","
		if string(raw) == "{}" {
			sep = ""
		}
		raw = append([]byte(`{"type":"object"`+sep), raw[1:]...)
	} else if input && string(top.Type) != `"object"` {
		return useless(`has the type %s where only "object" is allowed`, cut(string(top.Type), 60))
	}
	if _, err := compileSchema(raw); err != nil {
		return useless("is not a valid JSON Schema (%s)", err)
	}
	return raw, note
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

// compileSchema compiles a schema without fetching anything. The error is one
// line.
func compileSchema(raw []byte) (schema *bounded.Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			schema, err = nil, fmt.Errorf("it cannot be compiled: %v", p)
		}
	}()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	if err := bounded.CheckDocument(doc); err != nil {
		return nil, err
	}
	const here = "mem:///schema.json"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(tolerant)
	if err := c.AddResource(here, doc); err != nil {
		return nil, lastLine(err)
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, lastLine(err)
	}
	return bounded.New(compiled)
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, which is not fetched", url)
}

// tolerant compiles a pattern; one that RE2 cannot express (look-around) is
// taken to match everything, for its server will check it.
func tolerant(pattern string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(pattern); err == nil {
		return re, nil
	}
	return anyText(pattern), nil
}

type anyText string

func (anyText) MatchString(string) bool { return true }

func (a anyText) String() string { return string(a) }

func lastLine(err error) error {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	line := strings.ReplaceAll(lines[len(lines)-1], "mem:///schema.json", "")
	return errors.New(cut(strings.TrimLeft(strings.TrimSpace(line), "- "), 200))
}

// hashes identifies a list of tools.
func hashes(tools []*Tool) string {
	h := sha256.New()
	for _, t := range tools {
		h.Write([]byte(t.Name + "\x00" + t.Hash + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil))
}
