package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/types"
)

// TypeOf returns the values that a JSON Schema allows, or more. Nothing is fetched:
// what is not understood (remote references, odd or enormous schemas) allows
// anything, and note says what that was. The type never includes undefined.
func TypeOf(source []byte) (t types.Type, note string) {
	var raw json.RawMessage
	if err := json.Unmarshal(source, &raw); err != nil {
		return types.Of(types.JSON), "the schema is not JSON: " + diag.Excerpt(err.Error())
	}
	return Read(raw).typed()
}

func (n *Node) typed() (t types.Type, note string) {
	r := typeReader{}
	return r.schema(n, 0), r.note
}

// maxTypeNodes is how many subschemas are read, references followed counted again.
const maxTypeNodes = 20_000

type typeReader struct {
	note   string
	read   int
	stack  []string // the references being followed
	filled bool     // the defaults are filled in, see [Schema.FillDefaults]
}

// odd ignores a part of a schema, which then allows anything.
func (r *typeReader) odd(why string) types.Type {
	if r.note == "" {
		r.note = why
	}
	return types.Of(types.JSON)
}

func (r *typeReader) schema(n *Node, depth int) types.Type {
	if r.read++; r.read > maxTypeNodes || depth > 2*types.MaxDepth {
		return r.odd("the schema is too large or too deep to read in full")
	}
	switch n.kind() {
	case 't':
		return types.Of(types.JSON)
	case 'f':
		return types.Type{}
	case '{':
		return r.keywords(n, depth)
	}
	return r.odd("a schema is neither an object nor a boolean")
}

func (r *typeReader) keywords(n *Node, depth int) types.Type {
	t := r.kinds(n.Get("type"))
	if t.Has(types.Object) {
		t.Fields, t.Closed = r.fields(n, depth)
	}
	if t.Has(types.Array) {
		t.Elem = r.items(n, depth)
		t.NonEmpty = n.Get("minItems").count() >= 1
	}
	if v := n.Get("const"); v != nil {
		t = t.And(types.OfJSON(v.Value(), true))
	}
	if n.Get("enum").kind() == '[' {
		one := types.Type{}
		for _, v := range n.list("enum") {
			one = one.Or(types.OfJSON(v.value.Value(), true))
		}
		t = t.And(one)
	}
	if ref := n.Get("$ref"); ref.kind() == '"' {
		t = t.And(r.reference(n, ref.Text(), depth))
	}
	if n.Get("$dynamicRef") != nil {
		r.odd("$dynamicRef is not followed")
	}
	for _, part := range n.list("allOf") {
		t = t.And(r.schema(part.value, depth+1))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if alternatives := n.list(keyword); len(alternatives) > 0 {
			one, filled := types.Type{}, r.filled
			r.filled = false
			for _, alternative := range alternatives {
				one = one.Or(r.schema(alternative.value, depth+1))
			}
			r.filled = filled
			t = t.And(one)
		}
	}
	if n.Get("nullable").kind() == 't' {
		t = t.With(types.Null)
	}
	return t
}

var schemaTypes = map[string]types.Kind{
	"string": types.String, "number": types.Number, "integer": types.Integer, "boolean": types.Boolean,
	"null": types.Null, "array": types.Array, "object": types.Object,
}

// kinds reads the keyword type.
func (r *typeReader) kinds(n *Node) types.Type {
	switch n.kind() {
	case 0, 'n':
		return types.Of(types.JSON)
	case '"':
		if k, ok := schemaTypes[n.Text()]; ok {
			return types.Of(k)
		}
		return r.odd("the type " + diag.Quote(n.Text()) + " is not one of JSON Schema")
	case '[':
		t := types.Type{}
		for _, one := range n.All() {
			k, ok := schemaTypes[one.Text()]
			if !ok {
				return r.odd("a list of types has something else in it")
			}
			t.Kinds |= k
		}
		return t
	}
	return r.odd("type is neither a string nor a list")
}

func (r *typeReader) fields(n *Node, depth int) (fields []types.Field, closed bool) {
	properties := n.Get("properties")
	if properties.Len() > types.MaxFields {
		r.odd("an object has more than 2000 properties")
		return nil, false
	}
	required := map[string]bool{}
	for _, name := range n.list("required") {
		if name.value.kind() == '"' {
			required[name.value.Text()] = true
		}
	}
	closed = n.Closed()
	for name, sub := range n.Properties() {
		fields = append(fields, types.Field{Name: name, Optional: !required[name] && (!r.filled || sub.Default() == nil), Type: r.schema(sub, depth+1)})
		delete(required, name)
	}
	if !closed {
		for name := range required {
			fields = append(fields, types.Field{Name: name, Type: types.Of(types.JSON)})
		}
	}
	return types.ObjectOf(closed, fields...).Fields, closed
}

func (r *typeReader) items(n *Node, depth int) *types.Type {
	tuple, rest := n.itemSchemas()
	if rest == nil {
		return nil
	}
	elem := types.Type{}
	for _, sub := range tuple {
		elem = elem.Or(r.schema(sub.value, depth+1))
	}
	return types.Pointer(elem.Or(r.schema(rest, depth+1)))
}

// reference follows a local "$ref".
func (r *typeReader) reference(n *Node, ref string, depth int) types.Type {
	if fragment, local := strings.CutPrefix(ref, "#"); !local || fragment != "" && fragment[0] != '/' {
		return r.odd("the reference " + diag.Quote(ref) + " is not followed: only those within the schema are")
	}
	if slices.Contains(r.stack, ref) {
		return types.Of(types.JSON) // recursion: what is below is not described further
	}
	target := n.target(ref)
	if target == nil {
		return r.odd("the reference " + diag.Quote(ref) + " has no target")
	}
	r.stack = append(r.stack, ref)
	t := r.schema(target, depth+1)
	r.stack = r.stack[:len(r.stack)-1]
	return t
}
