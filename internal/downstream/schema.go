package downstream

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A schema is one JSON Schema read for what an author needs to know of it. It
// never fails: what is not understood is absent.
type schema struct {
	raw    json.RawMessage
	fields map[string]json.RawMessage // nil for a boolean schema
	root   *schema

	props  []member                   // the properties, once asked for
	byName map[string]json.RawMessage // their schemas
}

func newSchema(raw json.RawMessage) *schema {
	s := &schema{raw: raw}
	s.root = s
	if list := members(raw); list != nil || len(raw) > 0 && raw[0] == '{' {
		s.fields = make(map[string]json.RawMessage, len(list))
		for _, m := range list {
			s.fields[m.name] = m.value
		}
	}
	return s
}

func (s *schema) sub(raw json.RawMessage) *schema {
	n := newSchema(raw)
	n.root = s.root
	return n
}

func (s *schema) properties() []member {
	if s.props == nil {
		s.props = members(s.fields["properties"])
	}
	return s.props
}

// property returns the schema of one property, nil when it has none.
func (s *schema) property(name string) json.RawMessage {
	if s.byName == nil {
		s.byName = map[string]json.RawMessage{}
		for _, p := range slices.Backward(s.properties()) { // of two with one name the first counts
			s.byName[p.name] = p.value
		}
	}
	return s.byName[name]
}

// required returns the required names in the order of the properties, which is
// the author's, then those that are no property.
func (s *schema) required() []string {
	var names []string
	if s.fields["required"] == nil || json.Unmarshal(s.fields["required"], &names) != nil && len(names) == 0 {
		return nil
	}
	missing := make(map[string]bool, len(names))
	for _, name := range names {
		missing[name] = true
	}
	var out []string
	for _, p := range s.properties() {
		if missing[p.name] {
			out = append(out, p.name)
			delete(missing, p.name)
		}
	}
	return append(out, slices.Sorted(maps.Keys(missing))...)
}

func (s *schema) text(field string) string { return text(s.fields[field]) }

// text reads a JSON string; "" when it is none.
func text(raw json.RawMessage) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if !bytes.ContainsRune(raw, '\\') {
		return string(raw[1 : len(raw)-1])
	}
	var t string
	_ = json.Unmarshal(raw, &t)
	return t
}

// list returns the subschemas of an array field.
func (s *schema) list(field string) []*schema {
	if s.fields[field] == nil {
		return nil
	}
	var raws []json.RawMessage
	_ = json.Unmarshal(s.fields[field], &raws)
	out := make([]*schema, len(raws))
	for i, raw := range raws {
		out[i] = s.sub(raw)
	}
	return out
}

// resolve reads a subschema, following references within the document; what
// stands beside a reference counts before what it refers to.
func (s *schema) resolve(raw json.RawMessage) *schema {
	node := s.sub(raw)
	for range 8 {
		ref := node.text("$ref")
		if ref == "" {
			break
		}
		target, ok := s.root.pointer(ref)
		if !ok {
			break
		}
		next := s.sub(target)
		if next.fields == nil {
			break
		}
		for name, value := range node.fields {
			if name != "$ref" {
				next.fields[name] = value
			}
		}
		node = next
	}
	return node
}

// pointer finds what a local reference points at.
func (s *schema) pointer(ref string) (json.RawMessage, bool) {
	if ref == "#" {
		return s.raw, true
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	raw := s.raw
	for part := range strings.SplitSeq(path, "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil || fields[part] == nil {
			return nil, false
		}
		raw = fields[part]
	}
	return raw, true
}

// types returns the types a value may have; none when the schema does not say.
func (s *schema) types() []string {
	if one := s.text("type"); one != "" {
		return []string{one}
	}
	if s.fields["type"] == nil {
		return nil
	}
	var many []string
	_ = json.Unmarshal(s.fields["type"], &many)
	return many
}

// typeName is the one type a value has beside null, or "any".
func (s *schema) typeName() string {
	found := s.typeSet(0)
	found = slices.DeleteFunc(found, func(t string) bool { return t == "null" })
	slices.Sort(found)
	found = slices.Compact(found)
	if len(found) == 1 {
		return found[0]
	}
	if len(found) == 2 && found[0] == "integer" && found[1] == "number" {
		return "number"
	}
	return "any"
}

// typeSet collects types from the schema and its alternatives; "any" stands for
// one that does not say.
func (s *schema) typeSet(depth int) []string {
	if found := s.types(); len(found) > 0 {
		return slices.Clone(found)
	}
	var found []string
	if depth < 4 {
		for _, field := range []string{"anyOf", "oneOf"} {
			for _, alternative := range s.list(field) {
				found = append(found, s.resolve(alternative.raw).typeSet(depth+1)...)
			}
		}
		for _, part := range s.list("allOf") {
			if t := s.resolve(part.raw).typeSet(depth + 1); !slices.Contains(t, "any") {
				return t
			}
		}
	}
	if len(found) > 0 {
		return found
	}
	var values []json.RawMessage
	_ = json.Unmarshal(s.fields["enum"], &values)
	if c, ok := s.fields["const"]; ok {
		values = []json.RawMessage{c}
	}
	for _, v := range values {
		found = append(found, typeOf(v))
	}
	switch {
	case len(found) > 0:
		return found
	case s.fields["properties"] != nil:
		return []string{"object"}
	case s.fields["items"] != nil || s.fields["prefixItems"] != nil:
		return []string{"array"}
	}
	return []string{"any"}
}

// typeOf names the JSON type of a value.
func typeOf(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "any"
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if bytes.ContainsAny(raw, ".eE") {
		return "number"
	}
	return "integer"
}
