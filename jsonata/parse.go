package jsonata

import (
	"cmp"
	"slices"
)

// MaxDepth is how deep brackets and operands may nest; MaxChain is how many
// operators may follow each other on one level.
const (
	MaxDepth = 500
	MaxChain = 10_000
)

// maxParents bounds "%", whose resolution is not linear.
const maxParents = 1000

// codeSyntax is the code of every fault that keeps an expression from being
// JSONata; codeTooDeep of one that is but goes beyond MaxDepth or MaxChain.
const (
	codeSyntax  = "syntax"
	codeTooDeep = "too-deep"
)

// Parse returns the syntax tree of a JSONata expression, or its first fault. It
// takes time linear in the length of src and accepts what the reference
// implementation accepts, within [MaxDepth] and [MaxChain].
func Parse(src string) (*AST, *Error) {
	ast := &AST{}
	if errs := ast.parse(src); len(errs) > 0 {
		return nil, errs[0]
	}
	return ast, nil
}

// parse makes a the tree of src and returns every fault of it in order of position.
// Operators and forms of other languages are read as what they mean, so that more than
// one fault can be found; the tree is then that of the meaning. There is none, and Root
// is nil, when a fault could not be read over.
func (a *AST) parse(src string) []*Error {
	p := parser{lex: lexer{src: src}, src: src}
	p.room()
	p.advance(false)
	root := p.program()
	hard := cmp.Or(p.err, p.late)
	if hard == nil && root.ancestry.open(root) {
		hard = p.noParent(root)
	}
	errs := p.lex.readOver
	if hard != nil {
		errs = append(slices.DeleteFunc(errs, func(e *Error) bool { return e.Start >= hard.Start }), hard)
	} else {
		p.finishLets(root)
	}
	if len(errs) > 1 {
		slices.SortStableFunc(errs, func(a, b *Error) int { return cmp.Compare(a.Start, b.Start) })
	}
	if hard == nil {
		*a = AST{Source: src, Root: root, Parents: p.parents > 0, binds: p.binds}
	}
	return errs
}

// A parser is a Pratt parser. After its first hard error every token is lexEnd,
// so that it unwinds by itself.
type parser struct {
	lex   lexer
	src   string
	tok   token // the next one
	prev  token // the last one consumed
	older token // the one before prev, without its text
	err   *Error
	late  *Error // what is wrong with the whole, if it can be parsed
	depth int
	pipes int // transforms open in this bracket, where "||" is two "|"
	lets  []letBinding

	parents int
	renames int
	binds   bool

	nodes   []Node  // made and not used yet
	lists   []*Node // the array that lists are cut from, as far as it is used
	pending []*Node // of the lists that are being parsed, from the outside in
}

// advance consumes the next token. infix says that an operator may follow it.
func (p *parser) advance(infix bool) {
	p.older.kind, p.older.start, p.older.end = p.prev.kind, p.prev.start, p.prev.end
	p.prev = p.tok
	p.tok = p.lex.next(infix)
	if p.tok.kind == lexPipePipe && p.pipes > 0 {
		p.tok = p.halve(p.tok)
	}
	if p.lex.err != nil && p.err == nil {
		p.err = p.lex.err
	}
}

// halve makes "|" of a "||" and leaves the second "|" to the lexer.
func (p *parser) halve(t token) token {
	t.kind, t.end = lexPipe, t.start+1
	p.lex.pos = t.end
	return t
}

// fail records a hard error, unless one came before it, and ends the input.
func (p *parser) fail(e *Error) {
	if p.err == nil {
		p.err = e
	}
	p.lex.pos = len(p.src)
	p.tok = token{kind: lexEnd, start: len(p.src), end: len(p.src)}
}

// postpone records what is wrong with an expression that can be parsed, unless something
// came before it. As in the reference, a fault that keeps it from being parsed comes first.
func (p *parser) postpone(e *Error) {
	if p.late == nil {
		p.late = e
	}
}

// readOver records a fault that was read over.
func (p *parser) readOver(s foreign, start, end int) *Error {
	e := s.at(start, end)
	p.lex.readOver = append(p.lex.readOver, e)
	return e
}

// expect consumes the closing token of open.
func (p *parser) expect(kind lexeme, open token, infix bool) {
	if p.tok.kind != kind {
		p.fail(p.unclosed(kind, open))
		return
	}
	p.advance(infix)
}

func chained(at *Node) *Error {
	return &Error{
		Code: codeTooDeep, Message: "more than 10000 operators follow each other on one level",
		Hint: "build the value with $sum, $join or an array instead", Start: at.Start, End: at.End,
	}
}

// program parses a whole expression and what wrongly follows it.
func (p *parser) program() *Node {
	if p.tok.kind == lexEnd && p.err == nil {
		p.fail(syntax(0, len(p.src), "S0207", "the expression is empty", `write $ for the whole context`))
	}
	root := p.expression(0)
	if p.tok.kind == lexSemicolon {
		root = p.statements(root, lexEnd)
	}
	if p.tok.kind != lexEnd {
		p.fail(p.leftover())
	}
	return root
}

// expression parses as long as operators bind tighter than right.
func (p *parser) expression(right uint8) *Node {
	if p.depth++; p.depth > MaxDepth && p.err == nil {
		p.fail(&Error{
			Code: codeTooDeep, Message: "the expression nests deeper than 500 levels",
			Hint: "split it over several transform nodes, or over variables in a block", Start: p.tok.start, End: p.tok.end,
		})
	}
	t := p.tok
	p.advance(true)
	left := p.climb(p.prefix(t), right)
	p.depth--
	return left
}

// climb gives left to the operators that follow it and bind tighter than right.
func (p *parser) climb(left *Node, right uint8) *Node {
	for p.power() > right {
		t := p.tok
		p.advance(false)
		left = p.infix(t, left)
	}
	return left
}

func (p *parser) power() uint8 {
	if int(p.tok.kind) < len(powers) {
		return powers[p.tok.kind]
	}
	return 0
}
