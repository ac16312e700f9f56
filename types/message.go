package types

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Place returns the path of the mismatch, with the name of a missing field.
func (m *Mismatch) Place() []string {
	if m.Kind == MissingField && m.Name != "" {
		return append(slices.Clone(m.Path), m.Name)
	}
	return m.Path
}

// Rest returns the part of Got that is of other kinds than Want.
func (m *Mismatch) Rest() Type { return m.Got.Without(m.Want.Kinds) }

// Message says what is wrong at the place, such as: got string, expected integer.
func (m *Mismatch) Message() string {
	switch {
	case m.Kind == MissingField && m.Certainty == Certain:
		return fmt.Sprintf("missing %q", m.Name)
	case m.Kind == MissingField:
		return "may be missing"
	case m.Kind == ExtraField && m.Certainty == Certain:
		return fmt.Sprintf("unknown %q", m.Name)
	case m.Kind == ExtraField && m.Name != "":
		return fmt.Sprintf("may have %q, which is not allowed", m.Name)
	case m.Kind == ExtraField:
		return "may have fields other than " + diag.OneOf(m.Want.FieldNames(), 6)
	case m.Certainty == Certain:
		return fmt.Sprintf("got %s, expected %s", m.Got, m.Want)
	case m.Kind == WrongText:
		return fmt.Sprintf("may be a string other than %s", m.Want)
	case m.IsFraction():
		return fmt.Sprintf("may be a fraction, expected %s", m.Want)
	}
	return fmt.Sprintf("may be %s, expected %s", m.Rest(), m.Want)
}

// IsFraction reports whether the value is a number that may not be whole where a
// whole one is expected.
func (m *Mismatch) IsFraction() bool {
	return m.Kind == WrongType && m.Rest().Only(Fraction) && m.Want.Has(Integer)
}

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
