// Package expr evaluates the expressions of graphs in the scope of a run: JSONata
// to compute and JSON Logic to decide. It evaluates with the limits and turns of a
// run, and infers the type of a result. It knows nothing of graphs.
package expr

import (
	"context"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A Program is a compiled JSONata expression. It is immutable: any number of
// runs evaluate one at the same time.
type Program struct {
	x     *jsonata.Expr
	whole bool // its result may hold the context itself
}

// Compile compiles a JSONata expression. An expression longer than 64 KiB, or
// with more than 250 brackets open at once, is refused before it is parsed. An
// unknown function is an error when it is called, not here.
func Compile(src string) (*Program, *jsonata.Error) {
	if strings.TrimSpace(src) == "" {
		return nil, &jsonata.Error{Code: diag.CodeSyntax, Message: "the expression is empty", Hint: "write a JSONata expression, such as $.entry.name", End: len(src)}
	}
	x, fault := functions().Compile(src)
	if fault != nil {
		return nil, fault
	}
	return &Program{x: x, whole: !x.IsPath() && x.Refs().WholeRoot}, nil
}

// AST returns the parsed expression.
func (p *Program) AST() *jsonata.AST { return p.x.AST() }

// Source returns the text that was compiled.
func (p *Program) Source() string { return p.x.AST().Source }

// Eval evaluates p in s. The result is a JSON value or undefined (nil). An
// error is an *[jsonata.Error]: timeout, cancelled, too-much-work, too-big, too-deep,
// too-much-memory, not-a-number, function-result, or JSONata's own code.
func (p *Program) Eval(ctx context.Context, s *Scope) (Value, error) {
	s.begin(ctx)
	defer s.end()
	v, err := p.run(s)
	if err != nil {
		err = s.explained(err)
	}
	return v, err
}

// run evaluates p in an evaluation that has begun.
func (p *Program) run(s *Scope) (Value, error) {
	root := s.root
	if p.whole {
		root = s.snapshot()
	}
	return s.evaluator.Run(p.x, root)
}
