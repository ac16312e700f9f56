package schema

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/types"
)

// TypeOf returns what values a JSON Schema allows, or more. Nothing is fetched:
// what is not understood (remote references, odd or enormous schemas) allows
// anything, and note says what that was. The shape never has undefined in it.
func TypeOf(source []byte) (s types.Type, note string) {
	r := schemaReader{}
	if err := json.Unmarshal(source, &r.root); err != nil {
		return types.Of(types.JSON), "the schema is not JSON: " + diag.Excerpt(err.Error())
	}
	return r.shape(r.root, 0), r.note
}

// maxSchemaNodes is how many subschemas are read, references followed counted
// again.
const maxSchemaNodes = 20_000

type schemaReader struct {
	root  any
	note  string
	read  int
	stack []string // the references being followed
}

// give up on a part of a schema, which then allows anything.
func (r *schemaReader) odd(why string) types.Type {
	if r.note == "" {
		r.note = why
	}
	return types.Of(types.JSON)
}

func (r *schemaReader) shape(node any, depth int) types.Type {
	if r.read++; r.read > maxSchemaNodes || depth > 2*types.MaxDepth {
		return r.odd("the schema is too large or too deep to read in full")
	}
	switch n := node.(type) {
	case bool:
		if n {
			return types.Of(types.JSON)
		}
		return types.Type{}
	case map[string]any:
		return r.object(n, depth)
	}
	return r.odd("a schema is neither an object nor a boolean")
}

func (r *schemaReader) object(n map[string]any, depth int) types.Type {
	s := r.kinds(n)
	if s.Has(types.Object) {
		s.Fields, s.Closed = r.fields(n, depth)
	}
	if s.Has(types.Array) {
		s.Elem = r.items(n, depth)
		least, _ := n["minItems"].(float64)
		s.NonEmpty = least >= 1
	}
	if v, ok := n["const"]; ok {
		s = s.And(types.OfJSON(v, true))
	}
	if list, ok := n["enum"].([]any); ok {
		one := types.Type{}
		for _, v := range list {
			one = one.Or(types.OfJSON(v, true))
		}
		s = s.And(one)
	}
	if ref, ok := n["$ref"].(string); ok {
		s = s.And(r.reference(ref, depth))
	}
	if _, ok := n["$dynamicRef"]; ok {
		r.odd("$dynamicRef is not followed")
	}
	if list, ok := n["allOf"].([]any); ok {
		for _, part := range list {
			s = s.And(r.shape(part, depth+1))
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := n[key].([]any); ok && len(list) > 0 {
			one := types.Type{}
			for _, part := range list {
				one = one.Or(r.shape(part, depth+1))
			}
			s = s.And(one)
		}
	}
	if n["nullable"] == true {
		s = s.With(types.Null)
	}
	return s
}

var schemaTypes = map[string]types.Kind{
	"string": types.String, "number": types.Number, "integer": types.Integer, "boolean": types.Boolean,
	"null": types.Null, "array": types.Array, "object": types.Object,
}

// kinds reads "type".
func (r *schemaReader) kinds(n map[string]any) types.Type {
	switch t := n["type"].(type) {
	case nil:
		return types.Of(types.JSON)
	case string:
		if k, ok := schemaTypes[t]; ok {
			return types.Of(k)
		}
		return r.odd("the type " + diag.Quote(t) + " is not one of JSON Schema")
	case []any:
		s := types.Type{}
		for _, one := range t {
			name, _ := one.(string)
			k, ok := schemaTypes[name]
			if !ok {
				return r.odd("a list of types has something else in it")
			}
			s.Kinds |= k
		}
		return s
	}
	return r.odd("type is neither a string nor a list")
}

func (r *schemaReader) fields(n map[string]any, depth int) ([]types.Field, bool) {
	required := map[string]bool{}
	if list, ok := n["required"].([]any); ok {
		for _, v := range list {
			if name, ok := v.(string); ok {
				required[name] = true
			}
		}
	}
	var fields []types.Field
	properties, _ := n["properties"].(map[string]any)
	if len(properties) > types.MaxFields {
		r.odd("an object has more than 2000 properties")
		return nil, false
	}
	for name, sub := range properties {
		fields = append(fields, types.Field{Name: name, Optional: !required[name], Type: r.shape(sub, depth+1)})
	}
	_, patterns := n["patternProperties"]
	strict := n["additionalProperties"] == false && !patterns
	for name := range required {
		if _, ok := properties[name]; !ok && !strict {
			fields = append(fields, types.Field{Name: name, Type: types.Of(types.JSON)})
		}
	}
	return types.ObjectOf(strict, fields...).Fields, strict
}

func (r *schemaReader) items(n map[string]any, depth int) *types.Type {
	tuple, isTuple := n["prefixItems"].([]any)
	rest, more := n["items"]
	if list, ok := rest.([]any); ok {
		tuple, isTuple = list, true
		rest, more = n["additionalItems"]
	}
	elem := types.Type{}
	if isTuple {
		for _, sub := range tuple {
			elem = elem.Or(r.shape(sub, depth+1))
		}
	}
	if !more {
		return nil
	}
	return types.Pointer(elem.Or(r.shape(rest, depth+1)))
}

// reference follows a local "$ref".
func (r *schemaReader) reference(ref string, depth int) types.Type {
	fragment, local := strings.CutPrefix(ref, "#")
	if !local || fragment != "" && fragment[0] != '/' {
		return r.odd("the reference " + diag.Quote(ref) + " is not followed: only those within the schema are")
	}
	if slices.Contains(r.stack, ref) {
		return types.Of(types.JSON) // recursion: what is below is not described further
	}
	at := r.root
	for i, token := range strings.Split(fragment, "/") {
		if i == 0 { // what is before the first "/"
			continue
		}
		if unescaped, err := url.PathUnescape(token); err == nil {
			token = unescaped
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch node := at.(type) {
		case map[string]any:
			at = node[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(node) {
				at = nil
			} else {
				at = node[i]
			}
		default:
			at = nil
		}
	}
	if at == nil {
		return r.odd("the reference " + diag.Quote(ref) + " leads nowhere")
	}
	r.stack = append(r.stack, ref)
	s := r.shape(at, depth+1)
	r.stack = r.stack[:len(r.stack)-1]
	return s
}
