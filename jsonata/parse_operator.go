package jsonata

import (
	"github.com/patchbay-mcp/patchbay/diag"
)

// prefix parses what starts with t.
func (p *parser) prefix(t token) *Node {
	switch t.kind {
	case lexName:
		if n := p.keyword(t); n != nil {
			return n
		}
		return p.name(t)
	case lexAnd, lexOr, lexIn:
		return p.name(t)
	case lexNumber:
		n := p.leaf(KindNumber, t)
		n.Number = t.number
		return n
	case lexVariable, lexString, lexTrue, lexFalse, lexNull, lexRegex, lexStar, lexStarStar:
		return p.leaf(leaves[t.kind], t)
	case lexPercent:
		n := p.leaf(KindParent, t)
		if p.parents++; p.parents > maxParents {
			p.fail(&Error{Code: codeTooDeep, Message: `more than 1000 uses of "%" in one expression`, Hint: "bind the outer value to a variable instead", Start: t.start, End: t.end})
		}
		n.ancestry = &ancestry{slot: &slot{level: 1, at: n}}
		return n
	case lexMinus:
		return p.negation(t)
	case lexOpenParen:
		return p.block(t)
	case lexOpenSquare:
		return p.array(t)
	case lexOpenCurly:
		return p.object(t)
	case lexPipePipe:
		t = p.halve(t)
		p.advance(false)
		return p.transform(t)
	case lexPipe:
		return p.transform(t)
	case lexBang:
		return p.negated(t, foreignNot, 70)
	}
	p.fail(p.noValue(t))
	return p.node(KindBad, t.start)
}

// leaves are the kinds of the nodes of one token that says everything.
var leaves = [...]Kind{
	lexVariable: KindVariable, lexString: KindString, lexTrue: KindBool, lexFalse: KindBool, lexNull: KindNull,
	lexRegex: KindRegex, lexStar: KindWildcard, lexStarStar: KindDescendant,
}

func (p *parser) leaf(kind Kind, t token) *Node {
	n := p.node(kind, t.start)
	n.End, n.Text = t.end, t.text
	return n
}

func (p *parser) name(t token) *Node { return p.path(p.leaf(KindName, t)) }

func (p *parser) negation(t token) *Node {
	operand := p.expression(70)
	if operand.Kind == KindNumber {
		operand.Number, operand.Start = -operand.Number, t.start
		return operand
	}
	n := p.node(KindNegate, t.start, operand)
	n.inherit(operand)
	return n
}

// infix parses what follows left and the operator t.
func (p *parser) infix(t token, left *Node) *Node {
	switch t.kind {
	case lexDot:
		return p.join(left, p.member())
	case lexOpenSquare:
		return p.predicate(t, left)
	case lexOpenCurly:
		return p.group(t, left)
	case lexOpenParen:
		return p.call(t, left)
	case lexCaret:
		return p.sort(t, left)
	case lexAt:
		return p.focus(t, left)
	case lexHash:
		return p.position(t, left)
	case lexAssign:
		return p.bind(t, left)
	case lexQuestion:
		return p.condition(left)
	case lexElvis, lexCoalesce:
		kind := KindElvis
		if t.kind == lexCoalesce {
			kind = KindCoalesce
		}
		right := p.expression(0)
		n := p.node(kind, left.Start, left, right)
		n.inherit(left, right)
		return n
	case lexApply:
		right := p.expression(powers[lexApply])
		n := p.node(KindApply, left.Start, left, right)
		n.KeepArray = left.keeps || right.keeps
		n.keeps = n.KeepArray
		return n
	case lexArrow:
		return p.arrow(t, left)
	case lexStarStar:
		return p.raise(t, left)
	case lexPipePipe:
		e := p.readOver(foreignOr, t.start, t.end)
		lex := lexer{src: p.src, pos: t.start}
		n := p.binary("or", powers[lexOr], left)
		op := "or"
		switch n.Args[1].Kind { // a value to fall back on
		case KindString, KindNumber, KindNull, KindObject, KindArray:
			op = "?:"
		}
		e.Edits = diag.Replace(t.start, t.end, lex.spaced(op, 2))
		return n
	case lexLess:
		if p.tok.kind == lexGreater && p.tok.start == t.end {
			e := p.readOver(foreignNotEqual, t.start, p.tok.end)
			e.Edits = diag.Replace(e.Start, e.End, "!=")
			p.advance(false)
			return p.binary("!=", powers[lexNotEqual], left)
		}
	}
	return p.binary(symbols[t.kind], powers[t.kind], left)
}

// member parses what follows a dot. A name that nothing qualifies is a step without a
// path of its own.
func (p *parser) member() *Node {
	if p.tok.kind != lexName || p.depth >= MaxDepth {
		return p.expression(powers[lexDot])
	}
	t := p.tok
	p.advance(true)
	step := p.leaf(KindName, t)
	if p.power() <= powers[lexDot] {
		return step
	}
	p.depth++
	n := p.climb(p.path(step), powers[lexDot])
	p.depth--
	return n
}

func (p *parser) binary(op string, power uint8, left *Node) *Node {
	right := p.expression(power)
	n := p.node(KindBinary, left.Start, left, right)
	n.Text = op
	n.inherit(left, right)
	return n
}

// symbols are the operators of KindBinary as [Node.Text] has them.
var symbols = [...]string{
	lexPlus: "+", lexMinus: "-", lexStar: "*", lexSlash: "/", lexPercent: "%", lexConcat: "&",
	lexEqual: "=", lexNotEqual: "!=", lexLess: "<", lexLessEqual: "<=", lexGreater: ">", lexGreaterEqual: ">=",
	lexAnd: "and", lexOr: "or", lexIn: "in",
}

func (p *parser) condition(left *Node) *Node {
	then := p.expression(0)
	base := len(p.pending)
	p.add(left)
	p.add(then)
	if p.accept(lexColon) {
		p.add(p.expression(0))
	}
	return p.gatherAll(KindCondition, left.Start, base)
}

func (p *parser) bind(t token, left *Node) *Node {
	if !left.Bare(KindVariable) {
		p.fail(p.notAssignable(t, left))
	}
	right := p.expression(powers[lexAssign] - 1)
	p.binds = true
	n := p.node(KindBind, left.Start, left, right)
	n.inherit(right)
	return n
}
