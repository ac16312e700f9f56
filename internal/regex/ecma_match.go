package regex

import (
	"unicode"
	"unicode/utf8"
)

// A backtracker matches a pattern as ECMA-262 says, with look-around and references to
// groups. It counts its steps, as the time that it takes can grow without end.
type backtracker struct {
	root      *node
	groups    int
	fold      bool // i
	multiline bool // m
	dotAll    bool // s
}

// A matching is one search in a text.
type matching struct {
	*backtracker
	text  string
	caps  []int
	work  func(int)
	back  bool // a look-behind, which matches from right to left
	depth int
}

// A rest is the continuation of a match: what is still to match from a position on.
type rest func(at int) bool

// maxDepth bounds the nesting of a match, and so the stack.
const maxDepth = 2_000_000

// find returns the first match from a position on, or nil.
func (b *backtracker) find(text string, from int, work func(int)) []int {
	m := &matching{backtracker: b, text: text, work: work, caps: make([]int, 2*b.groups+2)}
	for at := from; at <= len(text); {
		for i := range m.caps {
			m.caps[i] = -1
		}
		end := -1
		if m.node(b.root, at, func(to int) bool { end = to; return true }) {
			m.caps[0], m.caps[1] = at, end
			return m.caps
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += max(size, 1)
	}
	return nil
}

// step takes the next character in the direction of the match.
func (m *matching) step(at int) (c rune, to int, ok bool) {
	if m.back {
		if at == 0 {
			return 0, 0, false
		}
		c, size := utf8.DecodeLastRuneInString(m.text[:at])
		return c, at - size, true
	}
	if at == len(m.text) {
		return 0, 0, false
	}
	c, size := utf8.DecodeRuneInString(m.text[at:])
	return c, at + size, true
}

// node matches n at a position and what follows it.
func (m *matching) node(n *node, at int, next rest) bool {
	m.work(1)
	switch n.op {
	case opEmpty:
		return next(at)
	case opChar, opAny, opSet:
		c, to, ok := m.step(at)
		return ok && m.takes(n, c) && next(to)
	case opConcat:
		return m.concat(n.subs, at, next)
	case opAlternate:
		for _, sub := range n.subs {
			if m.node(sub, at, next) {
				return true
			}
		}
		return false
	case opRepeat:
		if sub := n.subs[0]; sub.op == opChar || sub.op == opAny || sub.op == opSet {
			return m.run(n, at, next)
		}
		return m.repeat(n, 0, at, next)
	case opGroup:
		return m.group(n, at, next)
	case opBack:
		return m.reference(n, at, next)
	case opAhead, opNotAhead, opBehind, opNotBehind:
		return m.around(n, at, next)
	}
	return m.asserts(n, at) && next(at)
}

func (m *matching) takes(n *node, c rune) bool {
	switch n.op {
	case opAny:
		return m.dotAll || c != '\n' && c != '\r' && c != 0x2028 && c != 0x2029
	case opChar:
		return n.char == c || m.fold && canonical(n.char) == canonical(c)
	}
	listed := n.set.lists(c)
	if m.fold && !listed {
		for f := unicode.SimpleFold(c); f != c && !listed; f = unicode.SimpleFold(f) {
			listed = canonical(f) == canonical(c) && n.set.lists(f)
		}
	}
	return listed != n.set.negated
}

// canonical is a character as it is compared without regard to case.
func canonical(c rune) rune {
	up := unicode.ToUpper(c)
	if c >= utf8.RuneSelf && up < utf8.RuneSelf {
		return c
	}
	return up
}

func (m *matching) concat(subs []*node, at int, next rest) bool {
	if len(subs) == 0 {
		return next(at)
	}
	first, others := subs[0], subs[1:]
	if m.back {
		first, others = subs[len(subs)-1], subs[:len(subs)-1]
	}
	if len(others) == 0 {
		return m.node(first, at, next)
	}
	back := m.back
	return m.node(first, at, func(to int) bool {
		m.back = back
		return m.concat(others, to, next)
	})
}

// run matches a repetition of one character, which needs no nesting.
func (m *matching) run(n *node, at int, next rest) bool {
	sub, back := n.subs[0], m.back
	follow := func(at int) bool { m.back = back; return next(at) }
	taken := 0
	forward := func() bool {
		c, to, ok := m.step(at)
		if !ok || !m.takes(sub, c) || n.max >= 0 && taken >= n.max {
			return false
		}
		m.work(1)
		taken++
		at = to
		return true
	}
	for taken < n.min {
		if !forward() {
			return false
		}
	}
	if n.lazy {
		for {
			if follow(at) {
				return true
			}
			if m.back = back; !forward() {
				return false
			}
		}
	}
	for forward() {
	}
	for {
		if follow(at) {
			return true
		}
		if m.back = back; taken == n.min {
			return false
		}
		m.work(1)
		taken--
		var size int
		if back {
			_, size = utf8.DecodeRuneInString(m.text[at:])
			at += size
		} else {
			_, size = utf8.DecodeLastRuneInString(m.text[:at])
			at -= size
		}
	}
}

// repeat matches a repetition of anything; taken of them have been matched.
func (m *matching) repeat(n *node, taken, at int, next rest) bool {
	if m.depth++; m.depth > maxDepth {
		m.work(1 << 60)
	}
	defer func() { m.depth-- }()
	back := m.back
	more := func() bool {
		if n.max >= 0 && taken >= n.max {
			return false
		}
		saved := append([]int(nil), m.caps[2*n.group:2*n.last+2]...)
		for i := 2 * n.group; i < 2*n.last+2; i++ {
			m.caps[i] = -1
		}
		m.back = back
		if m.node(n.subs[0], at, func(to int) bool {
			if to == at && taken >= n.min {
				return false // an empty repetition leads nowhere
			}
			m.back = back
			return m.repeat(n, taken+1, to, next)
		}) {
			return true
		}
		copy(m.caps[2*n.group:], saved)
		return false
	}
	switch {
	case taken < n.min:
		return more()
	case n.lazy:
		return next(at) || more()
	}
	if more() {
		return true
	}
	m.back = back
	return next(at)
}

func (m *matching) group(n *node, at int, next rest) bool {
	i, back := 2*n.group, m.back
	from, to := m.caps[i], m.caps[i+1]
	if m.node(n.subs[0], at, func(end int) bool {
		a, b := m.caps[i], m.caps[i+1]
		m.caps[i], m.caps[i+1] = min(at, end), max(at, end)
		if m.back = back; next(end) {
			return true
		}
		m.caps[i], m.caps[i+1] = a, b
		return false
	}) {
		return true
	}
	m.caps[i], m.caps[i+1] = from, to
	return false
}

// reference matches what a group has matched, or nothing if it took no part.
func (m *matching) reference(n *node, at int, next rest) bool {
	if n.group > m.groups || m.caps[2*n.group+1] < 0 {
		return next(at)
	}
	want := m.text[m.caps[2*n.group]:m.caps[2*n.group+1]]
	m.work(1 + len(want)>>3)
	part := m.text[at:]
	if m.back {
		part = m.text[:at]
	}
	for len(want) > 0 {
		decode := utf8.DecodeRuneInString
		if m.back {
			decode = utf8.DecodeLastRuneInString
		}
		a, i := decode(want)
		b, j := decode(part)
		if j == 0 || a != b && (!m.fold || canonical(a) != canonical(b)) {
			return false
		}
		if m.back {
			want, part, at = want[:len(want)-i], part[:len(part)-j], at-j
		} else {
			want, part, at = want[i:], part[j:], at+j
		}
	}
	return next(at)
}

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
