package jsonata

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
)

// number reads JSON's number without its sign. What follows it is not looked
// at: "1..3" and "1.e" are other tokens' business.
func (l *lexer) number() token {
	start, src := l.pos, l.src
	digits := func(i int) int {
		for i < len(src) && src[i] >= '0' && src[i] <= '9' {
			i++
		}
		return i
	}
	end := start + 1
	if src[start] != '0' {
		end = digits(end)
	}
	if end < len(src) && src[end] == '.' {
		if e := digits(end + 1); e > end+1 {
			end = e
		}
	}
	if end < len(src) && (src[end] == 'e' || src[end] == 'E') {
		sign := end + 1
		if sign < len(src) && (src[sign] == '+' || src[sign] == '-') {
			sign++
		}
		if e := digits(sign); e > sign {
			end = e
		}
	}
	l.pos = end
	if end-start <= 15 { // a whole number of so many digits is exact
		whole := 0
		for i := start; i < end && src[i] >= '0' && src[i] <= '9'; i++ {
			whole = 10*whole + int(src[i]-'0')
			if i == end-1 {
				return token{kind: lexNumber, start: start, end: end, text: src[start:end], number: float64(whole)}
			}
		}
	}
	f, err := strconv.ParseFloat(src[start:end], 64)
	if err != nil && math.IsInf(f, 0) {
		return l.fail(syntax(start, end, "S0102", "the number "+diag.Excerpt(src[start:end])+" is too large", "the largest is about 1.8e308"))
	}
	return token{kind: lexNumber, start: start, end: end, text: src[start:end], number: f}
}

// escapes are JSON's one-letter escapes.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// quoted reads a string in either kind of quotes.
func (l *lexer) quoted(quote byte) token {
	start, src := l.pos, l.src
	for i := start + 1; i < len(src); i++ {
		switch src[i] {
		case quote:
			l.pos = i + 1
			return token{kind: lexString, start: start, end: l.pos, text: src[start+1 : i]}
		case '\\':
			return l.escaped(quote, i)
		}
	}
	return l.unclosed(quote)
}

func (l *lexer) unclosed(quote byte) token {
	start := l.pos
	return l.fail(syntax(start, start+1, "S0101", "the string that starts with "+string(quote)+" is never closed", "end it with "+string(quote)+`; a quote inside it is written \`+string(quote)))
}

// escaped reads the rest of a string whose first backslash is at i.
func (l *lexer) escaped(quote byte, i int) token {
	start, src := l.pos, l.src
	var b strings.Builder
	b.WriteString(src[start+1 : i])
	for i < len(src) {
		c := src[i]
		if c != '\\' || i+1 >= len(src) {
			if c == quote {
				l.pos = i + 1
				return token{kind: lexString, start: start, end: l.pos, text: b.String()}
			}
			b.WriteByte(c)
			i++
			continue
		}
		switch e := src[i+1]; {
		case escapes[e] != 0:
			b.WriteByte(escapes[e])
			i += 2
		case e == 'u':
			r, ok := hex4(src[i+2:])
			if !ok {
				return l.fail(syntax(i, min(i+6, len(src)), "S0104", `"\u" takes exactly four hexadecimal digits`, `write \u20ac for €, or the character itself`))
			}
			i += 6
			if utf16.IsSurrogate(r) && strings.HasPrefix(src[i:], `\u`) {
				if low, ok := hex4(src[i+2:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
					r, i = utf16.DecodeRune(r, low), i+6
				}
			}
			if utf16.IsSurrogate(r) {
				b.WriteByte(0xFF) // no character: a byte that is not UTF-8
				continue
			}
			b.WriteRune(r)
		default:
			return l.badEscape(i)
		}
	}
	return l.unclosed(quote)
}

func (l *lexer) badEscape(i int) token {
	_, width := utf8.DecodeRuneInString(l.src[i+1:])
	e := l.src[i : i+1+width]
	return l.fail(&Error{
		Code: codeSyntax, Reference: "S0103", Message: diag.Quote(e) + " is not an escape",
		Hint:  `write \\ for a backslash; the escapes are \" \\ \/ \b \f \n \r \t \uXXXX`,
		Start: i, End: i + 1 + width, Edits: diag.Replace(i, i+1, `\\`),
	})
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:4], 16, 16)
	return rune(n), err == nil
}

// regex reads "/pattern/flags". A "/" inside brackets or after a backslash does
// not close it.
func (l *lexer) regex() token {
	start, src, depth := l.pos, l.src, 0
	for i := start + 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '(', '[', '{':
			if src[i-1] != '\\' {
				depth++
			}
		case ')', ']', '}':
			if src[i-1] != '\\' {
				depth--
			}
		case '/':
			if depth != 0 {
				continue
			}
			if i == start+1 {
				return l.comment(start, "a regular expression cannot be empty")
			}
			end := i + 1
			for end < len(src) && (src[end] == 'i' || src[end] == 'm') {
				end++
			}
			l.pos = end
			return token{kind: lexRegex, start: start, end: end, text: src[start+1 : i]}
		}
	}
	if start > 0 && src[start-1] == '/' {
		return l.comment(start-1, `"//" does not start a comment`)
	}
	hint := `end it with "/"; a "/" inside it is written \/`
	if before := strings.TrimRight(src[:start], " \t\r\n\v"); before != "" && strings.IndexByte(")]}|", before[len(before)-1]) >= 0 {
		hint = `to divide, put what is before the "/" in parentheses; to match, end it with "/"`
	}
	return l.fail(syntax(start, start+1, "S0302", `the regular expression that starts with "/" is never closed`, hint))
}

// comment is the failure of a "//" at start.
func (l *lexer) comment(start int, message string) token {
	e := syntax(start, start+2, "S0301", message, "comments are written /* like this */")
	if line, _, _ := strings.Cut(l.src[start:], "\n"); !strings.Contains(line, "*/") {
		end := start + len(line)
		e.Edits = append(diag.Replace(start, start+2, "/*"), diag.Insert(end, " */")...)
	}
	return l.fail(e)
}
