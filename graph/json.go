package graph

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON returns the value as compact JSON: keys in the order of the source,
// numbers with the text they were written with. The zero Value is null.
func (v Value) JSON() []byte {
	if v.n == nil {
		return []byte("null")
	}
	return v.n.appendJSON(nil)
}

// MarshalJSON returns what JSON returns, so that a Value can be part of data to encode.
func (v Value) MarshalJSON() ([]byte, error) { return v.JSON(), nil }

func (n *node) appendJSON(b []byte) []byte {
	switch Kind(n.kind) {
	case Boolean, Number:
		return append(b, n.text...)
	case String:
		return appendQuoted(b, n.text)
	case Array:
		b = append(b, '[')
		for i, k := range n.kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = k.appendJSON(b)
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		first := true
		for i := 0; i < len(n.kids); i += 2 {
			if n.kids[i].again {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(appendQuoted(b, n.kids[i].text), ':')
			b = n.kids[i+1].appendJSON(b)
		}
		return append(b, '}')
	default:
		return append(b, "null"...)
	}
}

// AppendSorted appends the value as JSON with the keys of maps in their order, as
// [json.Marshal] writes the decoded value: how the document writes it does not count. Some
// keys of a map itself can be left out.
func (v Value) AppendSorted(b []byte, without ...string) []byte {
	if v.n == nil {
		return append(b, "null"...)
	}
	start := len(b)
	b = v.n.appendSorted(b, without)
	if written := b[start:]; bytes.ContainsAny(written, "<>&\u2028\u2029") {
		var escaped bytes.Buffer
		json.HTMLEscape(&escaped, written)
		b = append(b[:start], escaped.Bytes()...)
	}
	return b
}

func (n *node) appendSorted(b []byte, without []string) []byte {
	switch Kind(n.kind) {
	case Array:
		b = append(b, '[')
		for i, k := range n.kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = k.appendSorted(b, nil)
		}
		return append(b, ']')
	case Object:
		var few [16]int
		keys := few[:0]
		for i := 0; i < len(n.kids); i += 2 {
			if !n.kids[i].again && !slices.Contains(without, n.kids[i].text) {
				keys = append(keys, i)
			}
		}
		slices.SortFunc(keys, func(i, j int) int { return strings.Compare(n.kids[i].text, n.kids[j].text) })
		b = append(b, '{')
		for nth, i := range keys {
			if nth > 0 {
				b = append(b, ',')
			}
			b = append(appendQuoted(b, n.kids[i].text), ':')
			b = n.kids[i+1].appendSorted(b, nil)
		}
		return append(b, '}')
	default:
		return n.appendJSON(b)
	}
}

// appendQuoted writes s as a JSON string. The texts of a document are valid
// UTF-8, which is the only thing that can go wrong.
func appendQuoted(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}
