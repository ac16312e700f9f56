package graph

import (
	"strings"
	"unicode/utf8"
)

// Edits work on lines as YAML counts them, where CR, NEL, LS and PS are line
// breaks too.

// lineStart returns the offset of the first byte of at's line, after a byte
// order mark.
func (d *Document) lineStart(at int) int {
	src := d.Src
	for i := at; i > 0; i-- {
		switch c := src[i-1]; {
		case c == '\n', c == '\r' && (i >= len(src) || src[i] != '\n'),
			c == 0x85 && i > 1 && src[i-2] == 0xC2,
			(c == 0xA8 || c == 0xA9) && strings.HasSuffix(src[:i-1], "\u2028"[:2]):
			return i
		}
	}
	return min(at, len(src)-len(strings.TrimPrefix(src, bom)))
}

// lineEnd returns the offset of the line break that ends at's line, or the end
// of the text.
func (d *Document) lineEnd(at int) int {
	for at < len(d.Src) && breakAt(d.Src, at) == 0 {
		at++
	}
	return at
}

// nextLine returns the offset after the line break that ends at's line.
func (d *Document) nextLine(at int) int {
	at = d.lineEnd(at)
	return at + breakAt(d.Src, at)
}

// yamlColumn returns the 0-based column of at.
func (d *Document) yamlColumn(at int) int {
	return utf8.RuneCountInString(d.Src[d.lineStart(at):at])
}

// leads reports whether only blanks precede at on its line.
func (d *Document) leads(at int) bool {
	return strings.Trim(d.Src[d.lineStart(at):at], " \t") == ""
}

// trails reports whether nothing follows at on its line, not even a
// comment.
func (d *Document) trails(at int) bool {
	return strings.Trim(d.Src[at:d.lineEnd(at)], " \t") == ""
}

// canEndBlockScalar reports whether a block scalar may end on at's line: nothing follows that
// would become its content, as a comment in column or further right would.
func (d *Document) canEndBlockScalar(at, column int) bool {
	if !d.trails(at) {
		return false
	}
	for at = d.nextLine(at); at < len(d.Src); at = d.nextLine(at) {
		if !d.trails(at) {
			return d.comment(at) < column
		}
		if d.lineEnd(at) > at {
			return false // blanks, perhaps more of them than the block's indentation
		}
	}
	return true
}

// writer returns a writer for text that ends on at's line, in a list or map
// left of column.
func (d *Document) writer(at, column int) writer {
	end := d.lineEnd(at)
	return writer{blocks: d.canEndBlockScalar(at, column), atEnd: end == len(d.Src) || d.Src[end] == 0xE2}
}

// comment returns the 0-based column of the comment that is alone on the line
// that starts at at, or -1.
func (d *Document) comment(at int) int {
	i := at
	for blankAt(d.Src, i) {
		i++
	}
	if i < len(d.Src) && d.Src[i] == '#' {
		return i - at
	}
	return -1
}

// newline is the line break that new lines are written with.
func (d *Document) newline() string {
	if i := strings.IndexByte(d.Src, '\n'); i > 0 && d.Src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// first returns the offset where a member or item begins: its key, its dash or
// itself.
func (n *node) first() int {
	switch {
	case n.parent == nil:
		return int(n.start)
	case Kind(n.parent.kind) == Object:
		return int(n.parent.kids[n.index&^1].start)
	case n.parent.style == block:
		return n.introducer() - 1
	default:
		return int(n.start)
	}
}

// introducer returns the offset after the colon or dash that n follows, -1 if
// there is none.
func (n *node) introducer() int {
	p, src := n.parent, n.doc.Src
	switch {
	case p == nil:
		return -1
	case Kind(p.kind) == Object:
		return p.colon(p.kids[n.index-1])
	case p.style != block:
		return -1
	case n.index == 0:
		return int(p.start) + 1
	default:
		return skipSpace(src, p.kids[n.index-1].stop(), true) + 1
	}
}

// colon returns the offset after the colon of a map's key, -1 if it has none:
// one on a later line is its own only in the map's column, or in brackets.
func (n *node) colon(key *node) int {
	d, end := n.doc, key.stop()
	at := skipSpace(d.Src, end, true)
	if at >= len(d.Src) || d.Src[at] != ':' {
		return -1
	}
	if n.style == block && at > d.lineEnd(end) && d.yamlColumn(at) != d.yamlColumn(int(n.start)) {
		return -1
	}
	return at + 1
}

// close returns where a member or item of a collection in the given 0-based
// column ends with what belongs to it: the rest of its last line and comments
// on the next lines that are indented more than column.
func (n *node) close(column int) int {
	d := n.doc
	at := d.lineEnd(n.stop())
	for {
		next := at + breakAt(d.Src, at)
		if next == at || d.comment(next) <= column {
			return at
		}
		at = d.lineEnd(next)
	}
}

// leaf returns the last scalar in n, or n if it is one.
func (n *node) leaf() *node {
	for len(n.kids) > 0 {
		n = n.kids[len(n.kids)-1]
	}
	return n
}

// unfinished reports whether n ends in a block scalar without a line feed, at
// the end of the text or before another kind of line break: a line added after
// it would change it.
func (n *node) unfinished() bool {
	leaf := n.leaf()
	if !leaf.endsInBlock() {
		return false
	}
	return leaf.stop() >= len(n.doc.Src) && !strings.HasSuffix(leaf.text, "\n") ||
		strings.HasSuffix(leaf.text, "\u2028") || strings.HasSuffix(leaf.text, "\u2029")
}

// endsInBlock reports whether n ends in a block scalar.
func (n *node) endsInBlock() bool {
	leaf := n.leaf()
	return leaf.style == literal || leaf.style == folded
}
