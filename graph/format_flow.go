package graph

import (
	"strings"
)

// bracketed is a list or map in brackets, which begins in a collection that moves from
// one column to another. On one line it has one space after each comma and colon; line
// breaks stay where they are.
func (f *formatter) bracketed(n *node, to, from int) string {
	return reindented(f.flowText(n), func(_ string, column int) int {
		return max(to, column-from+to)
	})
}

func (f *formatter) flowText(n *node) string {
	switch {
	case n.style != flow || n.odd || n.prop:
		return n.source()
	case strings.Contains(n.source(), "\n"):
		return f.flowLines(n)
	}
	var b strings.Builder
	open, closing := "[", "]"
	if Kind(n.kind) == Object {
		open, closing = "{", "}"
	}
	b.WriteString(open)
	for i, v := range f.ordered(n) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f.member(v))
	}
	return b.String() + closing
}

// member is a value in brackets on one line, with its key.
func (f *formatter) member(v *node) string {
	if Kind(v.parent.kind) == Array {
		return f.flowText(v)
	}
	key := v.parent.kids[v.index-1]
	switch {
	case v.style != empty:
		return key.source() + ": " + f.flowText(v)
	case v.parent.colon(key) >= 0:
		return key.source() + ":"
	}
	return key.source()
}

// flowLines is a list or map in brackets on several lines: the members change their
// places in the text between them, unless there are comments.
func (f *formatter) flowLines(n *node) string {
	var slots []*node // values in the order of the source
	for i := range n.kids {
		if Kind(n.kind) == Array || i%2 == 1 {
			slots = append(slots, n.kids[i])
		}
	}
	values := slots
	if !strings.Contains(f.gaps(n, slots), "#") {
		values = f.ordered(n)
	}
	var b strings.Builder
	at := int(n.start)
	for i, slot := range slots {
		b.WriteString(f.Src[at:slot.first()])
		b.WriteString(f.Src[values[i].first():values[i].start] + f.flowText(values[i]))
		at = slot.stop()
	}
	b.WriteString(f.Src[at:n.stop()])
	return b.String()
}

// gaps is what is written between the members of a list or map.
func (f *formatter) gaps(n *node, slots []*node) string {
	var b strings.Builder
	at := int(n.start)
	for _, slot := range slots {
		b.WriteString(f.Src[at:slot.first()])
		if Kind(n.kind) == Object {
			key := n.kids[slot.index-1]
			b.WriteString(f.Src[key.stop():slot.start])
		}
		at = slot.stop()
	}
	b.WriteString(f.Src[at:n.stop()])
	return b.String()
}

// json writes a value of a JSON document, a line for each member and item. Numbers and
// texts stay as they are written.
func (f *formatter) json(n *node, column int) {
	open, closing := "[", "]"
	switch Kind(n.kind) {
	case Object:
		open, closing = "{", "}"
	case Array:
	default:
		f.out.WriteString(n.source())
		return
	}
	f.out.WriteString(open)
	for i, v := range f.ordered(n) {
		if i > 0 {
			f.out.WriteByte(',')
		}
		f.out.WriteByte('\n')
		f.pad(column + 2)
		if Kind(n.kind) == Object {
			f.out.WriteString(n.kids[v.index-1].source() + ": ")
		}
		f.json(v, column+2)
	}
	if len(n.kids) > 0 {
		f.out.WriteByte('\n')
		f.pad(column)
	}
	f.out.WriteString(closing)
}
