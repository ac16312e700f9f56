package jsonata

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/types"
)

// shown is how a message names a token.
func (p *parser) shown(t token) string {
	if t.kind == lexEnd {
		return "the expression ends here"
	}
	return "got " + p.cite(t)
}

// cite quotes a token, which may have quotes of its own.
func (p *parser) cite(t token) string {
	if t.kind == lexString {
		return diag.Excerpt(p.src[t.start:t.end])
	}
	return diag.Quote(p.src[t.start:t.end])
}

// after describes the token before an error: ` after "+"`, or "".
func (p *parser) after(t token) string {
	if t.end == 0 || t.kind == lexEnd {
		return ""
	}
	return " after " + p.cite(t)
}

func syntax(t token, reference, message, hint string) *Error {
	return &Error{Code: codeSyntax, Reference: reference, Message: message, Hint: hint, Start: t.start, End: t.end}
}

// unless is the reference's code for a token in a wrong place: end where the expression
// ends there.
func (t token) unless(code, end string) string {
	switch t.kind {
	case lexEnd:
		return end
	case lexBang, lexTilde:
		return "S0204"
	}
	return code
}

// noValue is the error for a t that begins no value.
func (p *parser) noValue(t token) *Error {
	e := syntax(t, t.unless("S0211", "S0207"), "expected a value"+p.after(p.older)+", "+p.shown(t), "")
	if t.kind == lexEnd {
		e.Message = "expected a value" + p.after(p.older) + ", but the expression ends here"
	}
	switch t.kind {
	case lexDot:
		if p.older.kind != lexDot && p.tok.kind == lexName {
			e.Hint = `a path starts with a name or with "$": remove the leading "."`
			e.Edits = []diag.TextEdit{{Start: t.start, End: t.end}}
		}
	case lexSpread:
		e.Hint = foreignSpread.hint
	case lexHash:
		e.Hint = "comments are written /* like this */"
	case lexEqual:
		if p.older.kind == lexAssign {
			e.Hint = `bind with ":=", compare with "="`
		}
	case lexColon:
		e.Hint = `":" belongs in {"key": value} and in condition ? value : other`
	}
	return e
}

// unclosed is the error for a token that should be the closing kind of open.
func (p *parser) unclosed(kind lexeme, open token) *Error {
	want := closers[kind]
	e := syntax(p.tok, p.tok.unless("S0202", "S0203"), "expected "+diag.Quote(want)+" to close the "+diag.Quote(p.src[open.start:open.end])+" at "+lineColumn(p.src, open.start)+", "+p.shown(p.tok), "")
	switch {
	case p.tok.kind == lexEnd:
		e.Message = "expected " + diag.Quote(want) + " to close the " + diag.Quote(p.src[open.start:open.end]) + " at " + lineColumn(p.src, open.start) + ", but the expression ends here"
		e.Edits = []diag.TextEdit{{Start: len(p.src), End: len(p.src), New: want}}
	case p.tok.kind == lexCloseParen || p.tok.kind == lexCloseSquare || p.tok.kind == lexCloseCurly:
		e.Hint = "close it first"
		e.Edits = []diag.TextEdit{{Start: p.prev.end, End: p.prev.end, New: want}}
	case p.doubled(e):
	case startsValue(p.tok):
		p.gap(e)
		if conditional := p.tok.kind == lexName && (p.tok.text == "if" || p.tok.text == "then" || p.tok.text == "else"); !conditional && (kind == lexCloseSquare || kind == lexCloseCurly) {
			e.Hint = `put "," between two items` + also(e.Hint)
			if e.Edits == nil {
				e.Edits = []diag.TextEdit{{Start: p.prev.end, End: p.prev.end, New: ","}}
			}
		}
	case p.tok.kind == lexBang || p.tok.kind == lexTilde:
		e.Hint = diag.Quote(p.src[p.tok.start:p.tok.end]) + " is not an operator of JSONata"
	case p.tok.kind == lexAssign:
		e.Hint = "bind a variable in its own parentheses: ( $x := …; … )"
	}
	return e
}

func also(hint string) string {
	if hint == "" {
		return ""
	}
	return "; or " + hint
}

var closers = [...]string{lexCloseParen: ")", lexCloseSquare: "]", lexCloseCurly: "}", lexPipe: "|", lexGreater: ">"}

// leftover is the error for a token after a complete expression.
func (p *parser) leftover() *Error {
	e := syntax(p.tok, p.tok.unless("S0201", "S0201"), "unexpected "+diag.Quote(p.src[p.tok.start:p.tok.end])+" after the end of the expression", "")
	switch p.tok.kind {
	case lexCloseParen, lexCloseSquare, lexCloseCurly:
		e.Message = diag.Quote(p.src[p.tok.start:p.tok.end]) + " has no opening bracket"
		e.Hint = "remove it, or open it before"
		e.Edits = []diag.TextEdit{{Start: p.tok.start, End: p.tok.end}}
	case lexComma:
		e.Hint = "several values are written in brackets: [a, b]"
	case lexColon:
		e.Hint = `":" belongs in {"key": value} and in condition ? value : other`
	case lexRange:
		e.Hint = "a range is written in brackets: [1..10]"
	case lexBang, lexTilde:
		e.Hint = diag.Quote(p.src[p.tok.start:p.tok.end]) + " is not an operator of JSONata"
	case lexPipe:
		e.Hint = `functions are chained with "~>": items ~> $count()`
	default:
		if !p.doubled(e) && startsValue(p.tok) {
			e.Message = "expected an operator between " + p.cite(p.prev) + " and " + p.cite(p.tok)
			p.gap(e)
		}
	}
	return e
}

// gap gives e the hint for two values with no operator between them.
func (p *parser) gap(e *Error) {
	left, right := p.prev, p.tok
	switch {
	case curly(left.text) || curly(right.text):
		e.Hint = `use straight quotes: "…" or '…'`
	case right.text == "then" || right.text == "else" || right.text == "if" && right.kind == lexName:
		e.Hint = foreignIf.hint
	case right.kind == lexName && (right.text == "is" || right.text == "eq" || right.text == "equals"):
		e.Hint = foreignEqual.hint
		e.Edits = []diag.TextEdit{{Start: right.start, End: right.end, New: "="}}
	case right.kind == lexName && right.text == "not" && p.prev.kind != lexString:
		e.Hint = `negate the whole: $not(a in b), or write "!="`
	case left.kind == lexName && (left.text == "function" || left.text == "def" || left.text == "fn"):
		e.Hint = "write $name := function($a){ … } inside parentheses"
	case left.kind == lexName && right.kind == lexName:
		e.Hint = "a name with blanks needs backticks: `" + diag.Excerpt(p.src[left.start:right.end]) + "`"
	case left.kind == lexString && right.kind == lexString, left.kind == lexString || right.kind == lexString:
		e.Hint = `join strings with "&"; a quote inside a string is written \" or \'`
	default:
		e.Hint = `put an operator between the two, such as "&" or "="`
	}
}

func curly(s string) bool { return strings.ContainsAny(s, "“”„‘’") }

// doubled recognizes quotes doubled as inside YAML's single quotes, which YAML
// does not undo elsewhere, and completes e.
func (p *parser) doubled(e *Error) bool {
	q := p.prev
	if q.kind != lexString || q.end-q.start != 2 || p.src[q.start] != '\'' || p.tok.start != q.end {
		return false
	}
	e.Start, e.End = q.start, q.end
	e.Message = "the quote is doubled: '' is the empty string"
	e.Hint = `write "…", or each ' once; '' means ' only between YAML's own single quotes`
	line, _, _ := strings.Cut(p.src[q.end:], "\n")
	if n := strings.Index(line, "''"); n >= 0 && !strings.Contains(line[:n], `"`) {
		end := q.end + n
		e.End = end + 2
		e.Edits = []diag.TextEdit{{Start: q.start, End: q.end, New: `"`}, {Start: end, End: end + 2, New: `"`}}
	}
	return true
}

// commas is the error for "(a, b)".
func (p *parser) commas(open token) *Error {
	end := token{start: open.start, end: p.prev.end}
	e := syntax(end, "S0202", `"," does not separate expressions inside parentheses`, `an array is written [a, b]; a sequence of expressions ( a; b )`)
	if p.err == nil && p.prev.kind == lexCloseParen {
		e.Edits = []diag.TextEdit{{Start: open.start, End: open.end, New: "["}, {Start: p.prev.start, End: p.prev.end, New: "]"}}
	}
	return e
}

// noColon is the error for an object's key without a value.
func (p *parser) noColon(open token, key *Node) *Error {
	e := syntax(p.tok, p.tok.unless("S0202", "S0203"), `expected ":" and a value after the key, `+p.shown(p.tok), `an object is written {"key": value}`)
	if p.tok.kind == lexEnd {
		e.Message = `expected ":" and a value after the key, but the expression ends here`
	}
	before, ends := byte(0), p.tok.kind == lexCloseCurly
	if open.start > 0 {
		before = p.src[open.start-1]
	}
	switch {
	case before == '{':
		e.Start, e.End = open.start-1, p.tok.end
		e.Message, e.Hint = `"{{ }}" is not JSONata`, "the whole text is an expression: write it without braces"
		if ends && strings.HasPrefix(p.src[p.tok.end:], "}") {
			e.End++
			e.Edits = []diag.TextEdit{{Start: e.Start, End: key.Start}, {Start: key.End, End: e.End}}
		}
	case before == '$':
		e.Start, e.End = open.start-1, p.tok.end
		e.Message, e.Hint = `"${ }" is not JSONata`, `the whole text is an expression: write it without "${" and "}"; join strings with "&"`
		if ends {
			e.Edits = []diag.TextEdit{{Start: e.Start, End: key.Start}, {Start: key.End, End: e.End}}
		}
	case key.Kind == KindBinary && key.Text == "=" && key.Args[0].Kind == KindString:
		l, r := key.Args[0], key.Args[1]
		e.Hint = `write ":" between key and value`
		e.Edits = []diag.TextEdit{{Start: l.End, End: r.Start, New: ": "}}
	case key.Kind == KindPath && key.Last().Kind == KindName && (ends || p.tok.kind == lexComma):
		name := types.QuoteString(key.Last().Text)
		e.Start, e.End = key.Start, key.End
		e.Hint = "write " + diag.Excerpt(name+": "+p.src[key.Start:key.End])
		e.Edits = []diag.TextEdit{{Start: key.Start, End: key.Start, New: name + ": "}}
	}
	return e
}

// slice is the error for "x[a:b]".
func (p *parser) slice(open token, from *Node) *Error {
	e := syntax(token{start: open.start, end: p.tok.end}, "S0202", `":" does not select a range of items`, "write x[[0..2]] for the first three")
	l := lexer{src: p.src, pos: p.tok.end}
	to, end := l.next(false), l.next(true)
	if from.Kind == KindNumber && from.Number >= 0 && to.kind == lexNumber && end.kind == lexCloseSquare && to.number > from.Number && to.number < 1e6 {
		e.End = end.end
		e.Edits = []diag.TextEdit{{Start: open.start, End: end.end, New: "[[" + p.src[from.Start:from.End] + ".." + strconv.Itoa(int(to.number)-1) + "]]"}}
	}
	return e
}

// unopened is the error for a function without a body.
func (p *parser) unopened() *Error {
	e := syntax(p.tok, p.tok.unless("S0202", "S0203"), `expected "{" and the function's body, `+p.shown(p.tok), "write function($a, $b){ … }")
	if p.tok.kind == lexEnd {
		e.Message = `expected "{" and the function's body, but the expression ends here`
	}
	return e
}

// notAssignable is the error for a ":=" whose left side is not a variable.
func (p *parser) notAssignable(t token, left *Node) *Error {
	e := syntax(token{start: left.Start, end: t.end}, "S0212", `only a variable can be before ":="`, "write $name := …")
	if left.Kind == KindPath && len(left.Args) == 1 && left.Args[0].Kind == KindName && types.PlainName(left.Args[0].Text) {
		e.Edits = []diag.TextEdit{{Start: left.Start, End: left.Start, New: "$"}}
	} else if left.Kind == KindVariable || left.Kind == KindPath {
		e.Hint = `values cannot be changed; build a new one: $merge([$x, {"key": value}])`
	}
	return e
}

// literalStep is the error for a path step that is a number, true, false or null.
func (p *parser) literalStep(path, step *Node) *Error {
	text := p.src[step.Start:step.End]
	e := &Error{Code: codeSyntax, Reference: "S0213", Message: diag.Quote(text) + " cannot be a step of a path", Hint: "a field of that name is written in backticks: `" + diag.Excerpt(text) + "`", Start: step.Start, End: step.End}
	if startsValue(p.tok) {
		e.Reference = "S0201"
	}
	if step.Kind != KindNumber {
		e.Edits = []diag.TextEdit{{Start: step.Start, End: step.Start, New: "`"}, {Start: step.End, End: step.End, New: "`"}}
		return e
	}
	if path.Args[0] != step {
		e.Hint = "the item at that position is written [" + diag.Excerpt(text) + "]"
		if dot := strings.LastIndexByte(p.src[:step.Start], '.'); dot > 0 && !strings.Contains(text, ".") {
			e.Edits = []diag.TextEdit{{Start: dot, End: step.End, New: "[" + text + "]"}}
		}
		return e
	}
	e.Hint = ""
	start := step.Start
	for start > 0 { // a-1.x: the name that "-" took apart
		r, width := utf8.DecodeLastRuneInString(p.src[:start])
		if r != '-' && (r < utf8.RuneSelf && stops[byte(r)] || r == '$' || r == '`') {
			break
		}
		start -= width
	}
	if name := p.src[start:step.End]; start < step.Start-1 && p.src[step.Start-1] == '-' && name[0] != '-' {
		e.Start = start
		e.Hint = `a name with "-" needs backticks: ` + "`" + diag.Excerpt(name) + "`"
		e.Edits = []diag.TextEdit{{Start: start, End: step.End, New: "`" + name + "`"}}
	}
	return e
}
