package graph

import (
	"strings"
	"unicode/utf8"
)

const (
	flowWidth = 100 // columns up to which a small list or map stays on one line
	flowDepth = 3   // maps inside each other that stay on one line
)

// Encode returns a JSON-like value as canonical YAML: maps and lists by
// indentation, but small ones in brackets on one line; texts quoted only where
// some YAML reader would take them for something else; texts of several lines
// as literal blocks. Parse reads the same data back. A value that JSON cannot
// say is written as null.
func Encode(value any) []byte {
	d, err := newDatum(value)
	if err != nil {
		d = &datum{kind: Null}
	}
	w := writer{blocks: true}
	if d.kind == String {
		w.b.WriteString(scalarText(d.text, false))
	} else {
		w.content(d, 0, 0)
	}
	w.b.WriteByte('\n')
	return []byte(w.b.String())
}

// A writer writes canonical YAML.
type writer struct {
	b      strings.Builder
	blocks bool // whether texts may be literal blocks
	atEnd  bool // whether no line break follows, which "|" would count on
}

// content writes d where the cursor is, which is column indent; from is where
// its first line began. Further lines of a list or map are indented by indent.
func (w *writer) content(d *datum, indent, from int) {
	switch {
	case len(d.kids) == 0 || from > 0 && d.fits(from):
		w.flow(d)
	case d.kind == Object:
		for i, k := range d.kids {
			if i > 0 {
				w.line(indent)
			}
			key := keyText(d.keys[i], false)
			w.b.WriteString(key)
			w.b.WriteByte(':')
			w.member(k, indent, indent+utf8.RuneCountInString(key)+2, false)
		}
	default:
		for i, k := range d.kids {
			if i > 0 {
				w.line(indent)
			}
			w.b.WriteByte('-')
			w.member(k, indent, indent+2, true)
		}
	}
}

func (w *writer) line(indent int) {
	w.b.WriteByte('\n')
	for range indent {
		w.b.WriteByte(' ')
	}
}

// member writes d after the colon or dash of a member of a collection at
// column indent; from is the column that a value on the same line starts at.
func (w *writer) member(d *datum, indent, from int, item bool) {
	switch {
	case d.kind == String && w.blocks && blockSafe(d.text) && (!w.atEnd || !strings.HasSuffix(d.text, "\n")):
		w.b.WriteByte(' ')
		w.literal(d.text, indent+2)
	case len(d.kids) == 0 || d.fits(from):
		w.b.WriteByte(' ')
		w.inline(d)
	case item:
		w.b.WriteByte(' ')
		w.content(d, indent+2, 0)
	default:
		w.line(indent + 2)
		w.content(d, indent+2, 0)
	}
}

func (w *writer) literal(text string, indent int) {
	w.b.WriteString("|")
	if !strings.HasSuffix(text, "\n") {
		w.b.WriteString("-")
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" {
			w.b.WriteByte('\n')
			continue
		}
		w.line(indent)
		w.b.WriteString(line)
	}
}

// inline writes d on one line, outside of brackets.
func (w *writer) inline(d *datum) {
	if d.kind == String {
		w.b.WriteString(scalarText(d.text, false))
		return
	}
	w.flow(d)
}

// flow writes d on one line, inside brackets or where they are as good.
func (w *writer) flow(d *datum) {
	switch d.kind {
	case String:
		w.b.WriteString(scalarText(d.text, true))
	case Array:
		w.b.WriteByte('[')
		for i, k := range d.kids {
			if i > 0 {
				w.b.WriteString(", ")
			}
			w.flow(k)
		}
		w.b.WriteByte(']')
	case Object:
		w.b.WriteByte('{')
		for i, k := range d.kids {
			if i > 0 {
				w.b.WriteString(", ")
			}
			w.b.WriteString(keyText(d.keys[i], true))
			w.b.WriteString(": ")
			w.flow(k)
		}
		w.b.WriteByte('}')
	case Null:
		w.b.WriteString("null")
	default:
		w.b.WriteString(d.text)
	}
}

// fits reports whether d is small enough to stay on one line from column from:
// no list of lists or maps in it, no text of several lines, not deep, not long.
func (d *datum) fits(from int) bool {
	return from <= flowWidth && from+d.flowLen(flowDepth) <= flowWidth
}

// flowLen returns the length of d on one line, more than any line if it should
// not be on one.
func (d *datum) flowLen(depth int) int {
	const never = 10 * flowWidth
	switch d.kind {
	case String:
		if len(d.text) > never || strings.Contains(d.text, "\n") {
			return never
		}
		return utf8.RuneCountInString(scalarText(d.text, true))
	case Array, Object:
		if len(d.kids) > 0 && depth == 0 {
			return never
		}
		n := 2
		for i, k := range d.kids {
			if d.kind == Array && len(k.kids) > 0 {
				return never
			}
			if d.kind == Object {
				n += len(d.keys[i]) + 2
			}
			if n += k.flowLen(depth-1) + 2; n > flowWidth+4 {
				return never
			}
		}
		return max(n-2, 2)
	default:
		return len(d.text)
	}
}
