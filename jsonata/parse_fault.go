package jsonata

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/types"
)

// shown is how a message names a token.
func (p *parser) shown(t token) string {
	if t.kind == lexEnd {
		return "but the expression ends here"
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

func syntax(start, end int, reference, message, hint string) *Error {
	return &Error{Code: codeSyntax, Reference: reference, Message: message, Hint: hint, Start: start, End: end}
}

func (t token) fault(reference, message, hint string) *Error {
	return syntax(t.start, t.end, reference, message, hint)
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
	e := t.fault(t.unless("S0211", "S0207"), "expected a value"+p.after(p.older)+", "+p.shown(t), "")
	switch t.kind {
	case lexDot:
		if p.older.kind != lexDot && p.tok.kind == lexName {
			e.Hint = `a path starts with a name or with "$": remove the leading "."`
			e.Edits = diag.Replace(t.start, t.end, "")
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
	line, column := position(p.src, open.start)
	e := p.tok.fault(p.tok.unless("S0202", "S0203"), fmt.Sprintf("expected %s to close the %s at %d:%d, %s", diag.Quote(want), p.cite(open), line, column, p.shown(p.tok)), "")
	switch {
	case p.tok.kind == lexEnd:
		e.Edits = diag.Insert(len(p.src), want)
	case p.tok.kind == lexCloseParen || p.tok.kind == lexCloseSquare || p.tok.kind == lexCloseCurly:
		e.Hint = "close it first"
		e.Edits = diag.Insert(p.prev.end, want)
	case p.doubled(e):
	case startsValue(p.tok):
		p.gap(e)
		if conditional := p.tok.kind == lexName && (p.tok.text == "if" || p.tok.text == "then" || p.tok.text == "else"); !conditional && (kind == lexCloseSquare || kind == lexCloseCurly) {
			e.Hint = `put "," between two items` + also(e.Hint)
			if e.Edits == nil {
				e.Edits = diag.Insert(p.prev.end, ",")
			}
		}
	case p.tok.kind == lexBang || p.tok.kind == lexTilde:
		e.Hint = p.cite(p.tok) + " is not an operator of JSONata"
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
	e := p.tok.fault(p.tok.unless("S0201", "S0201"), "unexpected "+p.cite(p.tok)+" after the end of the expression", "")
	switch p.tok.kind {
	case lexCloseParen, lexCloseSquare, lexCloseCurly:
		e.Message = p.cite(p.tok) + " has no opening bracket"
		e.Hint = "remove it, or open it before"
		e.Edits = diag.Replace(p.tok.start, p.tok.end, "")
	case lexComma:
		e.Hint = "several values are written in brackets: [a, b]"
	case lexColon:
		e.Hint = `":" belongs in {"key": value} and in condition ? value : other`
	case lexRange:
		e.Hint = "a range is written in brackets: [1..10]"
	case lexBang, lexTilde:
		e.Hint = p.cite(p.tok) + " is not an operator of JSONata"
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
		e.Edits = diag.Replace(right.start, right.end, "=")
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
		e.Edits = append(diag.Replace(q.start, q.end, `"`), diag.Replace(end, end+2, `"`)...)
	}
	return true
}

// commas is the error for "(a, b)".
func (p *parser) commas(open token) *Error {
	e := syntax(open.start, p.prev.end, "S0202", `"," does not separate expressions inside parentheses`, `an array is written [a, b]; a sequence of expressions ( a; b )`)
	if p.err == nil && p.prev.kind == lexCloseParen {
		e.Edits = append(diag.Replace(open.start, open.end, "["), diag.Replace(p.prev.start, p.prev.end, "]")...)
	}
	return e
}

// noColon is the error for an object's key without a value.
func (p *parser) noColon(open token, key *Node) *Error {
	e := p.tok.fault(p.tok.unless("S0202", "S0203"), `expected ":" and a value after the key, `+p.shown(p.tok), `an object is written {"key": value}`)
	before, ends := p.src[:open.start], p.tok.kind == lexCloseCurly
	doubled := strings.HasSuffix(before, "{")
	switch {
	case doubled || strings.HasSuffix(before, "$"):
		e.Start, e.End = open.start-1, p.tok.end
		e.Message, e.Hint = `"${ }" is not JSONata`, `the whole text is an expression: write it without "${" and "}"; join strings with "&"`
		if doubled {
			e.Message, e.Hint = `"{{ }}" is not JSONata`, "the whole text is an expression: write it without braces"
			if ends = ends && strings.HasPrefix(p.src[e.End:], "}"); ends {
				e.End++
			}
		}
		if ends {
			e.Edits = append(diag.Replace(e.Start, key.Start, ""), diag.Replace(key.End, e.End, "")...)
		}
	case key.Kind == KindBinary && key.Text == "=" && key.Args[0].Kind == KindString:
		l, r := key.Args[0], key.Args[1]
		e.Hint = `write ":" between key and value`
		e.Edits = diag.Replace(l.End, r.Start, ": ")
	case key.Kind == KindPath && key.Last().Kind == KindName && (ends || p.tok.kind == lexComma):
		name := types.QuoteString(key.Last().Text)
		e.Start, e.End = key.Start, key.End
		e.Hint = "write " + diag.Excerpt(name+": "+p.src[key.Start:key.End])
		e.Edits = diag.Insert(key.Start, name+": ")
	}
	return e
}

// slice is the error for "x[a:b]".
func (p *parser) slice(open token, from *Node) *Error {
	e := syntax(open.start, p.tok.end, "S0202", `":" does not select a range of items`, "write x[[0..2]] for the first three")
	l := lexer{src: p.src, pos: p.tok.end}
	to, end := l.next(false), l.next(true)
	if from.Kind == KindNumber && from.Number >= 0 && to.kind == lexNumber && end.kind == lexCloseSquare && to.number > from.Number && to.number < 1e6 {
		e.End = end.end
		e.Edits = diag.Replace(open.start, end.end, "[["+p.src[from.Start:from.End]+".."+strconv.Itoa(int(to.number)-1)+"]]")
	}
	return e
}

// unopened is the error for a function without a body.
func (p *parser) unopened() *Error {
	return p.tok.fault(p.tok.unless("S0202", "S0203"), `expected "{" and the function's body, `+p.shown(p.tok), "write function($a, $b){ … }")
}

// notAssignable is the error for a ":=" whose left side is not a variable.
func (p *parser) notAssignable(t token, left *Node) *Error {
	e := syntax(left.Start, t.end, "S0212", `only a variable can be before ":="`, "write $name := …")
	if left.Kind == KindPath && len(left.Args) == 1 && left.Args[0].Kind == KindName && types.PlainName(left.Args[0].Text) {
		e.Edits = diag.Insert(left.Start, "$")
	} else if left.Kind == KindVariable || left.Kind == KindPath {
		e.Hint = `values cannot be changed; build a new one: $merge([$x, {"key": value}])`
	}
	return e
}

// literalStep is the error for a path step that is a number, true, false or null.
func (p *parser) literalStep(path, step *Node) *Error {
	text := p.src[step.Start:step.End]
	e := syntax(step.Start, step.End, "S0213", diag.Quote(text)+" cannot be a step of a path", "a field of that name is written in backticks: `"+diag.Excerpt(text)+"`")
	if startsValue(p.tok) {
		e.Reference = "S0201"
	}
	if step.Kind != KindNumber {
		e.Edits = diag.Surround(step.Start, step.End, "`", "`")
		return e
	}
	if path.Args[0] != step {
		e.Hint = "the item at that position is written [" + diag.Excerpt(text) + "]"
		if dot := strings.LastIndexByte(p.src[:step.Start], '.'); dot > 0 && !strings.Contains(text, ".") {
			e.Edits = diag.Replace(dot, step.End, "["+text+"]")
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
		e.Edits = diag.Replace(start, step.End, "`"+name+"`")
	}
	return e
}
