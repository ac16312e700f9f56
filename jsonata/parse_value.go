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
	e := p.readOver(foreignTrailingComma, p.prev.start, p.prev.end)
	e.Edits = diag.Replace(p.prev.start, p.prev.end, "")
	return true
}

// block parses "( … ; … )".
func (p *parser) block(t token) *Node {
	base := len(p.pending)
	p.inBrackets(func() {
		for p.tok.kind != lexCloseParen {
			p.add(p.expression(0))
			if p.tok.kind == lexComma && parameters(p.pending[base:]) { // (x, y) => …
				for p.accept(lexComma) {
					p.add(p.expression(0))
				}
				if p.expect(lexCloseParen, t, true); p.tok.kind != lexArrow {
					p.fail(p.commas(t))
				}
				return
			}
			if !p.accept(lexSemicolon) {
				break
			}
		}
		p.expect(lexCloseParen, t, true)
	})
	return p.gatherAll(KindBlock, t.start, base)
}

// list parses items up to the closing token of open, with commas between them.
func (p *parser) list(closing lexeme, open token, item func()) {
	p.inBrackets(func() {
		for p.tok.kind != closing {
			item()
			if !p.accept(lexComma) || p.trailing(closing) {
				break
			}
		}
		p.expect(closing, open, true)
	})
}

// accept consumes a token of a kind, if it is the next one.
func (p *parser) accept(kind lexeme) bool {
	if p.tok.kind != kind {
		return false
	}
	p.advance(false)
	return true
}

// array parses "[ …, from..to, … ]".
func (p *parser) array(t token) *Node {
	base := len(p.pending)
	p.list(lexCloseSquare, t, func() {
		if p.tok.kind == lexSpread {
			e := p.readOver(foreignSpread, p.tok.start, p.tok.end)
			e.Edits = diag.Replace(e.Start, e.End, "")
			p.advance(false)
		}
		item := p.expression(0)
		if p.accept(lexRange) {
			to := p.expression(0)
			from := item
			item = p.node(KindRange, from.Start, from, to)
			item.inherit(from, to)
		}
		p.add(item)
	})
	return p.gatherAll(KindArray, t.start, base)
}

// object parses "{ key: value, … }".
func (p *parser) object(t token) *Node {
	base := len(p.pending)
	p.pairs(t)
	return p.gatherAll(KindObject, t.start, base)
}

// pairs parses "key: value, … }" to the pending nodes.
func (p *parser) pairs(t token) {
	p.list(lexCloseCurly, t, func() {
		key := p.expression(0)
		if p.tok.kind != lexColon {
			p.fail(p.noColon(t, key))
		}
		p.advance(false)
		p.add(key)
		p.add(p.expression(0))
	})
}

// transform parses "| pattern | update, delete |".
func (p *parser) transform(t token) *Node {
	p.pipes++
	args := []*Node{p.expression(0)}
	p.expect(lexPipe, t, false)
	args = append(args, p.expression(0))
	if p.accept(lexComma) {
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
	p.list(lexCloseParen, t, func() {
		if p.accept(lexQuestion) {
			kind = KindPartial
			p.add(p.node(KindHole, p.prev.start))
		} else {
			p.add(p.expression(0))
		}
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
		arrow.Edits = append(diag.Replace(arrow.Start, body.Start, "{"), diag.Insert(body.End, "}")...)
	}
	return n
}

// lambdaBody parses "{ … }". It also reads "=> …", which it returns as a fault,
// complete when there are braces.
func (p *parser) lambdaBody() (body *Node, arrow *Error) {
	if p.tok.kind == lexArrow {
		arrow = p.readOver(foreignArrow, p.tok.start, p.tok.end)
		p.advance(false)
		if p.tok.kind != lexOpenCurly {
			return p.expression(0), arrow
		}
		arrow.Edits = diag.Replace(arrow.Start, arrow.End, "")
	}
	open := p.tok
	if open.kind != lexOpenCurly {
		p.fail(p.unopened())
	}
	p.advance(false)
	p.inBrackets(func() {
		body = p.expression(0)
		if p.tok.kind == lexSemicolon {
			body = p.statements(body, lexCloseCurly)
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
		case param.Bare(KindVariable): // $ and $$ are allowed, though they hide the context
		case parameters(params[i : i+1]):
			if bare == nil {
				bare = p.readOver(foreignParameter, param.Start, param.End)
			}
			bare.Edits = append(bare.Edits, diag.Insert(param.Start, "$")...)
			params[i] = p.node(KindVariable, param.Start)
			params[i].End, params[i].Text = param.End, param.Args[0].Text
		default:
			p.fail(syntax(param.Start, param.End, "S0208", "the parameters of a function are variables", "write function($a, $b){ … }"))
		}
	}
	return bare
}

// parameters reports whether nodes could be the parameters of an arrow function:
// all plain names or variables.
func parameters(nodes []*Node) bool {
	for _, n := range nodes {
		switch {
		case n.Bare(KindVariable) && n.Text != "" && n.Text != "$":
		case n.Kind == KindPath && len(n.Args) == 1 && n.Args[0].Kind == KindName && types.PlainName(n.Args[0].Text) && n.Group == nil && n.End-n.Start == len(n.Args[0].Text):
		default:
			return false
		}
	}
	return true
}
