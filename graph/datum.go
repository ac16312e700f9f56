package graph

import (
	"context"
	"encoding/json"
	"fmt"
)

// A Pair is one member of an [Members].
type Pair struct {
	Key   string
	Value any
}

// Members are a JSON object whose members keep their order. They are what to hand
// to [Value.Replace], [Value.Insert] and [Encode] when the order matters; a Go
// map is written sorted by key.
type Members []Pair

// With returns the object with one more member at its end.
func (o Members) With(key string, value any) Members { return append(o, Pair{key, value}) }

// MarshalJSON returns the object with its members in order.
func (o Members) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, p := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendQuoted(b, p.Key), ':')
		v, err := json.Marshal(p.Value)
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", p.Key, err)
		}
		b = append(b, v...)
	}
	return append(b, '}'), nil
}

// A datum is a value without a place: what is to be written. A map has a key
// for each kid.
type datum struct {
	kind Kind
	text string
	keys []string
	kids []*datum
}

func (n *node) datum() *datum {
	d := &datum{kind: Kind(n.kind), text: n.text}
	switch d.kind {
	case Array:
		for _, k := range n.kids {
			d.kids = append(d.kids, k.datum())
		}
	case Object:
		for i := 0; i < len(n.kids); i += 2 {
			if k := n.kids[i]; !k.again {
				d.keys, d.kids = append(d.keys, k.text), append(d.kids, n.kids[i+1].datum())
			}
		}
	}
	return d
}

// newDatum returns what value is as JSON. It fails for what JSON cannot say and
// for what is nested too deep.
func newDatum(value any) (*datum, error) {
	switch v := value.(type) {
	case Value:
		if v.n == nil {
			return &datum{kind: Null}, nil
		}
		return v.n.datum(), nil
	case *datum:
		return v, nil
	case string:
		return &datum{kind: String, text: string([]rune(v))}, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return readDatum(text)
}

func readDatum(text []byte) (*datum, error) {
	d := &Document{Src: string(text), Format: JSON}
	d.lines = newLines(d.Src)
	l := d.encoding()
	if l == nil {
		list, fatal := d.readJSON(context.Background())
		if !fatal {
			return d.Root.n.datum(), nil
		}
		l = list
	}
	at := l[0].Range.Start
	return nil, fmt.Errorf("line %d, column %d: %s", at.Line, at.Column, l[0].Message)
}

// appendJSON writes d with comma and colon after each separator.
func (d *datum) appendJSON(b []byte, comma, colon string) []byte {
	switch d.kind {
	case Boolean, Number:
		return append(b, d.text...)
	case String:
		return appendQuoted(b, d.text)
	case Array:
		b = append(b, '[')
		for i, k := range d.kids {
			if i > 0 {
				b = append(append(b, ','), comma...)
			}
			b = k.appendJSON(b, comma, colon)
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for i, k := range d.kids {
			if i > 0 {
				b = append(append(b, ','), comma...)
			}
			b = append(append(appendQuoted(b, d.keys[i]), ':'), colon...)
			b = k.appendJSON(b, comma, colon)
		}
		return append(b, '}')
	default:
		return append(b, "null"...)
	}
}

func (d *datum) raw() json.RawMessage { return d.appendJSON(nil, "", "") }
