package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Bounds on a sample. A schema may be recursive, and may ask for any number of
// items or characters.
const (
	MaxSampleDepth  = 6
	maxSampleValues = 300
	maxSampleBytes  = 8 << 10
)

// Sample returns a small value that satisfies a JSON Schema as far as its types,
// required properties, enums, defaults and minimums say. A value that would be
// large is cut short, and then does not satisfy its schema.
func Sample(raw json.RawMessage) json.RawMessage {
	s := &sampler{values: maxSampleValues, bytes: maxSampleBytes}
	return s.value(raw, 0)
}

// A sampler makes one sample.
type sampler struct {
	values, bytes int // left
}

func (m *sampler) full() bool { return m.values <= 0 || m.bytes <= 0 }

func (m *sampler) value(raw json.RawMessage, depth int) json.RawMessage {
	if m.full() {
		return json.RawMessage(`"…"`)
	}
	m.values--
	s := ReadDocument(raw)
	for _, given := range [][]json.RawMessage{{s.Const}, {s.Default}, s.Enum, s.Examples} {
		if len(given) > 0 && len(given[0]) > 0 {
			return m.charge(given[0])
		}
	}
	if len(s.Type) == 0 && len(s.Properties.Keys) == 0 {
		for _, a := range append(slices.Clone(s.AnyOf), s.OneOf...) {
			return m.value(a, depth)
		}
	}
	switch s.Types()[0] {
	case "object":
		return m.object(s, depth)
	case "array":
		return m.array(s, depth)
	case "number", "integer":
		if len(s.Minimum) > 0 {
			return m.charge(s.Minimum)
		}
		return json.RawMessage("0")
	case "boolean":
		return json.RawMessage("false")
	case "null":
		return json.RawMessage("null")
	case "string":
		return m.charge(encode(m.text(s)))
	}
	return json.RawMessage(`"…"`)
}

// charge counts the bytes of a part of the sample.
func (m *sampler) charge(part json.RawMessage) json.RawMessage {
	m.bytes -= len(part)
	return part
}

func (m *sampler) array(s *Document, depth int) json.RawMessage {
	items := []json.RawMessage{}
	for len(items) < s.MinItems && depth < MaxSampleDepth && !m.full() {
		items = append(items, m.value(s.Items, depth+1))
	}
	return encode(items)
}

func (m *sampler) text(s *Document) string {
	switch s.Format {
	case "date-time":
		return "2026-01-01T00:00:00Z"
	case "date":
		return "2026-01-01"
	case "uri", "url":
		return "https://example.com"
	case "email":
		return "someone@example.com"
	}
	return "…" + strings.Repeat(".", max(0, min(s.MinLength, m.bytes)-1))
}

func (m *sampler) object(s *Document, depth int) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, name := range s.Properties.Keys {
		if depth >= MaxSampleDepth || m.full() {
			break
		}
		if !slices.Contains(s.Required, name) {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(m.charge(encode(name)))
		b.WriteByte(':')
		b.Write(m.value(s.Properties.Values[name], depth+1))
	}
	b.WriteByte('}')
	return b.Bytes()
}
