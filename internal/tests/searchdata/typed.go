package searchdata

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

// A Typed is a tool with the schemas of its input and its output.
type Typed struct {
	Server, Name, Description string
	Input, Output             json.RawMessage
}

// Spec is the tool as the catalog has it.
func (t *Typed) Spec() *specs.Spec {
	return &specs.Spec{NodeType: specs.MCP, Subtype: t.Server + "/" + t.Name, Description: t.Description, InputSchema: t.Input, OutputSchema: t.Output}
}

// TypedTools returns the tools of typed.txt.
func TypedTools(t testing.TB, path string) (tools []Typed) {
	t.Helper()
	var server string
	for _, line := range Lines(t, path) {
		if name, ok := strings.CutPrefix(line, "server "); ok {
			server = name
			continue
		}
		name, rest, _ := strings.Cut(line, "(")
		args, rest, _ := strings.Cut(rest, ") -> ")
		at := strings.LastIndex(rest, "}: ")
		if at < 0 {
			t.Fatalf("%s: %s", path, line)
		}
		tools = append(tools, Typed{server, name, rest[at+3:], Schema(t, "{"+args+"}"), Schema(t, rest[:at+1])})
	}
	return tools
}

// A Pair is what is there, what is wanted, and what connects them.
type Pair struct {
	Has, Wants json.RawMessage
	Text       string
	Nodes      []string // any of them; one chain where Chain is set
	Chain      bool
}

// Pairs returns the pairs of pairs.txt.
func Pairs(t testing.TB, path string) (pairs []Pair) {
	t.Helper()
	for _, line := range Lines(t, path) {
		f := strings.Split(line, " => ")
		if len(f) != 3 {
			t.Fatalf("%s: %s", path, line)
		}
		p := Pair{Has: Schema(t, f[0]), Wants: Schema(t, f[1]), Text: line, Chain: strings.Contains(f[2], " > ")}
		if p.Nodes = strings.Split(f[2], ", "); p.Chain {
			p.Nodes = strings.Split(f[2], " > ")
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// Schema is the JSON Schema of a type as in typed.txt: {name*: type}, [type], or the name of
// a type. If no field has a star, all are required.
func Schema(t testing.TB, text string) json.RawMessage {
	t.Helper()
	r := typeReader{text}
	raw, err := json.Marshal(r.typ())
	if err != nil || strings.TrimSpace(r.rest) != "" {
		t.Fatalf("%q is not a type: %q is left", text, r.rest)
	}
	return raw
}

type typeReader struct{ rest string }

func (r *typeReader) take(token string) bool {
	r.rest = strings.TrimLeft(r.rest, " ")
	after, ok := strings.CutPrefix(r.rest, token)
	r.rest = after
	return ok
}

func (r *typeReader) typ() map[string]any {
	switch {
	case r.take("["):
		s := map[string]any{"type": "array", "items": r.typ()}
		r.take("]")
		return s
	case r.take("{"):
		return r.object()
	}
	return map[string]any{"type": r.word()}
}

func (r *typeReader) object() map[string]any {
	properties, all, starred := map[string]any{}, []string{}, []string{}
	for !r.take("}") && r.rest != "" {
		name := r.word()
		all = append(all, name)
		if r.take("*") {
			starred = append(starred, name)
		}
		properties[name] = map[string]any{"type": "string"}
		if r.take(":") {
			properties[name] = r.typ()
		}
		r.take(",")
	}
	s := map[string]any{"type": "object", "properties": properties}
	if len(starred) == 0 {
		starred = all
	}
	if slices.Sort(starred); len(starred) > 0 {
		s["required"] = starred
	}
	return s
}

func (r *typeReader) word() string {
	r.rest = strings.TrimLeft(r.rest, " ")
	end := strings.IndexFunc(r.rest, func(c rune) bool { return strings.ContainsRune(" *:,[]{}", c) })
	if end < 0 {
		end = len(r.rest)
	}
	word := r.rest[:end]
	r.rest = r.rest[end:]
	return word
}
