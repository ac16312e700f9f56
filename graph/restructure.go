package graph

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// inserted returns the edits that add a member after the key last, or at the
// end if that is nil.
func (n *node) inserted(key string, value *datum, last *node) []diag.TextEdit {
	if len(n.kids) == 0 && !n.inFlow() && n.doc.Format == YAML {
		return n.replaced(&datum{kind: Object, keys: []string{key}, kids: []*datum{value}})
	}
	if last == nil && len(n.kids) > 0 {
		last = n.kids[len(n.kids)-2]
	}
	rework := func() []diag.TextEdit {
		return n.reworked(func(d *datum) {
			at := len(d.keys)
			if i := slices.Index(d.keys, last.text); i >= 0 {
				at = i + 1
			}
			d.keys, d.kids = slices.Insert(d.keys, at, key), slices.Insert(d.kids, at, value)
		})
	}
	if n.odd || n.style == bare {
		return rework()
	}
	if n.style == block {
		before := n.kids[last.index+1]
		if before.unfinished() {
			return rework()
		}
		column := n.doc.yamlColumn(int(n.start))
		at := before.close(column)
		w := n.doc.writer(at, column+1)
		w.line(column)
		text := keyText(key, false)
		w.b.WriteString(text + ":")
		w.member(value, column, column+len([]rune(text))+2, false)
		return []diag.TextEdit{{Start: at, End: at, New: w.b.String()}}
	}
	name := keyText(key, true)
	if n.doc.Format == JSON {
		name = doubleQuoted(key)
	}
	text := name + ": " + n.inlineText(value)
	if last == nil {
		return n.flowInserted(nil, text)
	}
	return n.flowInserted(n.kids[last.index+1], text)
}

// flowInserted adds text to a collection in brackets, after the value before,
// or in an empty one. If the values are on lines of their own, so is the new one.
func (n *node) flowInserted(before *node, text string) []diag.TextEdit {
	if before == nil {
		at := int(n.start) + 1
		return []diag.TextEdit{{Start: at, End: at, New: text}}
	}
	d, at, sep := n.doc, before.stop(), ", "
	if first := before.first(); d.leads(first) {
		sep = ",\n" + d.Src[d.lineStart(first):first]
		if d.Format == JSON && d.newline() != "\n" {
			sep = "," + d.newline() + d.Src[d.lineStart(first):first]
		}
	}
	if before.style == empty && d.Src[at-1] == ':' {
		sep = " " + sep
	}
	return []diag.TextEdit{{Start: at, End: at, New: sep + text}}
}

// itemInserted returns the edits that add an item at index.
func (n *node) itemInserted(index int, value *datum) []diag.TextEdit {
	if len(n.kids) == 0 && !n.inFlow() && n.doc.Format == YAML {
		return n.replaced(&datum{kind: Array, kids: []*datum{value}})
	}
	rework := func() []diag.TextEdit {
		return n.reworked(func(d *datum) { d.kids = slices.Insert(d.kids, index, value) })
	}
	if n.style != block {
		text := n.inlineText(value)
		switch {
		case len(n.kids) == 0:
			return n.flowInserted(nil, text)
		case index > 0:
			return n.flowInserted(n.kids[index-1], text)
		case n.kids[0].prop, n.doc.Src[n.kids[0].start] == ':':
			return rework() // a leading ":" is text only after the bracket
		}
		at := int(n.kids[0].start)
		return []diag.TextEdit{{Start: at, End: at, New: text + ", "}}
	}
	column := n.doc.yamlColumn(int(n.start))
	if index == 0 {
		w := writer{blocks: true}
		w.b.WriteByte('-')
		w.member(value, column, column+2, true)
		w.line(column)
		return []diag.TextEdit{{Start: int(n.start), End: int(n.start), New: w.b.String()}}
	}
	before := n.kids[index-1]
	if before.unfinished() {
		return rework()
	}
	at := before.close(column)
	w := n.doc.writer(at, column+1)
	w.line(column)
	w.b.WriteByte('-')
	w.member(value, column, column+2, true)
	return []diag.TextEdit{{Start: at, End: at, New: w.b.String()}}
}

// removed returns the edits that take n out of the collection that holds it.
func (n *node) removed() []diag.TextEdit {
	p, step := n.parent, 1
	if Kind(p.kind) == Object {
		step = 2
	}
	i := int(n.index) / step
	rework := func() []diag.TextEdit {
		return p.reworked(func(d *datum) {
			if d.kind == Object {
				i = slices.Index(d.keys, p.kids[n.index-1].text)
				d.keys = slices.Delete(d.keys, i, i+1)
			}
			d.kids = slices.Delete(d.kids, i, i+1)
		})
	}
	var prev, next *node
	if int(n.index)-step >= 0 {
		prev = p.kids[int(n.index)-step]
	}
	if int(n.index)+step < len(p.kids) {
		next = p.kids[int(n.index)+step]
	}
	switch {
	case p.odd || p.style == bare || prev == nil && next == nil:
		return rework()
	case p.style != block && n.prop:
		return rework()
	case p.style != block:
		return n.flowRemoved(prev, next)
	}
	d, from := n.doc, n.first()
	column := d.yamlColumn(int(p.start))
	to := n.close(column)
	if d.leads(from) {
		if prev != nil && prev.endsInBlock() {
			if !d.canEndBlockScalar(to, column+1) {
				return rework()
			}
			for next := d.nextLine(to); next < len(d.Src) && d.trails(next); next = d.nextLine(next) {
				to = d.lineEnd(next)
			}
		}
		return []diag.TextEdit{{Start: d.lineStart(from), End: d.nextLine(to)}}
	}
	if next == nil {
		return rework()
	}
	if start := next.first(); strings.Trim(d.Src[to:start], " \t\r\n") == "" {
		to = start
	}
	return []diag.TextEdit{{Start: from, End: to}}
}

// flowRemoved takes n out of a collection in brackets, with one comma.
func (n *node) flowRemoved(prev, next *node) []diag.TextEdit {
	src, from, to := n.doc.Src, n.first(), n.stop()
	comma := skipSpace(src, to, false)
	trailing := comma < len(src) && src[comma] == ','
	switch {
	case next != nil && !next.prop && strings.Trim(src[comma+1:next.first()], " \t\r\n") == "":
		to = next.first()
	case next != nil:
		to = comma + 1
	case strings.Trim(src[prev.stop():from], " \t\r\n,") == "":
		from = prev.stop()
	case trailing:
		to = comma + 1
	}
	return []diag.TextEdit{{Start: from, End: to}}
}
