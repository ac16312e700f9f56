package regex

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A writer writes a pattern for RE2.
type writer struct {
	*backtracker
	out strings.Builder
}

// write writes a node. It reports false for one that RE2 does not match as JavaScript
// does.
func (w *writer) write(n *node) bool {
	switch n.op {
	case opEmpty:
	case opChar:
		w.out.WriteByte('[')
		w.char(n.char)
		w.out.WriteByte(']')
	case opAny:
		if w.dotAll {
			w.out.WriteString("(?s:.)")
		} else {
			w.out.WriteString(`[^\n\r\x{2028}\x{2029}]`)
		}
	case opSet:
		return w.set(n.set)
	case opConcat:
		for _, sub := range n.subs {
			if !w.write(sub) {
				return false
			}
		}
	case opAlternate:
		w.out.WriteString("(?:")
		for i, sub := range n.subs {
			if i > 0 {
				w.out.WriteByte('|')
			}
			if !w.write(sub) {
				return false
			}
		}
		w.out.WriteByte(')')
	case opRepeat:
		return w.repeat(n)
	case opGroup:
		w.out.WriteByte('(')
		ok := w.write(n.subs[0])
		w.out.WriteByte(')')
		return ok
	case opBegin:
		w.out.WriteString(`\A`)
		return !w.multiline
	case opEnd:
		w.out.WriteString(`\z`)
		return !w.multiline
	case opWord:
		w.out.WriteString(`\b`)
	case opNotWord:
		w.out.WriteString(`\B`)
	default:
		return false
	}
	return true
}

// repeat writes a repetition. Groups in it that may take no part in one turn keep what
// they matched in an earlier one, which they do not in JavaScript.
func (w *writer) repeat(n *node) bool {
	sub := n.subs[0]
	if n.min > maxRepeat || n.max > maxRepeat || n.last >= n.group && (nullable(sub) || n.max != 1 && optionalGroup(sub, false)) {
		return false
	}
	w.out.WriteString("(?:")
	if !w.write(sub) {
		return false
	}
	w.out.WriteString("){" + strconv.Itoa(n.min) + ",")
	if n.max >= 0 {
		w.out.WriteString(strconv.Itoa(n.max))
	}
	w.out.WriteByte('}')
	if n.lazy {
		w.out.WriteByte('?')
	}
	return true
}

// optionalGroup reports whether n has a group that may take no part in a match of n.
func optionalGroup(n *node, optional bool) bool {
	switch n.op {
	case opGroup:
		if optional {
			return true
		}
	case opAlternate:
		optional = true
	case opRepeat:
		optional = optional || n.min == 0
	}
	return slices.ContainsFunc(n.subs, func(sub *node) bool { return optionalGroup(sub, optional) })
}

var classTexts = map[rune]string{
	'd': `0-9`, 'w': `0-9A-Za-z_`, 's': `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`, 'D': `\D`, 'W': `\W`,
}

// set writes a class.
func (w *writer) set(s *set) bool {
	if len(s.ranges)+len(s.classes) == 0 {
		if s.negated {
			w.out.WriteString("(?s:.)")
		} else {
			w.out.WriteString(`[^\x00-\x{10FFFF}]`)
		}
		return true
	}
	if len(s.classes) == 1 && s.classes[0] == 'S' && len(s.ranges) == 0 {
		s = &set{negated: !s.negated, classes: []rune{'s'}}
	}
	w.out.WriteByte('[')
	if s.negated {
		w.out.WriteByte('^')
	}
	for i := 0; i+1 < len(s.ranges); i += 2 {
		low, high := s.ranges[i], s.ranges[i+1]
		if !w.fold {
			w.span(low, high)
			continue
		}
		if high-low > maxFolded {
			return false
		}
		for c := low; c <= high; c++ {
			w.char(c)
		}
	}
	for _, c := range s.classes {
		text := classTexts[c]
		if text == "" || w.fold && c < 'a' {
			return false
		}
		w.out.WriteString(text)
	}
	w.out.WriteByte(']')
	return true
}

// span writes a range of a class.
func (w *writer) span(low, high rune) {
	w.out.WriteString(code(low) + "-" + code(high))
}

func code(c rune) string { return `\x{` + strconv.FormatInt(int64(c), 16) + "}" }

// char writes a character in a class, and those that are the same without regard to
// case.
func (w *writer) char(c rune) {
	w.span(c, c)
	if !w.fold {
		return
	}
	for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
		if canonical(f) == canonical(c) {
			w.out.WriteString(code(f))
		}
	}
}
