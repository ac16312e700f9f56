// Package listing makes definitions that clients accept of those that servers, APIs and authors
// write. A client that refuses one tool refuses the whole list. [Tool] and [Item] rewrite what
// is refused to the nearest definition that is weaker and accepted, and say what they have left
// out. [Input] and [Output] do so for the schemas of authors.
//
// The rules are those of MCP's TypeScript SDK (its Zod schemas, and Ajv, which compiles each
// outputSchema of a list), of MCP's Python SDK (Pydantic, and jsonschema, which checks the
// outputSchema of a called tool against its draft), and of the APIs of Anthropic and OpenAI (names
// of tools and arguments, no combinator at the top of an inputSchema, items of lists).
package listing

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
)

// maxName is how many characters of the name of a tool every model API takes.
const maxName = 64

const inputSchema, outputSchema = "inputSchema", "outputSchema"

// LegalInName reports whether the names of tools may have a character in MCP. Model APIs do not
// take the dot.
func LegalInName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.'
}

var portableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`) })

// PortableName reports whether model APIs take a name of a property.
func PortableName(name string) bool { return portableName().MatchString(name) }

// MaxDescription is how many characters of a description every model API takes.
const MaxDescription = 1024

// ShortDescription returns a description as all model APIs take it: its first 1,024
// characters, up to the end of a sentence.
func ShortDescription(text string) string {
	if len(text) <= MaxDescription || utf8.RuneCountInString(text) <= MaxDescription {
		return text
	}
	cut := string([]rune(text)[:MaxDescription])
	end := 0
	for _, stop := range []string{". ", ".\n", "! ", "? ", "\n\n"} {
		if i := strings.LastIndex(cut, stop); i >= 0 {
			end = max(end, i+1)
		}
	}
	if end > 0 {
		return strings.TrimSpace(cut[:end])
	}
	return diag.Cut(text, MaxDescription)
}

// Name is a name that model APIs take: of letters, digits, _ and -, at most 64. What else is in a
// name becomes _. The end of a longer one is a hash of the whole, so that it does not depend on
// the names of other tools.
func Name(name string) string {
	legal := strings.Map(func(r rune) rune {
		if r == '.' || !LegalInName(r) {
			return '_'
		}
		return r
	}, name)
	if len(legal) <= maxName {
		return legal
	}
	return Hashed(legal, name)
}

// Hashed is a name, cut where it is long, with a hash of what it is the name of.
func Hashed(name, of string) string {
	sum := sha256.Sum256([]byte(of))
	return name[:min(len(name), maxName-9)] + "_" + hex.EncodeToString(sum[:4])
}

// maxOutputs is how many bytes the outputSchemas of a server have together, and maxOutput one:
// clients compile all of them when they list, which takes about a second for a megabyte.
const maxOutputs, maxOutput = 512 << 10, 64 << 10

// MaxOutput returns how many bytes an outputSchema may have to be listed with others, whose
// sizes these are: the largest are left out.
func MaxOutput(sizes []int) int {
	all := 0
	for _, size := range slices.Sorted(slices.Values(sizes)) {
		if all += size; all > maxOutputs || size > maxOutput {
			return size - 1
		}
	}
	return maxOutput
}

// Tool is the definition of a tool under a name of [Name], or under its own if that is "", as
// clients accept it, with what of it is left out or written otherwise. What clients accept keeps
// its bytes, but for the name. An outputSchema has at most maxOutput bytes, those of [MaxOutput].
// The error says why the tool cannot be listed.
func Tool(def json.RawMessage, name string, maxOutput int) (json.RawMessage, []string, error) {
	v, err := read(def)
	if err != nil || !v.is("{") {
		return nil, nil, errUnreadable
	}
	own := v.get("name").str()
	if name = cmp.Or(name, own); name == "" || Name(name) != name {
		return nil, nil, fmt.Errorf("its name is %q, and not 1 to %d letters, digits, _ and -", diag.Cut(name, 100), maxName)
	}
	var w writer
	if own != name {
		v.set("name", text(name))
		w.changed = true
	}
	in := v.get(inputSchema)
	if !in.is("{") || !w.ofObject(in, inputSchema) {
		return nil, nil, errors.New("its inputSchema is not of an object")
	}
	if err := w.shape(v, "", toolShape); err != nil {
		return nil, nil, err
	}
	w.describe(v, in)
	v.set(inputSchema, w.schema(in, inputSchema))
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if in.find(key) >= 0 { // MCP asks a gateway to keep it
			w.notes = append(w.notes, "inputSchema has "+key+" at its top, which some model APIs refuse")
		}
	}
	if out := v.get(outputSchema); out.is("{") && w.ofObject(out, outputSchema) {
		if size := len(out.appendTo(nil)); size > maxOutput {
			v.remove(outputSchema)
			w.note("outputSchema is left out of tools/list: clients compile all of them, and it has %d bytes", size)
		} else {
			v.set(outputSchema, w.schema(out, outputSchema))
		}
	} else if out != nil {
		v.remove(outputSchema)
		w.note("outputSchema is left out of tools/list: some clients take only that of an object")
	}
	return w.written(v, def), w.notes, nil
}

// Loosened is a schema some of whose definitions have been cut, without the keywords that would
// refuse more values for that: it accepts all that the whole accepts.
func Loosened(schema json.RawMessage) json.RawMessage {
	v, err := read(schema)
	if err != nil {
		return schema
	}
	s := sanitizer{root: v, name: outputSchema, loose: true}
	out, _ := s.schema(v, "", false)
	return out.appendTo(nil)
}

// Kinds of [Item].
const (
	Resource = "resource"
	Template = "resource template"
	Prompt   = "prompt"
)

// Item is the definition of a resource, a template or a prompt under a name, as [Tool] is that
// of a tool.
func Item(kind string, def json.RawMessage, name string) (json.RawMessage, []string, error) {
	v, err := read(def)
	if err != nil || !v.is("{") {
		return nil, nil, errUnreadable
	}
	var w writer
	if v.get("name").str() != name {
		v.set("name", text(name))
		w.changed = true
	}
	if err := w.shape(v, "", itemShapes[kind]); err != nil {
		return nil, nil, err
	}
	return w.written(v, def), w.notes, nil
}

// Input is an author's schema of arguments as clients accept it, and what of it is left out.
func Input(schema json.RawMessage) (json.RawMessage, []string) {
	v, err := read(schema)
	if t := v.get("type"); err != nil || !v.is("{") || t != nil && t.str() != "object" {
		return json.RawMessage(`{"type":"object"}`), nil
	}
	return ofObject(v, inputSchema)
}

// Output is an author's schema of a result as clients accept it: that of an object, and the
// wrapped one of any other value. A schema that does not tell which promises no more than an
// object; without any there is none.
func Output(schema json.RawMessage) (json.RawMessage, []string) {
	v, err := read(schema)
	if err != nil || !v.is("{") || len(v.members) == 0 {
		return nil, nil
	}
	switch t := v.get("type"); {
	case t.str() == "object", t == nil && v.find("properties") >= 0:
		return ofObject(v, outputSchema)
	case !t.is(`"`):
		return json.RawMessage(`{"type":"object"}`), nil
	}
	out, _, notes := sanitized(v, outputSchema, true, true)
	return out.appendTo(nil), notes
}

func ofObject(v *value, name string) (json.RawMessage, []string) {
	out, _, notes := sanitized(v, name, false, true)
	if out.find("type") < 0 {
		out.members = append([]member{{"type", text("object")}}, out.members...)
	}
	return out.appendTo(nil), notes
}
