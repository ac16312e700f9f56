package jsonata

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A letBinding is a "let x = …" whose uses of x are found at the end.
type letBinding struct {
	err  *Error
	name *Node
}

// let parses "let x = value".
func (p *parser) let(t token) *Node {
	e := p.readOver(foreignLet, t.start, p.tok.end)
	name := p.leaf(KindVariable, p.tok)
	bare := p.tok.kind == lexName
	p.advance(true)
	if p.tok.kind != lexEqual && p.tok.kind != lexAssign {
		p.fail(e)
	}
	e.Edits = diag.Replace(t.start, p.tok.end, "$"+name.Text+" :=")
	p.advance(false)
	value := p.expression(powers[lexAssign] - 1)
	if bare {
		p.lets = append(p.lets, letBinding{e, name})
	}
	p.binds = true
	return p.node(KindBind, t.start, name, value)
}

// finishLets adds to each "let x" the edits that make its uses "$x".
func (p *parser) finishLets(root *Node) {
	for _, l := range p.lets {
		for _, e := range p.variables(root, l.name) {
			if e.Start >= l.err.End {
				l.err.Edits = append(l.err.Edits, e)
			}
		}
	}
}

// maxRenames bounds how often an expression is searched for uses of a name.
const maxRenames = 20

// variables returns the edits that make variables of the bare uses of a name in
// body. An object's plain key is not one.
func (p *parser) variables(body, name *Node) (edits []diag.TextEdit) {
	if p.renames++; p.renames > maxRenames {
		return nil
	}
	text := name.Text
	if name.Kind == KindPath {
		text = name.Args[0].Text
	}
	var visit func(n *Node)
	visit = func(n *Node) {
		if n.Kind == KindPath {
			if s := n.Args[0]; s.Kind == KindName && s.Text == text {
				edits = append(edits, diag.Insert(s.Start, "$")...)
			}
		}
		for i, c := range n.Args {
			if key := i%2 == 0 && (n.Kind == KindObject || n.Kind == KindGroup); !key || len(c.Args) != 1 {
				visit(c)
			}
		}
		for _, c := range n.Stages {
			visit(c)
		}
		if n.Group != nil {
			visit(n.Group)
		}
	}
	visit(body)
	slices.SortFunc(edits, func(a, b diag.TextEdit) int { return a.Start - b.Start })
	return slices.Compact(edits)
}

// statements parses "; …" after first, outside parentheses: up to the end of the expression,
// or inside the braces of a function.
func (p *parser) statements(first *Node, end lexeme) *Node {
	e := p.readOver(foreignSemicolon, p.tok.start, p.tok.end)
	if end == lexCloseCurly {
		e.Reference = "S0202"
	}
	args := []*Node{first}
	var last token
	for p.tok.kind == lexSemicolon {
		last = p.tok
		if p.advance(false); p.tok.kind == end {
			break
		}
		args = append(args, p.expression(0))
	}
	n := p.node(KindBlock, first.Start, args...)
	n.inherit(args...)
	if p.err == nil && len(args) == 1 {
		e.Edits = diag.Replace(e.Start, last.end, "")
	} else if p.err == nil {
		e.Edits = diag.Surround(first.Start, n.End, "(", ")")
	}
	return n
}
