package graph

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/diag"
)

// fault reports what stopped the decoder: what it found, what it expected there
// and, if there is only one, the repair.
func (r *jsonReader) fault(err error) {
	src, at := r.doc.Src, len(r.doc.Src)
	path, why := "", ""
	if se, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = min(int(se.ByteOffset)+r.base, len(src))
		if path = string(se.JSONPointer); len(path) > 200 {
			path = ""
		}
		if se.Err != nil {
			why = se.Err.Error()
		}
	}
	report := func(from, to int, want, got, hint string) *diag.Diagnostic {
		x := r.list.Report(ruleSyntax, path, r.doc.lines.span(from, to), "expected %s, found %s", want, got)
		x.Hint, x.Got, x.Want = hint, got, want
		return x
	}
	got, width := found(src, at)
	rest := strings.TrimLeft(src[at:], " \t\r\n")
	before := strings.TrimRight(src[:at], " \t\r\n")
	kind, count := r.dec.StackIndex(r.dec.StackDepth())
	switch {
	case strings.Contains(why, "in string"):
		x := r.list.Report(ruleSyntax, path, r.doc.lines.span(at, at+width), "a JSON string cannot contain %s", stringFault(src, at, got))
		x.Hint = `write a line break as \n, a tab as \t and a backslash as \\, and end the string with a double quote`
	case at == len(src) && r.openString() >= 0:
		from := r.openString()
		x := r.list.Report(ruleSyntax, path, r.doc.lines.span(from, from+1), "the string that starts here is never closed")
		x.Hint = `end it with a double quote; a double quote inside it is written \"`
	case at == len(src):
		x := report(at, at, expected(kind, count), got, "the document ends too early: close the open brackets")
		if fix := r.doc.closed(); r.doc.parsesWith(fix) {
			x.Fixes = []diag.Fix{fix}
		}
	case src[at] == ',' && strings.IndexByte("}]", next(rest[1:])) >= 0:
		x := r.list.Report(ruleSyntax, path, r.doc.lines.span(at, at+1), "there is a comma before the closing bracket")
		x.Hint = "remove it: JSON has no comma after the last value"
		x.Fixes = []diag.Fix{{Title: "remove the comma", Edits: []diag.TextEdit{{Start: at, End: at + 1}}}}
	case src[at] == ',':
		report(at, at+1, expected(kind, count), got, "remove the comma, or write the value that belongs there")
	case strings.Contains(why, "expecting ':'"):
		report(at, at+width, `":" after the key`, got, "")
	case strings.Contains(why, "expecting ','"):
		hint := `separate values with a comma; a double quote inside a string is written \"`
		if strings.IndexByte("}]", src[at]) >= 0 {
			hint = "close the brackets in the order they were opened"
		}
		x := report(at, at+width, expected(kind, count), got, hint)
		comma := diag.Fix{Title: "insert a comma", Edits: []diag.TextEdit{{Start: len(before), End: len(before), New: ","}}}
		if strings.IndexByte("}]", src[at]) < 0 && r.doc.parsesWith(comma) {
			x.Fixes = []diag.Fix{comma}
		}
	case kind == '{' && count%2 == 0:
		hint := "keys of a JSON object are written in double quotes"
		if strings.HasSuffix(before, ",") && src[at] == '}' {
			hint = "remove the comma before it"
		}
		report(at, at+width, "a key in double quotes", got, hint)
	default:
		hint := "a value is a string in double quotes, a number, true, false, null, a list or an object"
		if src[at] == '\'' {
			hint = "JSON strings are written in double quotes"
		}
		report(at, at+width, "a value", got, hint)
	}
}

// next returns the first byte of s that is not white space, or 0.
func next(s string) byte {
	if s = strings.TrimLeft(s, " \t\r\n"); s == "" {
		return 0
	}
	return s[0]
}

// expected says what may follow count tokens in a list or object.
func expected(kind jsontext.Kind, count int64) string {
	switch {
	case kind == '{' && count%2 == 1:
		return "a value"
	case kind == '{' && count > 0:
		return `"," or "}"`
	case kind == '{':
		return `a key in double quotes or "}"`
	case kind == '[' && count > 0:
		return `"," or "]"`
	default:
		return "a value"
	}
}

// openString returns the offset of the string the decoder was reading when the
// text ended, -1 if it was not in one.
func (r *jsonReader) openString() int {
	from := int(r.dec.InputOffset()) + r.base
	rest := strings.TrimLeft(r.doc.Src[from:], " \t\r\n:,")
	if !strings.HasPrefix(rest, `"`) {
		return -1
	}
	return len(r.doc.Src) - len(rest)
}

func stringFault(src string, at int, got string) string {
	if at+1 < len(src) && src[at] == '\\' {
		_, n := utf8.DecodeRuneInString(src[at+1:])
		return "the escape " + src[at:at+1+n]
	}
	return got
}

// found names the token at a byte of src, and returns its length in bytes.
func found(src string, at int) (name string, width int) {
	if at >= len(src) {
		return "the end of the text", 0
	}
	r, n := utf8.DecodeRuneInString(src[at:])
	switch {
	case r == '\n' || r == '\r':
		return "a line break", n
	case r == '\t':
		return "a tab", n
	case r == '"':
		return "a double quote", n
	case r < ' ' || r == 0x7f:
		return "the control character " + strconv.QuoteRuneToASCII(r), n
	default:
		return strconv.Quote(string(r)), n
	}
}
