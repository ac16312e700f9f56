package graph

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// inlineText returns d as it is written inside brackets: one line.
func (n *node) inlineText(d *datum) string {
	if n.doc.Format == JSON {
		return string(d.appendJSON(nil, " ", " "))
	}
	var w writer
	w.flow(d)
	return w.b.String()
}

// reworked rewrites a whole list or map with a change to its data. It is for
// shapes that cannot be edited piecemeal; comments inside are lost.
func (n *node) reworked(change func(*datum)) []diag.TextEdit {
	d := n.datum()
	change(d)
	return n.replaced(d)
}

// replaced returns the edits that put d in the place of n.
func (n *node) replaced(d *datum) []diag.TextEdit {
	src, from, to := n.doc.Src, int(n.start), n.stop()
	if n.doc.Format == JSON {
		return []diag.TextEdit{{Start: from, End: to, New: n.inlineText(d)}}
	}
	if n.inFlow() {
		text := n.inlineText(d)
		switch {
		case n.style == empty && src[from-1] != ':':
			text = ": " + text
		case src[from-1] == ':':
			text = " " + text
		}
		return []diag.TextEdit{{Start: from, End: to, New: text}}
	}
	if n.parent == nil {
		return n.rootReplaced(d)
	}
	begin := n.introducer()
	if begin < 0 || n.style == empty && n.parent.odd && Kind(n.parent.kind) == Object { // "? key" without a value
		key := n.parent.kids[n.index-1].text
		return n.parent.reworked(func(m *datum) { m.kids[slices.Index(m.keys, key)] = d })
	}
	item := Kind(n.parent.kind) == Array
	column := n.doc.yamlColumn(int(n.parent.start))
	w := n.doc.writer(to, column+1)
	if w.blocks {
		to = n.doc.lineEnd(to) // blanks there would become part of a block
	}
	if strings.Trim(src[begin:from], " \t\r\n") == "" || n.style == empty {
		at := n.doc.yamlColumn(begin) + 1
		w.member(d, column, at, item)
		return []diag.TextEdit{{Start: begin, End: to, New: w.b.String()}}
	}
	// A comment or a tag is between the colon or dash and the value: the
	// new one begins where the old one did, on a line of its own or not.
	at := n.doc.yamlColumn(from)
	switch {
	case !n.doc.leads(from):
		w.b.WriteString(n.inlineText(d))
	case at > column:
		w.content(d, at, at)
	default:
		w.b.WriteString(strings.Repeat(" ", column+2-at))
		w.content(d, column+2, column+2)
	}
	return []diag.TextEdit{{Start: from, End: to, New: w.b.String()}}
}

// rootReplaced replaces the whole document but for comments around it.
func (n *node) rootReplaced(d *datum) []diag.TextEdit {
	from, to := int(n.start), n.stop()
	var w writer
	switch {
	case strings.Trim(n.doc.Src[n.doc.lineStart(from):from], " ") != "", n.style == empty && n.doc.lineStart(from) != from:
		w.b.WriteByte('\n')
		w.content(d, 0, 0)
	case n.style == empty:
		w.content(d, 0, 0)
	default:
		if w = n.doc.writer(to, 0); w.blocks {
			to = n.doc.lineEnd(to)
		}
		w.content(d, n.doc.yamlColumn(from), 0)
	}
	if n.style == empty {
		w.b.WriteByte('\n')
	}
	return []diag.TextEdit{{Start: from, End: to, New: w.b.String()}}
}

// textReplaced returns edits inside n's own text that make it want, nil if the
// way it is written cannot hold that.
func (n *node) textReplaced(want string, edits []diag.TextEdit) []diag.TextEdit {
	if Kind(n.kind) != String || n.style == alias || n.style == empty || len(edits) == 0 {
		return nil
	}
	s := n.scan(true)
	if string(s.text) != n.text || n.style == plain && !plainSafe(strings.ReplaceAll(want, "\n", " "), n.inFlow()) {
		return nil
	}
	var exact []diag.TextEdit
	for _, e := range edits {
		from, to, ok := s.within(e.Start, e.End)
		if i, j := clamp(n.text, e.Start, e.End); !ok || i != e.Start || j != e.End {
			return nil
		}
		exact = append(exact, diag.TextEdit{Start: from, End: to, New: s.encode(n.style, e.New)})
	}
	if conflict(exact) || !n.holds(want, exact) {
		return nil
	}
	return exact
}

// encode returns text as it is written inside a scalar of a style.
func (s *scan) encode(st style, text string) string {
	switch st {
	case double, quoted:
		q := doubleQuoted(text)
		return q[1 : len(q)-1]
	case single:
		return strings.ReplaceAll(text, "'", "''")
	case literal:
		return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", max(s.indent-1, 0)))
	default:
		return text
	}
}

// holds reports whether n, with edits made inside it, is read as want and ends
// where it should.
func (n *node) holds(want string, edits []diag.TextEdit) bool {
	src, stop := n.doc.Src, n.stop()
	from := n.doc.lineStart(int(n.start))
	tail := src[stop:min(len(src), stop+4096)]
	shifted := lists.Each(edits, func(e diag.TextEdit) diag.TextEdit {
		return diag.TextEdit{Start: e.Start - from, End: e.End - from, New: e.New}
	})
	text := diag.ApplyEdits(src[from:stop], shifted)
	for i := range text {
		if i > int(n.start)-from && text[i-1] == '\n' && markerAt(text, i) {
			return false // a document marker, even inside quotes
		}
	}
	s := scanAt(text+tail, int(n.start)-from, n.style, n.indent(), n.inFlow(), false)
	return string(s.text) == want && s.end == len(text)
}
