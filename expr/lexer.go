package expr

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A lexeme is the class of a token. The operators' classes index powers.
type lexeme uint8

const (
	lexEnd lexeme = iota
	lexName
	lexVariable
	lexString
	lexNumber
	lexTrue
	lexFalse
	lexNull
	lexRegex
	lexDot
	lexRange
	lexOpenSquare
	lexCloseSquare
	lexOpenCurly
	lexCloseCurly
	lexOpenParen
	lexCloseParen
	lexComma
	lexSemicolon
	lexColon
	lexAssign
	lexQuestion
	lexElvis
	lexCoalesce
	lexPlus
	lexMinus
	lexStar
	lexStarStar
	lexSlash
	lexPercent
	lexPipe
	lexPipePipe // not JSONata's
	lexEqual
	lexNotEqual
	lexLess
	lexLessEqual
	lexGreater
	lexGreaterEqual
	lexApply
	lexArrow // not JSONata's
	lexConcat
	lexCaret
	lexAt
	lexHash
	lexAnd
	lexOr
	lexIn
	lexBang   // not JSONata's
	lexTilde  // not JSONata's
	lexSpread // not JSONata's
)

// powers are the left binding powers; what is not listed ends an expression.
// The three rows that are not JSONata's are what [parser] recovers as.
var powers = [...]uint8{
	lexOpenSquare: 80, lexOpenParen: 80, lexAt: 80, lexHash: 80,
	lexDot:       75,
	lexOpenCurly: 70,
	lexStar:      60, lexSlash: 60, lexPercent: 60,
	lexPlus: 50, lexMinus: 50, lexConcat: 50,
	lexEqual: 40, lexNotEqual: 40, lexLess: 40, lexLessEqual: 40, lexGreater: 40, lexGreaterEqual: 40,
	lexCaret: 40, lexApply: 40, lexElvis: 40, lexCoalesce: 40, lexIn: 40,
	lexAnd: 30, lexOr: 25,
	lexQuestion: 20, lexAssign: 10,
	lexStarStar: 65, lexPipePipe: 25, lexArrow: 5, lexSpread: 0,
}

// A token is one lexeme at bytes [start, end). text is a name without its
// backticks, a variable without its "$", a string's value, a regex's pattern.
type token struct {
	kind       lexeme
	start, end int
	text       string
	number     float64
}

// A lexer cuts an expression into tokens. It never fails twice: after its first
// error it yields lexEnd.
type lexer struct {
	src   string
	pos   int
	err   *Error
	slips []*Error // operators of other languages, read as JSONata's
}

// stops marks the bytes that end a name: white space and operators.
var stops = func() (t [256]bool) {
	for _, c := range []byte(" \t\n\r\v.[]{}(),@#;:?+-*/%|=<>^&!~") {
		t[c] = true
	}
	return t
}()

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' }

// skip moves past white space and comments.
func (l *lexer) skip() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case isSpace(c):
			l.pos++
		case c == '/' && strings.HasPrefix(l.src[l.pos:], "/*"):
			n := strings.Index(l.src[l.pos+2:], "*/")
			if n < 0 {
				l.fail(&Error{Code: codeSyntax, Message: `the comment is never closed`, Hint: `end it with "*/"`, Start: l.pos, End: l.pos + 2})
				return
			}
			l.pos += n + 4
		default:
			return
		}
	}
}

func (l *lexer) fail(e *Error) token {
	if l.err == nil {
		l.err = e
	}
	l.pos = len(l.src)
	return token{kind: lexEnd, start: len(l.src), end: len(l.src)}
}

// next returns the token at the current position. infix says that an operator
// is expected, so that "/" divides instead of opening a regular expression.
func (l *lexer) next(infix bool) token {
	l.skip()
	if l.pos >= len(l.src) {
		return token{kind: lexEnd, start: len(l.src), end: len(l.src)}
	}
	start := l.pos
	switch c := l.src[start]; {
	case c == '"' || c == '\'':
		return l.quoted(c)
	case c == '`':
		n := strings.IndexByte(l.src[start+1:], '`')
		if n < 0 {
			return l.fail(&Error{Code: codeSyntax, Message: "the name that starts with a backtick is never closed", Hint: "end it with a backtick", Start: start, End: start + 1})
		}
		l.pos += n + 2
		return token{kind: lexName, start: start, end: l.pos, text: l.src[start+1 : l.pos-1]}
	case c >= '0' && c <= '9':
		return l.number()
	case c == '/' && !infix:
		return l.regex()
	case stops[c]:
		kind, width := l.operator()
		l.pos += width
		return token{kind: kind, start: start, end: l.pos}
	}
	return l.word()
}

// word reads a name, a variable or a keyword.
func (l *lexer) word() token {
	start := l.pos
	for l.pos < len(l.src) && !stops[l.src[l.pos]] {
		l.pos++
	}
	text := l.src[start:l.pos]
	if text[0] == '$' {
		return token{kind: lexVariable, start: start, end: l.pos, text: text[1:]}
	}
	kind := lexName
	switch text {
	case "and":
		kind = lexAnd
	case "or":
		kind = lexOr
	case "in":
		kind = lexIn
	case "true":
		kind = lexTrue
	case "false":
		kind = lexFalse
	case "null":
		kind = lexNull
	}
	return token{kind: kind, start: start, end: l.pos, text: text}
}

var single = [256]lexeme{
	'.': lexDot, '[': lexOpenSquare, ']': lexCloseSquare, '{': lexOpenCurly, '}': lexCloseCurly,
	'(': lexOpenParen, ')': lexCloseParen, ',': lexComma, '@': lexAt, '#': lexHash, ';': lexSemicolon,
	':': lexColon, '?': lexQuestion, '+': lexPlus, '-': lexMinus, '*': lexStar, '/': lexSlash,
	'%': lexPercent, '|': lexPipe, '=': lexEqual, '<': lexLess, '>': lexGreater, '^': lexCaret,
	'&': lexConcat, '!': lexBang, '~': lexTilde,
}

// operator returns the operator at the current position and its width. The
// operators of other languages that can never be JSONata are read as what they
// mean, and noted as slips.
func (l *lexer) operator() (lexeme, int) {
	rest := l.src[l.pos:]
	second := byte(0)
	if len(rest) > 1 {
		second = rest[1]
	}
	switch [2]byte{rest[0], second} {
	case [2]byte{'.', '.'}:
		if strings.HasPrefix(rest, "...") {
			return lexSpread, 3
		}
		return lexRange, 2
	case [2]byte{':', '='}:
		return lexAssign, 2
	case [2]byte{'!', '='}:
		if strings.HasPrefix(rest, "!==") {
			return l.foreign(slipNotEqual, 3, lexNotEqual, "!=")
		}
		return lexNotEqual, 2
	case [2]byte{'>', '='}:
		return lexGreaterEqual, 2
	case [2]byte{'<', '='}:
		return lexLessEqual, 2
	case [2]byte{'*', '*'}:
		return lexStarStar, 2
	case [2]byte{'~', '>'}:
		return lexApply, 2
	case [2]byte{'?', ':'}:
		return lexElvis, 2
	case [2]byte{'?', '?'}:
		return lexCoalesce, 2
	case [2]byte{'=', '='}:
		if strings.HasPrefix(rest, "===") {
			return l.foreign(slipEqual, 3, lexEqual, "=")
		}
		return l.foreign(slipEqual, 2, lexEqual, "=")
	case [2]byte{'=', '>'}:
		return lexArrow, 2
	case [2]byte{'&', '&'}:
		return l.foreign(slipAnd, 2, lexAnd, l.spaced("and", 2))
	case [2]byte{'|', '|'}:
		return lexPipePipe, 2
	case [2]byte{'?', '.'}:
		if strings.HasPrefix(rest, "?.[") {
			return l.foreign(slipOptional, 3, lexOpenSquare, "[")
		}
		if len(rest) < 3 || rest[2] < '0' || rest[2] > '9' {
			return l.foreign(slipOptional, 2, lexDot, ".")
		}
	}
	return single[rest[0]], 1
}

// spaced returns word with blanks where the bytes around an operator of width
// would run into it.
func (l *lexer) spaced(word string, width int) string {
	if l.pos > 0 && !stops[l.src[l.pos-1]] {
		word = " " + word
	}
	if end := l.pos + width; end < len(l.src) && !stops[l.src[end]] {
		word += " "
	}
	return word
}

// foreign notes an operator of another language of width bytes and returns kind,
// as which it is read.
func (l *lexer) foreign(s slip, width int, kind lexeme, repair string) (lexeme, int) {
	e := s.at(l.pos, l.pos+width)
	e.Edits = []Edit{{Start: l.pos, End: l.pos + width, New: repair}}
	l.slips = append(l.slips, e)
	return kind, width
}

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
	f, err := strconv.ParseFloat(src[start:end], 64)
	if err != nil && math.IsInf(f, 0) {
		return l.fail(&Error{Code: codeSyntax, Message: "the number " + excerpt(src[start:end]) + " is too large", Hint: "the largest is about 1.8e308", Start: start, End: end})
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
	return l.fail(&Error{
		Code: codeSyntax, Message: "the string that starts with " + string(quote) + " is never closed",
		Hint: "end it with " + string(quote) + `; a quote inside it is written \` + string(quote), Start: start, End: start + 1,
	})
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
				return l.fail(&Error{Code: codeSyntax, Message: `"\u" takes exactly four hexadecimal digits`, Hint: `write \u20ac for €, or the character itself`, Start: i, End: min(i+6, len(src))})
			}
			i += 6
			if utf16.IsSurrogate(r) && strings.HasPrefix(src[i:], `\u`) {
				if low, ok := hex4(src[i+2:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
					r, i = utf16.DecodeRune(r, low), i+6
				}
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
		Code: codeSyntax, Message: quote(e) + " is not an escape",
		Hint:  `write \\ for a backslash; the escapes are \" \\ \/ \b \f \n \r \t \uXXXX`,
		Start: i, End: i + 1 + width, Edits: []Edit{{Start: i, End: i + 1, New: `\\`}},
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
			depth++
		case ')', ']', '}':
			depth--
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
	return l.fail(&Error{Code: codeSyntax, Message: `the regular expression that starts with "/" is never closed`, Hint: `end it with "/"; a "/" inside it is written \/`, Start: start, End: start + 1})
}

// comment is the failure of a "//" at start.
func (l *lexer) comment(start int, message string) token {
	e := &Error{Code: codeSyntax, Message: message, Hint: "comments are written /* like this */", Start: start, End: start + 2}
	if line, _, _ := strings.Cut(l.src[start:], "\n"); !strings.Contains(line, "*/") {
		end := start + len(line)
		e.Edits = []Edit{{Start: start, End: start + 2, New: "/*"}, {Start: end, End: end, New: " */"}}
	}
	return l.fail(e)
}
