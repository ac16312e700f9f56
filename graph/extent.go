package graph

import (
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
)

// stop returns the offset after the value's last byte.
func (n *node) stop() int {
	if n.end >= 0 {
		return int(n.end)
	}
	switch n.style {
	case flow:
		at := int(n.start) + 1
		if len(n.kids) > 0 {
			at = n.kids[len(n.kids)-1].stop()
		}
		src := n.doc.Src
		for at < len(src) {
			if at = skipSpace(src, at, false); at < len(src) && (src[at] == ',' || src[at] == ':') {
				at++
				continue
			}
			break
		}
		return min(at+1, len(src))
	case block, bare:
		if len(n.kids) > 0 {
			return max(n.kids[len(n.kids)-1].stop(), int(n.start))
		}
		return int(n.start)
	default:
		s := n.scan(false)
		return s.end
	}
}

// indent returns the 1-based column of the list or map by indentation that
// holds n, -1 at the root.
func (n *node) indent() int {
	for p := n.parent; p != nil; p = p.parent {
		if p.style == block {
			return n.doc.yamlColumn(int(p.start)) + 1
		}
	}
	return -1
}

// inFlow reports whether n is inside brackets.
func (n *node) inFlow() bool {
	return n.parent != nil && n.parent.style != block
}

// scan reads a scalar again, for its end and, with places, for where each byte
// of its text comes from.
func (n *node) scan(places bool) *scan {
	return scanAt(n.doc.Src, int(n.start), n.style, n.indent(), n.inFlow(), places)
}

func scanAt(src string, start int, st style, indent int, inFlow, places bool) *scan {
	s := &scan{src: src, mapped: places, end: start}
	if start >= len(src) {
		return s
	}
	switch st {
	case plain:
		s.plain(start, indent+1, inFlow)
	case single, double:
		s.quote(start)
	case quoted:
		s.json(start)
	case literal, folded:
		s.block(start, indent)
	}
	return s
}

// Within returns the place of bytes [i, j) of a scalar's decoded text in the
// source, through quotes, escapes, indentation and folded lines. i and j are
// clamped to the text and widened to whole runes. An empty span gives an empty
// range, at the end of the text too. For any other value it is Range.
func (v Value) Within(i, j int) diag.Range {
	from, to, ok := v.within(i, j)
	if !ok {
		return v.Range()
	}
	return v.n.doc.lines.span(from, to)
}

func (v Value) within(i, j int) (from, to int, ok bool) {
	if v.n == nil || v.n.style >= alias || v.n.style == empty {
		return 0, 0, false
	}
	n := v.n
	if n.style == plain && Kind(n.kind) != String || n.doc.Format == JSON && n.style == plain {
		i, j = clamp(n.text, i, j)
		return int(n.start) + i, int(n.start) + j, true
	}
	s := n.scan(true)
	if string(s.text) != n.text {
		return 0, 0, false
	}
	return s.within(i, j)
}

func clamp(text string, i, j int) (from, to int) {
	i = max(0, min(i, len(text)))
	j = max(i, min(j, len(text)))
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	for j < len(text) && !utf8.RuneStart(text[j]) {
		j++
	}
	return i, j
}

func (s *scan) within(i, j int) (from, to int, ok bool) {
	i, j = clamp(string(s.text), i, j)
	switch {
	case len(s.text) == 0:
		at := s.inside()
		return at, at, true
	case i == len(s.text):
		from = min(int(s.to[i-1]), s.end)
	default:
		from = min(int(s.from[i]), s.end)
	}
	if j == i {
		return from, from, true
	}
	return from, max(from, min(int(s.to[j-1]), s.end)), true
}

// inside is where text would go in a scalar that has none: between the quotes,
// or after a block scalar's header.
func (s *scan) inside() int {
	if s.header > 0 {
		return s.header
	}
	return max(s.end-1, 0)
}
