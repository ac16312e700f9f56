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
	p := &patternReader{rest: pattern}
	return p.alternatives(0) && p.rest == ""
}

const maxPatternDepth = 100

type patternReader struct{ rest string }

func (p *patternReader) skip(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	if ok {
		p.rest = rest
	}
	return ok
}

// next takes one character.
func (p *patternReader) next() (rune, bool) {
	r, size := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[size:]
	return r, r != utf8.RuneError
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
	r, ok := p.next()
	switch {
	case !ok, strings.ContainsRune("*+?{}]", r):
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
		if !p.skip("{") {
			return true
		}
		bounds, rest, ok := strings.Cut(p.rest, "}")
		if !ok {
			return false
		}
		p.rest = rest
		low, high, both := strings.Cut(bounds, ",")
		least, ok := count(low)
		if !ok {
			return false
		}
		if both && high != "" {
			most, ok := count(high)
			if !ok || most < least {
				return false
			}
		}
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
	r, ok = p.next()
	if r == '\\' {
		return p.escape(true)
	}
	return r, true, ok
}

// escape reads what follows a backslash.
func (p *patternReader) escape(inClass bool) (r rune, single, ok bool) {
	r, ok = p.next()
	switch {
	case !ok:
		return 0, false, false
	case strings.ContainsRune("dDwWsS", r):
		return 0, false, true
	case strings.ContainsRune(`^$\.*+?()[]{}|/`, r), r == '-' && inClass:
		return r, true, true
	case strings.ContainsRune("tnrfv", r):
		return rune("\t\n\r\f\v"[strings.IndexRune("tnrfv", r)]), true, true
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
