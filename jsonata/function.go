package jsonata

import "github.com/patchbay-mcp/patchbay/internal/regex"

// A Function is a function as a value: a native one, one that an expression defines, or
// one that is made of others.
type Function struct {
	name    string
	arity   int // parameters that a function which calls it gives it values for
	sig     *signature
	native  func(e *Evaluator, args []any) any
	row     *Builtin // of a built-in one
	partial bool     // of another one
	passed  bool     // it is an argument of a call
	scoped  bool     // it evaluates something in the context and scope of its call
	body    *body
	frame   *frame // that body was defined in
	in      any    // the input that it was defined on
	regex   *regex.Regexp
}

// parameters returns how many arguments a partial application of fn takes. As in jsonata-js,
// it drops further ones.
func (fn *Function) parameters() int {
	if fn.row != nil && fn.row.Many() {
		return 1
	}
	return fn.arity
}

// pass is a function as the argument of a call: as in jsonata-js another function, which
// calls this one without a context. A fresh one needs no copy.
func (e *Evaluator) pass(fn *Function, fresh bool) *Function {
	if !fresh {
		e.alloc(128)
		same := *fn
		fn = &same
	}
	fn.pass()
	return fn
}

func (fn *Function) pass() {
	fn.passed = true
}
