package regex

import (
	"regexp/syntax"
	"strings"
)

// maxMatch is the size in bytes at which a text that is made stops to grow.
const maxMatch = 10_000

// Match makes a short text that a pattern matches. ok is false for a pattern that
// Go does not read.
func Match(pattern string) (text string, ok bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	match(re, &b)
	return b.String(), true
}

func match(re *syntax.Regexp, b *strings.Builder) {
	if b.Len() > maxMatch {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(pick(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpPlus, syntax.OpCapture:
		match(re.Sub[0], b)
	case syntax.OpRepeat:
		for range min(re.Min, 1000) {
			match(re.Sub[0], b)
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			match(sub, b)
		}
	case syntax.OpAlternate:
		match(re.Sub[0], b)
	}
}

// pick chooses a readable rune of a class, given as pairs of bounds.
func pick(class []rune) rune {
	for _, nice := range []rune{'a', 'A', '0', '-', '_', '.'} {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= nice && nice <= class[i+1] {
				return nice
			}
		}
	}
	if len(class) == 0 {
		return 'a'
	}
	for i := 0; i+1 < len(class); i += 2 {
		if class[i+1] >= '!' {
			return max(class[i], '!')
		}
	}
	return class[0]
}
