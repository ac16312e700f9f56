package regex

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A set is a class of characters.
type set struct {
	negated bool
	ranges  []rune // pairs of bounds
	classes []rune // letters of classes, such as d
}

// lists reports whether a set lists a character, negated or not.
func (s *set) lists(c rune) bool {
	for i := 0; i+1 < len(s.ranges); i += 2 {
		if s.ranges[i] <= c && c <= s.ranges[i+1] {
			return true
		}
	}
	for _, letter := range s.classes {
		if classes[letter](c) {
			return true
		}
	}
	return false
}

// escape reads what follows a backslash outside of a class.
func (r *reader) escape() (*node, error) {
	if r.rest == "" {
		return nil, errors.New(`\ at the end of the pattern`)
	}
	switch c := r.rest[0]; {
	case c == 'b':
		r.next()
		return &node{op: opWord}, nil
	case c == 'B':
		r.next()
		return &node{op: opNotWord}, nil
	case c == 'k' && r.named:
		name, rest, ok := strings.Cut(r.rest[1:], ">")
		if !ok || !strings.HasPrefix(name, "<") {
			return nil, errors.New(`\k needs the name of a group: \k<name>`)
		}
		r.rest = rest
		return &node{op: opBack, name: name[1:]}, nil
	case c >= '1' && c <= '9':
		end := 1
		for end < len(r.rest) && end < 3 && r.rest[end] >= '0' && r.rest[end] <= '9' {
			end++
		}
		n, _ := strconv.Atoi(r.rest[:end])
		r.rest = r.rest[end:]
		return &node{op: opBack, group: n}, nil
	}
	char, class := r.escaped()
	if class {
		return &node{op: opSet, set: &set{classes: []rune{char}}}, nil
	}
	return &node{op: opChar, char: char}, nil
}

// escaped reads an escape that is the same in a class: a character, or the
// letter of a class.
func (r *reader) escaped() (char rune, class bool) {
	c := r.next()
	if classes[c] != nil {
		return c, true
	}
	if char, ok := controls[c]; ok {
		return char, false
	}
	switch c {
	case 'x':
		return r.hexDigits(c, 2), false
	case 'u':
		return r.unicode(c), false
	case 'c':
		if r.rest != "" && (r.rest[0]|0x20) >= 'a' && (r.rest[0]|0x20) <= 'z' {
			return r.next() & 31, false
		}
		r.rest = "c" + r.rest
		return '\\', false
	}
	return c, false
}

// controls are the control characters that escapes of one letter stand for.
var controls = map[rune]rune{'t': '\t', 'n': '\n', 'r': '\r', 'v': '\v', 'f': '\f', '0': 0}

// unicode reads the digits of \u, and of a second escape if only both are a character.
func (r *reader) unicode(letter rune) rune {
	high := r.hexDigits(letter, 4)
	if rest := r.rest; utf16.IsSurrogate(high) && r.skip(`\u`) {
		if c := utf16.DecodeRune(high, r.hexDigits(letter, 4)); c != utf8.RuneError {
			return c
		}
		r.rest = rest
	}
	return high
}

// hexDigits reads n digits; without them the letter stands for itself.
func (r *reader) hexDigits(letter rune, n int) rune {
	if len(r.rest) >= n {
		if v, err := strconv.ParseUint(r.rest[:n], 16, 32); err == nil {
			r.rest = r.rest[n:]
			return rune(v)
		}
	}
	return letter
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

func isWord(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func isSpace(c rune) bool {
	return c == ' ' || c >= '\t' && c <= '\r' || c == 0xA0 || c == 0xFEFF || c == 0x2028 || c == 0x2029 || unicode.Is(unicode.Zs, c)
}

func not(f func(rune) bool) func(rune) bool { return func(c rune) bool { return !f(c) } }

var classes = map[rune]func(rune) bool{'d': isDigit, 'D': not(isDigit), 'w': isWord, 'W': not(isWord), 's': isSpace, 'S': not(isSpace)}

// class reads what follows "[".
func (r *reader) class() (*set, error) {
	s := &set{negated: r.skip("^")}
	for !r.skip("]") {
		if r.rest == "" {
			return nil, errUnclosed
		}
		low, class := r.classAtom()
		if class {
			s.classes = append(s.classes, low)
			continue
		}
		if !strings.HasPrefix(r.rest, "-") || strings.HasPrefix(r.rest, "-]") {
			s.ranges = append(s.ranges, low, low)
			continue
		}
		r.skip("-")
		high, class := r.classAtom()
		switch {
		case class:
			s.ranges = append(s.ranges, low, low, '-', '-')
			s.classes = append(s.classes, high)
		case high < low:
			return nil, errors.New("the ends of a range are out of order")
		default:
			s.ranges = append(s.ranges, low, high)
		}
	}
	return s, nil
}

func (r *reader) classAtom() (char rune, class bool) {
	if !r.skip(`\`) {
		return r.next(), false
	}
	if r.skip("b") {
		return '\b', false
	}
	return r.escaped()
}
