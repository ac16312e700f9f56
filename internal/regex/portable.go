package regex

import (
	"strings"
	"unicode"
)

// Portable writes a pattern of Go, Python or PCRE so that JavaScript reads it and
// matches the same texts: the anchors \A, \z and \Z, the flag (?i) at the beginning,
// named groups, possessive quantifiers, \h, \pL, POSIX classes and characters escaped
// without need. It reports whether the result is portable.
func Portable(pattern string) (string, bool) {
	if PortablePattern(pattern) {
		return pattern, true
	}
	rest, fold := strings.CutPrefix(pattern, "(?i)")
	w := &portableWriter{rest: rest, fold: fold}
	w.write()
	out := w.out.String()
	return out, PortablePattern(out)
}

type portableWriter struct {
	rest    string
	out     strings.Builder
	fold    bool // letters match in either case
	inClass bool
}

// sames are pieces of a pattern and what JavaScript writes for them: outside of a
// class, and in one.
var sames = []struct{ from, out, class string }{
	{`\A`, "^", ""},
	{`\z`, "$", ""},
	{`\Z`, "$", ""},
	{`\h`, `[ \t]`, ` \t`},
	{`(?P<`, "(", ""},
	{`++`, "+", ""},
	{`*+`, "*", ""},
	{`?+`, "?", ""},
	{`[:alpha:]`, "", "a-zA-Z"},
	{`[:digit:]`, "", "0-9"},
	{`[:alnum:]`, "", "a-zA-Z0-9"},
	{`[:upper:]`, "", "A-Z"},
	{`[:lower:]`, "", "a-z"},
	{`[:space:]`, "", `\s`},
	{`[:xdigit:]`, "", "0-9a-fA-F"},
}

func (w *portableWriter) write() {
	for w.rest != "" {
		if w.same() {
			continue
		}
		c := w.rest[0]
		switch {
		case c == '\\' && len(w.rest) > 1:
			w.escape()
			continue
		case c == '[' && !w.inClass:
			w.inClass = true
		case c == ']' && w.inClass:
			w.inClass = false
		case w.fold && c < unicode.MaxASCII && unicode.IsLetter(rune(c)):
			w.letter(c)
			continue
		}
		w.out.WriteByte(c)
		w.rest = w.rest[1:]
	}
}

// same writes the next piece in JavaScript's way if it is one of those that differ.
func (w *portableWriter) same() bool {
	for _, s := range sames {
		text := s.out
		if w.inClass {
			text = s.class
		}
		if rest, ok := strings.CutPrefix(w.rest, s.from); ok && text != "" {
			if s.from == "(?P<" {
				_, rest, ok = strings.Cut(rest, ">")
			}
			if ok {
				w.out.WriteString(text)
				w.rest = rest
				return true
			}
		}
	}
	return false
}

// escape copies an escaped character, without the backslash where it needs none.
func (w *portableWriter) escape() {
	c := w.rest[1]
	if (c == 'p' || c == 'P') && len(w.rest) > 2 && w.rest[2] != '{' {
		w.out.WriteString(w.rest[:2] + "{" + w.rest[2:3] + "}")
		w.rest = w.rest[3:]
		return
	}
	if strings.IndexByte(" !\"#%&',:;<=>@_`~", c) < 0 && (c != '-' || w.inClass) {
		w.out.WriteByte('\\')
	}
	w.out.WriteByte(c)
	w.rest = w.rest[2:]
}

// letter writes a letter in both cases. A range of letters in a class has two more ends.
func (w *portableWriter) letter(c byte) {
	lower, upper := byte(unicode.ToLower(rune(c))), byte(unicode.ToUpper(rune(c)))
	switch {
	case !w.inClass:
		w.out.WriteString("[" + string(lower) + string(upper) + "]")
		w.rest = w.rest[1:]
	case len(w.rest) > 2 && w.rest[1] == '-' && unicode.IsLetter(rune(w.rest[2])):
		end := rune(w.rest[2])
		w.out.WriteString(string(lower) + "-" + string(unicode.ToLower(end)) + string(upper) + "-" + string(unicode.ToUpper(end)))
		w.rest = w.rest[3:]
	default:
		w.out.WriteString(string(lower) + string(upper))
		w.rest = w.rest[1:]
	}
}
