// Package expr evaluates the expressions of graphs in the scope of a run: JSONata
// to compute and JSON Logic to decide. It compiles a program once, evaluates it with
// limits, and infers the type of its result. It knows nothing of graphs.
package expr

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/recolabs/gnata"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A Program is a compiled JSONata expression. It is immutable: any number of
// runs evaluate one at the same time.
type Program struct {
	src  string
	tree *jsonata.AST
	path path // what it is when it only names fields

	text         string // as rewritten
	once         sync.Once
	x            *gnata.Expression
	err          error
	returnsInput bool // its result is a part of the context, so it needs no checking
	whole        bool // its result may hold the context itself
}

// Compile compiles a JSONata expression. An expression longer than 64 KiB, or
// with more than 250 brackets open at once, is refused before it is parsed. A
// unknown function is an error when it is called, not here.
func Compile(src string) (*Program, *jsonata.Error) { return compile(src, false) }

func compile(src string, bounded bool) (*Program, *jsonata.Error) {
	p, fault := prepare(src, bounded)
	if fault != nil {
		return nil, fault
	}
	if _, err := p.expression(); err != nil {
		return nil, explain(err, src)
	}
	return p, nil
}

// Prepare is Compile for an expression that may never be evaluated, as in a graph
// that is only checked: most of the work is left to the first evaluation. A pattern
// is compiled at once, as not all of them can be.
func Prepare(src string) (*Program, *jsonata.Error) {
	p, fault := prepare(src, false)
	if fault != nil {
		return nil, fault
	}
	if strings.Contains(src, "/") {
		if _, err := p.expression(); err != nil {
			return nil, explain(err, src)
		}
	}
	return p, nil
}

func prepare(src string, bounded bool) (*Program, *jsonata.Error) {
	if err := jsonata.CheckSource(src, maxSource); err != nil {
		return nil, err
	}
	if strings.TrimSpace(src) == "" {
		return nil, &jsonata.Error{Code: "syntax", Message: "the expression is empty", Hint: "write a JSONata expression, such as $.entry.name", End: len(src)}
	}
	tree, fault := jsonata.Parse(src)
	if fault != nil {
		return nil, fault
	}
	text, fault := rewrite(tree, bounded)
	if fault != nil {
		return nil, fault
	}
	p := &Program{src: src, tree: tree, text: text}
	if names, ok := plainPath(src); ok {
		p.path = names
	}
	return p, nil
}

// AST returns the parsed expression.
func (p *Program) AST() *jsonata.AST { return p.tree }

// expression compiles p once.
func (p *Program) expression() (*gnata.Expression, error) {
	p.once.Do(func() {
		if p.x, p.err = compileText(p.text); p.err == nil {
			p.whole = p.path == nil && p.tree.Refs().WholeRoot
			p.returnsInput = p.path != nil || p.x.IsFastPath() && !p.whole
		}
		p.text = ""
	})
	return p.x, p.err
}

// Source returns the text that was compiled.
func (p *Program) Source() string { return p.src }

// Eval evaluates p in s. The result is a JSON value or undefined (nil). An
// error is an *Error: timeout, cancelled, too-big, too-deep, too-much-memory,
// not-a-number, function-result, or JSONata's own code.
func (p *Program) Eval(ctx context.Context, s *Scope) (Value, error) {
	v, err := p.eval(ctx, s, 0)
	if err != nil {
		return nil, p.errorPlace(ctx, s, explain(err, p.src))
	}
	return v, nil
}

// eval evaluates p in at most so many steps; 0 is without a limit.
func (p *Program) eval(ctx context.Context, s *Scope, steps int) (Value, error) {
	g := &s.guard
	g.begin(ctx, s)
	g.most = steps
	defer g.end()
	if ctx.Err() != nil {
		return nil, explain(g.check(), p.src)
	}
	return p.run(g, s)
}

func (p *Program) run(g *guard, s *Scope) (Value, error) {
	if p.path != nil {
		if v, ok := p.path.in(s.root); ok {
			return v, nil
		}
	}
	x, err := p.expression()
	if err != nil {
		return nil, err
	}
	root := s.root
	if p.whole {
		root = s.snapshot()
	}
	v, err := s.evaluator().eval(g, x, root)
	if g.stopped != nil {
		err = g.stopped
	}
	if err != nil {
		return nil, p.namedPlace(explain(err, p.src))
	}
	if p.returnsInput {
		return v, nil
	}
	c := checker{guard: g}
	v, err = c.value(v)
	if err != nil {
		return nil, explain(err, p.src)
	}
	return v, nil
}

// compileText has gnata compile text. What its parser panics on is an error.
func compileText(text string) (x *gnata.Expression, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the expression cannot be compiled: %v", r)
		}
	}()
	return gnata.Compile(text)
}
