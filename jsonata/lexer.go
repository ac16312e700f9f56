package jsonata

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A lexeme is the class of a token. The operators' classes index powers.
type lexeme uint8

// The lexemes of the language, and those of other languages that the parser explains.
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
	src      string
	pos      int
	err      *Error
	readOver []*Error // operators of other languages, read as JSONata's
}

// TokenEnd returns the offset after the token that starts at the offset start of an
// expression, where a value may occur.
func TokenEnd(source string, start int) int {
	l := lexer{src: source, pos: start}
	return l.next(false).end
}

// stops marks the bytes that end a name: white space and operators.
var stops = func() (t [256]bool) {
	for _, c := range []byte(" \t\n\r\v.[]{}(),@#;:?+-*/%|=<>^&!~") {
		t[c] = true
	}
	return t
}()

func isSpace(c byte) bool {
	return c <= ' ' && (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v')
}

// skip moves past white space and comments.
func (l *lexer) skip() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case isSpace(c):
			l.pos++
		case c == '/' && strings.HasPrefix(l.src[l.pos:], "/*"):
			n := strings.Index(l.src[l.pos+2:], "*/")
			if n < 0 {
				l.fail(syntax(l.pos, l.pos+2, "S0106", `the comment is never closed`, `end it with "*/"`))
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

// Next returns the token at the current position. infix says that an operator
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
			return l.fail(syntax(start, start+1, "S0105", "the name that starts with a backtick is never closed", "end it with a backtick"))
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

// doubles are the operators of two bytes.
var doubles = map[string]lexeme{
	":=": lexAssign, ">=": lexGreaterEqual, "<=": lexLessEqual, "**": lexStarStar, "~>": lexApply, "?:": lexElvis, "??": lexCoalesce, "=>": lexArrow, "||": lexPipePipe, "..": lexRange, "!=": lexNotEqual,
}

// seconds marks the bytes that operators of several bytes have in the second place.
var seconds = [256]bool{'.': true, '=': true, '*': true, '>': true, ':': true, '?': true, '&': true, '|': true}

// operator returns the operator at the current position and its width. The
// operators of other languages that can never be JSONata are read as what they
// mean, and reported.
func (l *lexer) operator() (lexeme, int) {
	rest := l.src[l.pos:]
	second := byte(0)
	if len(rest) > 1 {
		second = rest[1]
	}
	if !seconds[second] {
		return single[rest[0]], 1
	}
	switch rest[:2] {
	case "..":
		if strings.HasPrefix(rest, "...") {
			return lexSpread, 3
		}
	case "!=":
		if strings.HasPrefix(rest, "!==") {
			return l.foreign(foreignNotEqual, 3, lexNotEqual, "!=")
		}
	case "==":
		if strings.HasPrefix(rest, "===") {
			return l.foreign(foreignStrictEqual, 3, lexEqual, "=")
		}
		return l.foreign(foreignEqual, 2, lexEqual, "=")
	case "&&":
		return l.foreign(foreignAnd, 2, lexAnd, l.spaced("and", 2))
	case "?.":
		if strings.HasPrefix(rest, "?.[") {
			return l.foreign(foreignOptional, 3, lexOpenSquare, "[")
		}
		if len(rest) < 3 || rest[2] < '0' || rest[2] > '9' {
			return l.foreign(foreignOptional, 2, lexDot, ".")
		}
	}
	if kind, ok := doubles[rest[:2]]; ok {
		return kind, 2
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
func (l *lexer) foreign(s foreign, width int, kind lexeme, repair string) (lexeme, int) {
	e := s.at(l.pos, l.pos+width)
	e.Edits = diag.Replace(l.pos, l.pos+width, repair)
	l.readOver = append(l.readOver, e)
	return kind, width
}
