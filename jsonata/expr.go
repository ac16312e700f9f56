package jsonata

import (
	"context"
	"strings"
)

// An Expr is a compiled expression. It is immutable: any number of goroutines evaluate
// it at the same time, each with an [Evaluator] of its own.
type Expr struct {
	ast    *AST
	env    *Env
	run    code
	slots  int  // variables of its own
	framed bool // it has a frame also without any
	path   bool // its result is a part of the input
}

// Compile compiles an expression that calls the functions of JSONata. The error is an
// *[Error]. A function that does not exist is an error when it is called.
func Compile(src string) (*Expr, error) {
	x, fault := standard.Compile(src)
	if fault != nil {
		return nil, fault
	}
	return x, nil
}

// Compile is [Compile] with the functions of v as well.
func (v *Env) Compile(src string) (*Expr, *Error) {
	if fault := CheckSource(src, MaxSource); fault != nil {
		return nil, fault
	}
	x := &parsedExpr{}
	if errs := x.tree.parse(src); len(errs) > 0 {
		return nil, errs[0]
	}
	return v.compileInto(&x.Expr, &x.tree)
}

// A parsedExpr holds an expression and its tree in one allocation.
type parsedExpr struct {
	Expr

	tree AST
}

// CompileAST compiles what has been parsed.
func (v *Env) CompileAST(ast *AST) (*Expr, *Error) { return v.compileInto(&Expr{}, ast) }

func (v *Env) compileInto(into *Expr, ast *AST) (x *Expr, fault *Error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Error:
			x, fault = nil, p
		default:
			panic(p)
		}
	}()
	c := compiler{src: ast.Source, env: v}
	return c.whole(into, ast, nil), nil
}

// whole compiles an expression into x. outer is the scope of the call of $eval whose text it
// is, or nil: what such a text binds, it binds there.
func (c *compiler) whole(x *Expr, ast *AST, outer *scope) *Expr {
	c.binds, c.evals = ast.binds, outer != nil || strings.Contains(ast.Source, "eval")
	c.scope, c.text = outer, outer
	if outer == nil {
		c.scope = &c.top
		c.declare(c.scope, []*Node{ast.Root})
	}
	x.ast, x.env, x.slots, x.framed = ast, c.env, len(c.scope.names), c.evals
	x.path = isNamePath(ast.Root) && (ast.Root.Args[0].Kind == KindName || ast.Root.Args[0].Text == "")
	x.run = c.compile(ast.Root)
	return x
}

// AST returns the parsed expression.
func (x *Expr) AST() *AST { return x.ast }

// IsPath reports whether the expression only names fields, so that its result is a part
// of the input.
func (x *Expr) IsPath() bool { return x.path }

// Refs returns what the expression may read.
func (x *Expr) Refs() *Refs { return x.ast.Refs() }

// An Option sets a field of the [Evaluator] of one evaluation.
type Option func(*Evaluator)

// WithVars gives the variables of an evaluation, by name without the $.
func WithVars(vars map[string]Value) Option { return func(e *Evaluator) { e.Vars = vars } }

// WithLimits gives the limits of an evaluation.
func WithLimits(l Limits) Option { return func(e *Evaluator) { e.Limits = l } }

// Eval evaluates x on an input, such as [Decode] returns. The result is a JSON value,
// or nil where the expression finds nothing. The error is an *[Error].
func (x *Expr) Eval(ctx context.Context, input Value, options ...Option) (Value, error) {
	var e Evaluator
	for _, set := range options {
		set(&e)
	}
	return e.Eval(ctx, x, input)
}
