package jsonata

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A foreign is the syntax of another language that an author writes: the message says
// what it is in JSONata, the hint what to write.
type foreign struct{ reference, message, hint string }

func (s foreign) at(start, end int) *Error {
	return syntax(start, end, s.reference, s.message, s.hint)
}

// Syntax that is not JSONata at all. All but the last rows are read over.
var (
	foreignEqual         = foreign{"S0211", `"==" is not an operator of JSONata`, `compare with "="`}
	foreignStrictEqual   = foreign{"S0211", `"===" is not an operator of JSONata`, `compare with "="`}
	foreignNotEqual      = foreign{"S0211", `this is not how JSONata writes inequality`, `write "!="`}
	foreignAnd           = foreign{"S0211", `"&&" is not an operator of JSONata`, `write "and"`}
	foreignOr            = foreign{"S0201", `"||" is not an operator of JSONata`, `write "or"; for a default value write "?:" or "??"`}
	foreignNot           = foreign{"S0204", `"!" is not an operator of JSONata`, `write $not(…)`}
	foreignNotWord       = foreign{"S0201", `"not" is not an operator of JSONata`, `write $not(…)`}
	foreignOptional      = foreign{"S0211", `"?." is not needed in JSONata`, `a missing field is undefined, not an error: write "."`}
	foreignSpread        = foreign{"S0211", `"..." is not an operator of JSONata`, `an array constructor flattens its items by itself; for objects write $merge([a, {…}])`}
	foreignArrow         = foreign{"S0211", `"=>" is not JSONata`, `write function($x){ … }`}
	foreignParameter     = foreign{"S0208", `the parameters of a function are variables`, `write function($a, $b){ … }, and "$" at each use`}
	foreignTrailingComma = foreign{"S0211", `nothing follows the comma`, `remove it`}
	foreignSemicolon     = foreign{"S0201", `";" separates expressions only inside parentheses`, `write ( …; … )`}
	foreignLet           = foreign{"S0201", `this is not how JSONata binds a variable`, `write ( $x := …; … ), and "$x" at each use`}
	foreignReturn        = foreign{"S0201", `"return" is not a keyword of JSONata`, `the last expression is the result: remove it`}
	foreignIf            = foreign{"S0201", `"if" is not a keyword of JSONata`, `write condition ? value : other`}
	foreignNew           = foreign{"S0201", `"new" is not a keyword of JSONata`, `for the current time write $now() or $millis()`}
	foreignPower         = foreign{"S0202", `this is not how JSONata raises to a power`, `write $power(base, exponent); "^" sorts: items^(price)`}
)

// startsValue reports whether t can only begin a value, so that nothing valid
// has it right after another value.
func startsValue(t token) bool {
	switch t.kind {
	case lexName, lexVariable, lexString, lexNumber, lexTrue, lexFalse, lexNull:
		return true
	}
	return false
}

// keyword parses what starts with a keyword of another language, or returns nil
// when t is a name like any other.
func (p *parser) keyword(t token) *Node {
	if len(t.text) > 6 || t.end-t.start != len(t.text) || p.older.kind == lexDot {
		return nil
	}
	follows := startsValue(p.tok)
	switch t.text {
	case "return":
		if follows {
			e := p.readOver(foreignReturn, t.start, t.end)
			e.Edits = diag.Replace(t.start, p.tok.start, "")
			return p.expression(0)
		}
	case "not":
		if follows {
			return p.negated(t, foreignNotWord, powers[lexAnd])
		}
	case "if":
		if follows || p.tok.kind == lexOpenParen {
			return p.ifThen(t)
		}
	case "let", "const", "var":
		if p.tok.kind == lexName || p.tok.kind == lexVariable {
			return p.let(t)
		}
	case "new":
		if p.tok.kind == lexName {
			e := p.readOver(foreignNew, t.start, p.tok.end)
			n := p.expression(powers[lexDot])
			if p.err == nil && strings.ReplaceAll(p.src[n.Start:n.End], " ", "") == "Date()" {
				e.Edits = diag.Replace(t.start, n.End, "$now()")
			}
			return n
		}
	}
	return nil
}

// negated parses "!x" and "not x".
func (p *parser) negated(t token, s foreign, power uint8) *Node {
	e := p.readOver(s, t.start, t.end)
	from := p.tok.start
	operand := p.expression(power)
	if p.err == nil {
		if operand.Kind == KindBlock && len(operand.Args) == 1 && operand.Start == from { // the parentheses are there
			e.Edits = diag.Replace(t.start, from, "$not")
		} else {
			e.Edits = append(diag.Replace(t.start, from, "$not("), diag.Insert(operand.End, ")")...)
		}
	}
	t.text = "not"
	f := p.leaf(KindVariable, t)
	return p.node(KindCall, t.start, f, operand)
}

// ifThen parses "if c then a else b", "if (c) a else b" and the like.
func (p *parser) ifThen(t token) *Node {
	e := p.readOver(foreignIf, t.start, t.end)
	first := p.tok
	p.advance(true)
	cond := p.prefix(first)
	if k := p.tok.kind; first.kind != lexOpenParen || k != lexOpenParen && k != lexOpenSquare && k != lexOpenCurly {
		cond = p.climb(cond, 0)
	}
	edits := diag.Replace(t.start, cond.Start, "(")
	if p.tok.kind == lexName && p.tok.text == "then" || p.tok.kind == lexColon {
		edits = append(edits, diag.Replace(p.tok.start, p.tok.end, "?")...)
		p.advance(false)
	} else {
		edits = append(edits, diag.Insert(cond.End, " ?")...)
	}
	args := []*Node{cond, p.expression(0)}
	if p.tok.kind == lexName && p.tok.text == "else" {
		edits = append(edits, diag.Replace(p.tok.start, p.tok.end, ":")...)
		p.advance(false)
		args = append(args, p.expression(0))
	}
	n := p.node(KindCondition, t.start, args...)
	if p.err == nil {
		edits = append(edits, diag.Insert(n.End, ")")...)
		e.Edits = edits
	}
	return n
}

// arrow parses "x => body" and "(x, y) => body".
func (p *parser) arrow(t token, left *Node) *Node {
	e := p.readOver(foreignArrow, t.start, t.end)
	params := []*Node{left}
	if left.Kind == KindBlock {
		params = left.Args
	}
	if !parameters(params) {
		p.fail(e)
	}
	open, closed := "{ ", " }"
	from, braces := p.tok.start, false
	var body *Node
	if p.tok.kind == lexOpenCurly { // { return … }, but not an object
		lex, tok := p.lex, p.tok
		p.advance(false)
		if braces = p.tok.kind == lexName && p.tok.text == "return"; braces {
			open, closed = "", ""
			body = p.expression(0)
			if p.tok.kind == lexSemicolon {
				body = p.statements(body, lexCloseCurly)
			}
			p.expect(lexCloseCurly, tok, true)
		} else {
			p.lex, p.tok = lex, tok
		}
	}
	if !braces {
		body = p.expression(0)
	}
	end := p.prev.end
	var names []string
	for i, param := range params {
		v := p.node(KindVariable, param.Start)
		if v.Text = param.Text; param.Kind == KindPath {
			v.Text = param.Args[0].Text
			e.Edits = append(e.Edits, p.variables(body, param)...)
		}
		params[i] = v
		names = append(names, "$"+v.Text)
	}
	n := p.node(KindLambda, left.Start, append(params, body)...)
	if p.err == nil {
		e.Edits = append(diag.Replace(left.Start, from, "function("+strings.Join(names, ", ")+")"+open), e.Edits...)
		if closed != "" {
			e.Edits = append(e.Edits, diag.Insert(end, closed)...)
		}
	}
	return n
}

// raise parses "x ** y", and "x ^ y", which lacks the parentheses of a sort.
func (p *parser) raise(t token, left *Node) *Node {
	e := p.readOver(foreignPower, t.start, t.end)
	right := p.expression(powers[lexStar])
	if p.err == nil && movable(left) && movable(right) {
		e.Edits = []diag.TextEdit{
			{Start: left.Start, End: left.Start, New: "$power("},
			{Start: left.End, End: right.Start, New: ", "},
			{Start: right.End, End: right.End, New: ")"},
		}
	}
	n := p.node(KindBinary, left.Start, left, right)
	n.Text = "*"
	return n
}

// movable reports whether n can be moved without changing what binds to what.
func movable(n *Node) bool {
	switch n.Kind {
	case KindBinary, KindCondition, KindElvis, KindCoalesce, KindApply, KindBind, KindNegate, KindLambda, KindTransform:
		return false
	}
	return true
}
