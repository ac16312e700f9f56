package listing

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/diag"
)

// maxDepth is how many levels of a definition are read. A schema below them allows any value.
const maxDepth = 100

// A value of JSON, with the order of members and the digits of numbers.
type value struct {
	kind    jsontext.Kind  // '{', '[', '"', '0', 't', 'f' or 'n'
	text    string         // of a string
	raw     jsontext.Value // as it was written; of an object or a list nil
	members []member       // of an object
	items   []*value       // of a list
}

type member struct {
	name string
	*value
}

var (
	lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

	errUnreadable = errors.New("its definition cannot be read")
)

func read(text json.RawMessage) (*value, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text), lenient...)
	v, err := readValue(d, 0)
	if err == nil && len(bytes.TrimSpace(text[d.InputOffset():])) > 0 {
		err = errUnreadable
	}
	return v, err
}

func readValue(d *jsontext.Decoder, depth int) (*value, error) {
	v := &value{kind: d.PeekKind()}
	if v.kind != '{' && v.kind != '[' {
		raw, err := d.ReadValue()
		if err != nil {
			return nil, errUnreadable
		}
		if v.raw = raw.Clone(); v.kind == '"' {
			text, _ := jsontext.AppendUnquote(nil, raw)
			v.text = string(text)
		}
		return v, nil
	}
	if depth == maxDepth {
		return deep, d.SkipValue()
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, errUnreadable
	}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		name := ""
		if v.kind == '{' {
			t, err := d.ReadToken()
			if err != nil {
				return nil, errUnreadable
			}
			name = t.String()
		}
		of, err := readValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		if v.kind == '{' {
			v.members = append(v.members, member{name, of})
		} else {
			v.items = append(v.items, of)
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, errUnreadable
	}
	v.members = lastOfEach(v.members)
	return v, nil
}

// lastOfEach are the members without those whose name comes again.
func lastOfEach(members []member) []member {
	last := make(map[string]int, len(members))
	for i, m := range members {
		last[m.name] = i
	}
	if len(last) == len(members) {
		return members
	}
	var out []member
	for i, m := range members {
		if last[m.name] == i {
			out = append(out, m)
		}
	}
	return out
}

// deep stands for what is nested too deeply.
var deep = object()

func object(members ...member) *value { return &value{kind: '{', members: members} }

func text(s string) *value { return &value{kind: '"', text: s} }

// get returns a member of an object, or nil.
func (v *value) get(name string) *value {
	if i := v.find(name); i >= 0 {
		return v.members[i].value
	}
	return nil
}

func (v *value) find(name string) int {
	if v == nil {
		return -1
	}
	return slices.IndexFunc(v.members, func(m member) bool { return m.name == name })
}

// set gives a member of an object another value, at its place or at the end.
func (v *value) set(name string, to *value) {
	if i := v.find(name); i >= 0 {
		v.members[i].value = to
		return
	}
	v.members = append(v.members, member{name, to})
}

func (v *value) remove(name string) {
	v.members = slices.DeleteFunc(v.members, func(m member) bool { return m.name == name })
}

// is reports whether there is a value of one of some kinds.
func (v *value) is(kinds string) bool {
	return v != nil && bytes.IndexByte([]byte(kinds), byte(v.kind)) >= 0
}

// str is the text of a string, "" of anything else.
func (v *value) str() string {
	if v == nil {
		return ""
	}
	return v.text
}

// conceals reports whether a text of a value has characters that cannot be seen.
func (v *value) conceals() bool {
	return diag.Visible(v.text) != v.text || slices.ContainsFunc(v.items, (*value).conceals) ||
		slices.ContainsFunc(v.members, func(m member) bool { return diag.Visible(m.name) != m.name || m.conceals() })
}

// appendTo writes a value with texts that can be seen.
func (v *value) appendTo(b []byte) []byte {
	switch v.kind {
	case '{':
		b = append(b, '{')
		for i, m := range v.members {
			if i > 0 {
				b = append(b, ',')
			}
			b, _ = jsontext.AppendQuote(b, diag.Visible(m.name))
			b = m.appendTo(append(b, ':'))
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i, item := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendTo(b)
		}
		return append(b, ']')
	}
	if text := diag.Visible(v.text); v.raw == nil || text != v.text {
		b, _ = jsontext.AppendQuote(b, text)
		return b
	}
	return append(b, v.raw...)
}
