package jsonata

import (
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// MaxOpenBrackets is how many brackets may be open at once. It is checked before
// anything is parsed.
const MaxOpenBrackets = 250

// CheckSource refuses what would take too long to parse: text longer than limit
// bytes, and brackets nested too deeply. Strings, names in backticks, comments
// and regular expressions are looked into, too, which errs on the safe side
// only for absurd ones.
func CheckSource(src string, limit int) *Error {
	if len(src) > limit {
		return &Error{
			Code:    "too-long",
			Message: fmt.Sprintf("the expression is %d bytes long; the limit is %s", len(src), diag.Bytes(int64(limit))),
			Hint:    "put data into the graph's arguments and logic into several nodes",
			End:     len(src),
		}
	}
	if len(src) <= MaxOpenBrackets {
		return nil
	}
	depth := 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '"', '\'', '`':
			i = skipQuoted(src, i)
		case '(', '[', '{':
			if depth++; depth > MaxOpenBrackets {
				return &Error{
					Code:    codeTooDeep,
					Message: fmt.Sprintf("more than %d brackets are open at once", MaxOpenBrackets),
					Hint:    "name parts of the expression with := in a block, or split it over several nodes",
					Start:   i,
					End:     i + 1,
				}
			}
		case ')', ']', '}':
			depth--
		case '/':
			if strings.HasPrefix(src[i:], "/*") {
				end := strings.Index(src[i+2:], "*/")
				if end < 0 {
					return nil // the parser says so better
				}
				i += end + 3
			}
		}
	}
	return nil
}

// skipQuoted returns the offset of the quote that closes the one at i, or the
// end of the text.
func skipQuoted(src string, i int) int {
	quote := src[i]
	for i++; i < len(src) && src[i] != quote; i++ {
		if src[i] == '\\' && quote != '`' {
			i++
		}
	}
	return i
}
