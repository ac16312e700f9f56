package jsonata

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// signature parses "<…>" of a lambda and returns it without blanks.
func (p *parser) signature() string {
	open := p.tok
	var b strings.Builder
	b.WriteByte('<')
	for depth := 1; depth > 0; {
		p.advance(false)
		switch p.tok.kind {
		case lexGreater:
			depth--
		case lexLess:
			depth++
		case lexBang, lexTilde, lexSpread, lexArrow:
			p.fail(p.noValue(p.tok))
			continue
		case lexOpenCurly, lexEnd:
			depth = 0
			continue
		}
		b.WriteString(p.src[p.tok.start:p.tok.end])
	}
	p.expect(lexGreater, open, false)
	text := b.String()
	if bad := badSignature(text); bad != "" {
		reference := "S0401"
		if bad == choiceOfParameters {
			reference = "S0402"
		}
		p.fail(syntax(open.start, p.prev.end, reference, "the signature "+diag.Quote(text)+" is invalid: "+bad, "a signature is <types:result> with the types s n b l o a f j x, as in <s-n?:a<s>>"))
	}
	return text
}

const choiceOfParameters = "a choice of types cannot hold a type parameter"

// badSignature returns what is wrong with a signature: type parameters belong
// to arrays and functions, and not inside a choice.
func badSignature(text string) string {
	last := byte(0)
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case ':':
			return ""
		case '(':
			end := ClosingBracket(text, i, '(', ')')
			if strings.IndexByte(text[i:end], '<') >= 0 {
				return choiceOfParameters
			}
			i, last = end, c
		case '<':
			if last != 'a' && last != 'f' {
				return "only a (array) and f (function) take a type parameter"
			}
			i = ClosingBracket(text, i, '<', '>')
		case 's', 'n', 'b', 'l', 'o', 'a', 'f', 'j', 'x':
			last = c
		}
	}
	return ""
}

// ClosingBracket returns the index of the bracket that closes the one at i, or the
// length of text.
func ClosingBracket(text string, i int, open, close byte) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case open:
			depth++
		case close:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}
