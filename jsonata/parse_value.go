package jsonata

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/types"
)

// inBrackets parses with parse the text between brackets, where a "|" of a
// transform outside them means nothing.
func (p *parser) inBrackets(parse func()) {
	pipes := p.pipes
	p.pipes = 0
	parse()
	p.outside(pipes)
}

// outside ends brackets in which the "|" of transforms meant nothing. What follows them
// has been read already.
func (p *parser) outside(pipes int) {
	if p.pipes = pipes; pipes > 0 && p.tok.kind == lexPipePipe {
		p.tok = p.halve(p.tok)
	}
}

// trailing reports a comma before close, and consumes nothing.
func (p *parser) trailing(close lexeme) bool {
	if p.tok.kind != close || p.prev.kind != lexComma {
		return false
	}
	e := p.readOver(foreignTrailingComma.at(p.prev.start, p.prev.end))
	e.Edits = []diag.TextEdit{{Start: p.prev.start, End: p.prev.end}}
	return true
}

// block parses "( … ; … )".
func (p *parser) block(t token) *Node {
	base := len(p.pending)
	p.inBrackets(func() {
		for p.tok.kind != lexCloseParen {
			p.add(p.expression(0))
			if p.tok.kind == lexComma && parameters(p.pending[base:]) { // (x, y) => …
				for p.tok.kind == lexComma {
					p.advance(false)
					p.add(p.expression(0))
				}
				if p.expect(lexCloseParen, t, true); p.tok.kind != lexArrow {
					p.fail(p.commas(t))
				}
				return
			}
			if p.tok.kind != lexSemicolon {
				break
			}
			p.advance(false)
		}
		p.expect(lexCloseParen, t, true)
	})
	n := p.gather(KindBlock, t.start, base)
	n.inherit(n.Args...)
	return n
}

// array parses "[ …, from..to, … ]".
func (p *parser) array(t token) *Node {
	base := len(p.pending)
	p.inBrackets(func() {
		for p.tok.kind != lexCloseSquare && !p.trailing(lexCloseSquare) {
			if p.tok.kind == lexSpread {
				e := p.readOver(foreignSpread.at(p.tok.start, p.tok.end))
				e.Edits = []diag.TextEdit{{Start: e.Start, End: e.End}}
				p.advance(false)
			}
			item := p.expression(0)
			if p.tok.kind == lexRange {
				p.advance(false)
				to := p.expression(0)
				from := item
				item = p.node(KindRange, from.Start, from, to)
				item.inherit(from, to)
			}
			p.add(item)
			if p.tok.kind != lexComma {
				break
			}
			if p.advance(false); p.trailing(lexCloseSquare) {
				break
			}
		}
		p.expect(lexCloseSquare, t, true)
	})
	n := p.gather(KindArray, t.start, base)
	n.inherit(n.Args...)
	return n
}

// object parses "{ key: value, … }".
func (p *parser) object(t token) *Node {
	base := len(p.pending)
	p.pairs(t)
	n := p.gather(KindObject, t.start, base)
	n.inherit(n.Args...)
	return n
}

// pairs parses "key: value, … }" to the pending nodes.
func (p *parser) pairs(t token) {
	p.inBrackets(func() {
		for p.tok.kind != lexCloseCurly {
			key := p.expression(0)
			if p.tok.kind != lexColon {
				p.fail(p.noColon(t, key))
			}
			p.advance(false)
			p.add(key)
			p.add(p.expression(0))
			if p.tok.kind != lexComma {
				break
			}
			if p.advance(false); p.trailing(lexCloseCurly) {
				break
			}
		}
		p.expect(lexCloseCurly, t, true)
	})
}

// transform parses "| pattern | update, delete |".
func (p *parser) transform(t token) *Node {
	p.pipes++
	args := []*Node{p.expression(0)}
	p.expect(lexPipe, t, false)
	args = append(args, p.expression(0))
	if p.tok.kind == lexComma {
		p.advance(false)
		args = append(args, p.expression(0))
	}
	p.pipes--
	p.expect(lexPipe, t, false)
	return p.node(KindTransform, t.start, args...)
}

// call parses "( … )" after the function left, and what makes it a lambda.
func (p *parser) call(t token, left *Node) *Node {
	kind := KindCall
	base := len(p.pending)
	p.add(left)
	p.inBrackets(func() {
		for p.tok.kind != lexCloseParen {
			if p.tok.kind == lexQuestion {
				kind = KindPartial
				p.advance(false)
				hole := p.node(KindHole, p.prev.start)
				p.add(hole)
			} else {
				p.add(p.expression(0))
			}
			if p.tok.kind != lexComma {
				break
			}
			if p.advance(false); p.trailing(lexCloseParen) {
				break
			}
		}
		p.expect(lexCloseParen, t, true)
	})
	if left.Kind == KindPath && len(left.Args) == 1 {
		if name := left.Args[0]; name.Kind == KindName && len(name.Stages) == 0 && name.Focus == nil && name.Index == nil && (name.Text == "function" || name.Text == "λ") {
			return p.lambda(left, base)
		}
	}
	n := p.gather(kind, left.Start, base)
	n.inherit(n.Args[1:]...)
	return n
}

// lambda parses the signature and body after "function(…)". The parameters are the
// pending nodes after base.
func (p *parser) lambda(left *Node, base int) *Node {
	params := p.pending[base+1:]
	bare := p.parameters(params)
	text := ""
	if p.tok.kind == lexLess {
		text = p.signature()
	}
	body, arrow := p.lambdaBody()
	p.add(body)
	n := p.gather(KindLambda, left.Start, base+1)
	p.pending = p.pending[:base]
	n.Text = text
	if bare != nil && p.err == nil {
		for _, param := range n.Args[:len(n.Args)-1] {
			bare.Edits = append(bare.Edits, p.variables(body, param)...)
		}
	}
	if arrow != nil && p.err == nil && len(arrow.Edits) == 0 {
		arrow.Edits = []diag.TextEdit{{Start: arrow.Start, End: body.Start, New: "{"}, {Start: body.End, End: body.End, New: "}"}}
	}
	return n
}

// lambdaBody parses "{ … }". It also reads "=> …", which it returns as a fault,
// complete when there are braces.
func (p *parser) lambdaBody() (body *Node, arrow *Error) {
	if p.tok.kind == lexArrow {
		arrow = p.readOver(foreignArrow.at(p.tok.start, p.tok.end))
		p.advance(false)
		if p.tok.kind != lexOpenCurly {
			return p.expression(0), arrow
		}
		arrow.Edits = []diag.TextEdit{{Start: arrow.Start, End: arrow.End}}
	}
	open := p.tok
	if open.kind != lexOpenCurly {
		p.fail(p.unopened())
	}
	p.advance(false)
	p.inBrackets(func() {
		body = p.expression(0)
		if p.tok.kind == lexSemicolon {
			body = p.bodyStatements(body)
		}
		p.expect(lexCloseCurly, open, false)
	})
	return body, arrow
}

// parameters makes sure that all params are variables; bare names are read as
// such, and returned as one fault.
func (p *parser) parameters(params []*Node) *Error {
	var bare *Error
	for i, param := range params {
		switch {
		case param.Kind == KindVariable && len(param.Stages) == 0 && param.Group == nil && param.Text != "" && param.Text != "$":
		case param.Kind == KindVariable && len(param.Stages) == 0 && param.Group == nil: // allowed, though it hides the context
		case parameters(params[i : i+1]):
			if bare == nil {
				bare = p.readOver(foreignParameter.at(param.Start, param.End))
			}
			bare.Edits = append(bare.Edits, diag.TextEdit{Start: param.Start, End: param.Start, New: "$"})
			params[i] = p.node(KindVariable, param.Start)
			params[i].End, params[i].Text = param.End, param.Args[0].Text
		default:
			p.fail(&Error{
				Code: codeSyntax, Reference: "S0208", Message: "the parameters of a function are variables", Hint: "write function($a, $b){ … }",
				Start: param.Start, End: param.End,
			})
		}
	}
	return bare
}

// parameters reports whether nodes could be the parameters of an arrow function:
// all plain names or variables.
func parameters(nodes []*Node) bool {
	for _, n := range nodes {
		switch {
		case n.Kind == KindVariable && len(n.Stages) == 0 && n.Group == nil && n.Text != "" && n.Text != "$":
		case n.Kind == KindPath && len(n.Args) == 1 && n.Args[0].Kind == KindName && types.PlainName(n.Args[0].Text) && n.Group == nil && n.End-n.Start == len(n.Args[0].Text):
		default:
			return false
		}
	}
	return true
}
