package jsonata

import (
	"github.com/patchbay-mcp/patchbay/diag"
)

// join returns the path left.right.
func (p *parser) join(left, right *Node) *Node {
	path := left
	if left.Kind != KindPath {
		path = p.path(left)
		path.Start = left.Start
		if left.Kind == KindParent {
			path.ancestry = &ancestry{seeking: []*slot{left.ancestry.slot}}
		}
	}
	from := len(path.Args)
	if right.Kind == KindPath {
		for _, step := range right.Args {
			path.Args = p.extended(path.Args, step)
		}
	} else {
		path.Args = p.extended(path.Args, right)
	}
	if from > 0 { // the first was not a step until now
		p.step(path, path.Args[0])
	}
	for _, step := range path.Args[from:] {
		p.step(path, step)
	}
	path.End = right.End
	p.long(path)
	p.resolve(path)
	return path
}

// long refuses a path of more than MaxChain steps.
func (p *parser) long(path *Node) {
	if len(path.Args) > MaxChain {
		p.fail(chained(path.Last()))
	}
}

// step checks a step that path has been given.
func (p *parser) step(path, step *Node) {
	switch step.Kind {
	case KindString:
		step.Kind = KindName
	case KindNumber, KindBool, KindNull:
		if e := p.literalStep(path, step); e.Reference == "S0213" {
			p.postpone(e)
		} else {
			p.fail(e)
		}
	}
	if step.KeepArray {
		path.KeepArray = true
	}
	p.over(path, step)
}

// Last returns what a qualifier after n qualifies: a path's last step, or n.
func (n *Node) Last() *Node {
	if n.Kind == KindPath {
		return n.Args[len(n.Args)-1]
	}
	return n
}

// predicate parses "[…]" after left; empty brackets keep arrays.
func (p *parser) predicate(t token, left *Node) *Node {
	step := left.Last()
	if p.tok.kind == lexCloseSquare {
		left.KeepArray, left.keeps = true, true
		if left.Kind == KindPath && len(left.Args) == 1 && !numbered(step) {
			step.KeepArray = true
		}
		p.advance(false)
		left.End = p.prev.end
		return left
	}
	if step.Group != nil {
		p.postpone(t.fault("S0209", "a predicate cannot follow a grouping", "put the grouping in parentheses: (x{…})[…]"))
	}
	pipes := p.pipes
	p.pipes = 0
	filter := p.expression(0)
	if p.tok.kind == lexColon {
		p.fail(p.slice(t, filter))
	}
	p.expect(lexCloseSquare, t, true)
	p.outside(pipes)
	if filter.ancestry != nil {
		for _, s := range filter.ancestry.seeking {
			if s.level == 1 {
				p.seek(step, s)
			} else {
				s.level--
			}
		}
		step.inherit(filter)
	}
	step.Stages = p.extended(step.Stages, filter)
	p.over(step, filter)
	p.over(left, filter)
	step.End, left.End = p.prev.end, p.prev.end
	return left
}

// group parses "{…}" after left.
func (p *parser) group(t token, left *Node) *Node {
	if left.Group != nil {
		p.postpone(t.fault("S0210", "a value can be grouped only once", "put the first grouping in parentheses: (x{…}){…}"))
	}
	base := len(p.pending)
	p.pairs(t)
	left.Group = p.gather(KindGroup, t.start, base)
	p.over(left, left.Group)
	left.End = p.prev.end
	return left
}

// sort parses "^(…)" after left.
func (p *parser) sort(t token, left *Node) *Node {
	if p.tok.kind != lexOpenParen {
		return p.raise(t, left)
	}
	open := p.tok
	p.advance(false)
	sort := p.node(KindSort, t.start)
	for {
		start, order := p.tok.start, ""
		if p.tok.kind == lexLess || p.tok.kind == lexGreater {
			order = p.src[p.tok.start:p.tok.end]
			p.advance(false)
		}
		by := p.expression(0)
		term := p.node(KindTerm, start, by)
		term.Text = order
		sort.Args = p.extended(sort.Args, term)
		p.over(sort, term)
		sort.inherit(by)
		if !p.accept(lexComma) {
			break
		}
	}
	p.expect(lexCloseParen, open, false)
	sort.End = p.prev.end
	path := p.asPath(left)
	path.Args = p.extended(path.Args, sort)
	p.over(path, sort)
	path.End = p.prev.end
	p.long(path)
	p.resolve(path)
	return path
}

// focus parses "@$v" after left.
func (p *parser) focus(t token, left *Node) *Node {
	variable := p.binder(t)
	switch step := left.Last(); {
	case len(step.Stages) > 0:
		p.postpone(t.fault("S0215", `"@" cannot follow a predicate`, "bind first, then filter: items@$i[…]"))
	case step.Kind == KindSort:
		p.postpone(t.fault("S0216", `"@" cannot follow a sort`, "bind first, then sort: items@$i^(…)"))
	default:
		step.Focus = variable
		step.End = p.prev.end
	}
	left.End = p.prev.end
	return left
}

// position parses "#$v" after left.
func (p *parser) position(t token, left *Node) *Node {
	variable := p.binder(t)
	path := p.asPath(left)
	step := path.Last()
	if len(step.Stages) == 0 {
		step.Index = variable
	} else {
		stage := p.node(KindIndex, variable.Start)
		stage.Text = variable.Text
		step.Stages = p.extended(step.Stages, stage)
	}
	step.End, path.End = p.prev.end, p.prev.end
	return path
}

// binder parses the variable after "@" or "#".
func (p *parser) binder(t token) *Node {
	v := p.expression(powers[lexAt])
	if v.Kind != KindVariable {
		op := p.src[t.start:t.end]
		e := syntax(t.start, v.End, "S0214", diag.Quote(op)+" takes a variable", "write "+op+"$name")
		if v.Kind == KindPath && len(v.Args) == 1 && v.Args[0].Kind == KindName {
			e.Edits = diag.Insert(v.Start, "$")
		}
		p.fail(e)
	}
	return v
}
