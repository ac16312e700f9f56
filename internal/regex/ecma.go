// Package regex judges the regular expressions of schemas: which of them other
// programs can read.
package regex

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// PortablePattern reports whether JavaScript reads a pattern, with the flag u and
// without. Some clients refuse the whole list of tools for one pattern that it does
// not read. The grammar is that of ECMA-262, section 22.2.1, less what the two modes
// read differently; what it does not know is not portable.
func PortablePattern(pattern string) bool {
	p := &patternReader{cursor{pattern}}
	return p.alternatives(0) && p.rest == ""
}

const maxPatternDepth = 100

type patternReader struct{ cursor }

// A cursor is the rest of a pattern that is being read.
type cursor struct{ rest string }

// skip takes a prefix, if the rest has it.
func (c *cursor) skip(prefix string) bool {
	rest, ok := strings.CutPrefix(c.rest, prefix)
	if ok {
		c.rest = rest
	}
	return ok
}

// next takes one character; without one it returns [utf8.RuneError].
func (c *cursor) next() rune {
	r, size := utf8.DecodeRuneInString(c.rest)
	c.rest = c.rest[size:]
	return r
}

func (p *patternReader) alternatives(depth int) bool {
	if depth > maxPatternDepth {
		return false
	}
	for p.rest != "" && p.rest[0] != ')' {
		if !p.skip("|") && !p.term(depth) {
			return false
		}
	}
	return true
}

// term reads an assertion, or an atom with its quantifier.
func (p *patternReader) term(depth int) bool {
	if slices.ContainsFunc([]string{"^", "$", `\b`, `\B`}, p.skip) {
		return true
	}
	if slices.ContainsFunc([]string{"(?=", "(?!", "(?<=", "(?<!"}, p.skip) {
		return p.alternatives(depth+1) && p.skip(")")
	}
	switch r := p.next(); {
	case r == utf8.RuneError, strings.ContainsRune("*+?{}]", r):
		return false
	case r == '(':
		if !p.skip("?:") && strings.HasPrefix(p.rest, "?") {
			return false // a named group: the languages write it differently
		}
		if !p.alternatives(depth+1) || !p.skip(")") {
			return false
		}
	case r == '[':
		if !p.class() {
			return false
		}
	case r == '\\':
		if _, _, ok := p.escape(false); !ok {
			return false
		}
	}
	return p.quantifier()
}

func (p *patternReader) quantifier() bool {
	if !p.skip("*") && !p.skip("+") && !p.skip("?") {
		if !strings.HasPrefix(p.rest, "{") {
			return true
		}
		least, most, size, ok := bounds(p.rest)
		if !ok || most >= 0 && most < least {
			return false
		}
		p.rest = p.rest[size:]
	}
	p.skip("?")
	return true
}

func count(digits string) (int, bool) {
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), err == nil
}

// class reads what follows an opening bracket.
func (p *patternReader) class() bool {
	p.skip("^")
	for !p.skip("]") {
		low, single, ok := p.classAtom()
		if !ok {
			return false
		}
		if !strings.HasPrefix(p.rest, "-") || strings.HasPrefix(p.rest, "-]") {
			continue
		}
		p.skip("-")
		high, also, ok := p.classAtom()
		if !ok || !single || !also || high < low {
			return false
		}
	}
	return true
}

// classAtom reads a character or a set of a class; single is false for a set.
func (p *patternReader) classAtom() (r rune, single, ok bool) {
	if strings.HasPrefix(p.rest, "[:") {
		return 0, false, false // a POSIX class, which JavaScript reads as characters
	}
	if r = p.next(); r == '\\' {
		return p.escape(true)
	}
	return r, true, r != utf8.RuneError
}

// escape reads what follows a backslash.
func (p *patternReader) escape(inClass bool) (r rune, single, ok bool) {
	switch r = p.next(); {
	case strings.ContainsRune("dDwWsS", r):
		return 0, false, true
	case strings.ContainsRune(`^$\.*+?()[]{}|/`, r), r == '-' && inClass:
		return r, true, true
	case strings.ContainsRune("tnrfv", r):
		return controls[r], true, true
	case r == 'x':
		return p.hex(2)
	case r == 'u':
		return p.hex(4)
	case r == 'p' || r == 'P':
		name, rest, closed := strings.Cut(p.rest, "}")
		if !closed || !strings.HasPrefix(name, "{") || !slices.Contains(categories, name[1:]) {
			return 0, false, false
		}
		p.rest = rest
		return 0, false, true
	}
	return 0, false, false
}

func (p *patternReader) hex(digits int) (r rune, single, ok bool) {
	if len(p.rest) < digits {
		return 0, false, false
	}
	n, err := strconv.ParseUint(p.rest[:digits], 16, 32)
	p.rest = p.rest[digits:]
	return rune(n), true, err == nil
}

// categories are the general categories of Unicode, which both languages name alike.
var categories = []string{
	"L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
	"S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Co", "Cs",
}
