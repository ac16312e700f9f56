package types

import (
	"strings"
	"unicode"
)

// QuoteName returns name as a path step, in backticks when it needs them. A
// name that holds a backtick cannot be written so and is a string.
func QuoteName(name string) string {
	if PlainName(name) {
		return name
	}
	if strings.ContainsRune(name, '`') {
		return QuoteString(name)
	}
	return "`" + name + "`"
}

// PlainName reports whether name is one name token without backticks. It is
// stricter than the grammar: letters, digits and "_" only.
func PlainName(name string) bool {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	switch name {
	case "", "and", "or", "in", "true", "false", "null", "function", "λ":
		return false
	}
	return true
}

// QuoteString returns s as a string literal of JSONata.
func QuoteString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
