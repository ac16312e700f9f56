package regex

import "unicode/utf8"

// around matches a look-ahead or look-behind, which takes nothing.
func (m *matching) around(n *node, at int, next rest) bool {
	back := m.back
	saved := append([]int(nil), m.caps...)
	m.back = n.op == opBehind || n.op == opNotBehind
	found := m.node(n.subs[0], at, func(int) bool { return true })
	m.back = back
	if found == (n.op == opAhead || n.op == opBehind) {
		if !found {
			copy(m.caps, saved)
		}
		if next(at) {
			return true
		}
	}
	copy(m.caps, saved)
	return false
}

func (m *matching) asserts(n *node, at int) bool {
	newline := func(c rune) bool { return c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029 }
	before, size := utf8.DecodeLastRuneInString(m.text[:at])
	first := size == 0
	after, size := utf8.DecodeRuneInString(m.text[at:])
	last := size == 0
	switch n.op {
	case opBegin:
		return first || m.multiline && newline(before)
	case opEnd:
		return last || m.multiline && newline(after)
	}
	edge := (!first && isWord(before)) != (!last && isWord(after))
	return edge == (n.op == opWord)
}
