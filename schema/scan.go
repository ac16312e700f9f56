package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// A span is the place of one member: of its name, quotes included, and its value.
type span struct{ name, nameEnd, value, end int }

// scan finds the members of an object or the items of an array. It scans instead
// of decoding: a catalog of a thousand tools is made of schemas at every start. Of
// members with one name the last counts, as for the validator.
func (n *Node) scan() {
	var few [16]span
	spans := few[:0]
	switch n.kind() {
	case '{':
		spans = scanObject(n.raw, spans)
	case '[':
		spans = scanArray(n.raw, spans)
	}
	if len(spans) == 0 {
		return
	}
	nodes := make([]Node, len(spans))
	n.members = make([]member, 0, len(spans))
	if n.kind() == '{' && len(spans) > manyMembers {
		n.index = make(map[string]int, len(spans))
	}
	for i, s := range spans {
		nodes[i].raw, nodes[i].doc = n.raw[s.value:s.end:s.end], n.doc
		m := member{value: &nodes[i]}
		if n.kind() == '{' {
			m.name = memberName(n.raw[s.name:s.nameEnd])
			if at := n.find(m.name); at >= 0 {
				n.members[at] = m
				continue
			}
			if n.index != nil {
				n.index[m.name] = len(n.members)
			}
		}
		n.members = append(n.members, m)
	}
}

// find returns the place of a member of an object that has been read, -1 when
// there is none.
func (n *Node) find(name string) int {
	if n.index != nil {
		if i, ok := n.index[name]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(n.members, func(m member) bool { return m.name == name })
}

func memberName(quoted []byte) string {
	name := intern(quoted[1:max(1, len(quoted)-1)])
	if strings.IndexByte(name, '\\') >= 0 {
		_ = json.Unmarshal(quoted, &name)
	}
	return name
}

func scanObject(raw []byte, out []span) []span {
	at := 1
	for {
		s := span{name: blank(raw, at)}
		if s.name >= len(raw) || raw[s.name] != '"' {
			return out
		}
		s.nameEnd = after(raw, s.name)
		at = blank(raw, s.nameEnd)
		if at >= len(raw) || raw[at] != ':' {
			return out
		}
		s.value = blank(raw, at+1)
		s.end = after(raw, s.value)
		if s.end == s.value {
			return out
		}
		out = append(out, s)
		at = blank(raw, s.end)
		if at >= len(raw) || raw[at] != ',' {
			return out
		}
		at++
	}
}

func scanArray(raw []byte, out []span) []span {
	at := 1
	for {
		s := span{value: blank(raw, at)}
		s.end = after(raw, s.value)
		if s.end == s.value {
			return out
		}
		out = append(out, s)
		at = blank(raw, s.end)
		if at >= len(raw) || raw[at] != ',' {
			return out
		}
		at++
	}
}

// blank is the index of the first byte from at on that is not white space.
func blank(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\n' || raw[at] == '\t' || raw[at] == '\r') {
		at++
	}
	return at
}

// after is the index after the value that begins at at.
func after(raw []byte, at int) int {
	depth := 0
	for i := at; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return min(i+1, len(raw))
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r', ':':
			if depth == 0 {
				return i
			}
		}
	}
	return max(at, len(raw))
}

// words are the texts that most schemas repeat; they are kept once.
var words = func() map[string]string {
	m := map[string]string{}
	for _, w := range []string{
		"$ref", "$defs", "$schema", "additionalProperties", "allOf", "anyOf", "array", "boolean", "const", "default", "description", "enum",
		"examples", "format", "integer", "items", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "null", "number",
		"object", "oneOf", "pattern", "properties", "required", "string", "title", "type",
	} {
		m[w] = w
	}
	return m
}()

func intern(text []byte) string {
	if w, ok := words[string(text)]; ok {
		return w
	}
	return string(text)
}
