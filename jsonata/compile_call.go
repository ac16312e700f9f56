package jsonata

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
)

// An argument is a compiled argument of a call.
type argument struct {
	run    code
	fresh  bool // a function that it is, is nothing else's value
	passed bool // it is a function that is passed already
}

func (c *compiler) argument(n *Node, tail bool) argument {
	if n.Bare(KindRegex) && !tail {
		fn := c.regexFunction(n)
		fn.passed = true
		return argument{run: constant(fn), passed: true}
	}
	return argument{run: c.inner(n), fresh: n.Kind == KindLambda}
}

// call compiles a call. lead is what "~>" passes as the first argument, or nil.
func (c *compiler) call(n *Node, lead code, tail bool) code {
	proc := c.inner(n.Args[0])
	args := make([]argument, 0, len(n.Args))
	if lead != nil {
		args = append(args, argument{run: lead})
	}
	for _, arg := range n.Args[1:] {
		args = append(args, c.argument(arg, tail))
	}
	leads, held := lead != nil, c.held
	scope, env := c.evalScope(), c.env
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		var first any
		if leads {
			first = args[0].run(e, f, in)
		}
		called := proc(e, f, in)
		fn, ok := called.(*Function)
		if called == nil {
			e.fieldCalled(n, env)
		}
		base := len(e.stack)
		for i, arg := range args {
			v := first
			if i > 0 || !leads {
				v = arg.run(e, f, in)
				if given, ok := v.(*Function); ok && !tail && !arg.passed {
					v = e.pass(given, arg.fresh)
				}
			}
			e.stack = append(e.stack, v)
		}
		if !ok {
			e.notFunction(n, called, env)
		}
		if tail && (held || fn.body != nil || fn.asks(len(args))) {
			e.tail = tailCall{fn: fn, base: base, site: n}
			return tailMark
		}
		return e.callStack(fn, n, f, in, base, leads, scope)
	}
}

// evalScope is the scope of a call, if $eval may evaluate text in it, or nil.
func (c *compiler) evalScope() *scope {
	if c.evals {
		return c.scope
	}
	return nil
}

// asks reports whether a native function, given so many arguments, asks for the context or
// the variables of its call.
func (fn *Function) asks(given int) bool {
	return fn.scoped || fn.sig != nil && given < len(fn.sig.params) && fn.sig.contextual
}

// drop takes the arguments from base on off the stack.
func (e *Evaluator) drop(base int) {
	clear(e.stack[base:])
	e.stack = e.stack[:base]
}

// callStack calls a function with the arguments on the stack.
func (e *Evaluator) callStack(fn *Function, n *Node, f *frame, in any, base int, lead bool, scope *scope) any {
	if fn.body == nil {
		return e.native(fn, n, f, in, base, lead, scope)
	}
	e.fit(fn, n, in, base, lead)
	return e.apply(fn, n, base, in, f, scope)
}

// native calls a native function with the arguments on the stack.
func (e *Evaluator) native(fn *Function, n *Node, f *frame, in any, base int, lead bool, scope *scope) any {
	if fn.passed {
		in = null{}
	}
	saved := e.call
	e.call = native{fn: fn, node: n, frame: f, scope: scope, in: in, lead: lead, depth: int32(e.depth)}
	args := e.stack[base:]
	if fn.sig != nil {
		args = fn.sig.fit(e, fn.name, args, in)
	}
	e.step()
	if row := fn.row; row != nil && row.Steps+row.Each > 0 {
		e.charge(row, args)
	}
	var v any
	if !fn.strict || args[0] != nil {
		v = fn.native(e, args)
	}
	e.call = saved
	e.drop(base)
	return v
}

// charge counts the steps that the row of a function declares.
func (e *Evaluator) charge(row *Builtin, args []any) {
	n := row.Steps
	if row.Each > 0 && len(args) > 0 {
		switch v := args[0].(type) {
		case string:
			if row.Cost != CostItems {
				n += len(v) / row.Each
			}
		case []any:
			if row.Cost == CostItems {
				n += len(v) / row.Each
			}
		}
	}
	e.steps(n)
}

// fit makes the arguments on the stack of a function that an expression defines what its
// signature says.
func (e *Evaluator) fit(fn *Function, n *Node, in any, base int, lead bool) {
	if fn.sig == nil {
		return
	}
	saved := e.call
	if fn.passed {
		in = null{}
	}
	e.call = native{fn: fn, node: n, in: in, lead: lead, depth: int32(e.depth)}
	args := fn.sig.fit(e, fn.name, e.stack[base:], in)
	e.stack = append(e.stack[:base], args...)
	e.call = saved
}

// apply calls a function that an expression defines with the arguments on the stack, and
// then what it ends with: as in jsonata-js, in the context and the frame of this call.
func (e *Evaluator) apply(fn *Function, site *Node, base int, in any, outside *frame, scope *scope) any {
	if e.depth++; e.depth > e.limits.MaxCalls {
		e.tooManyCalls(site)
	}
	levels, outer := e.levels, e.site
	if fn.passed {
		in = null{}
	}
	for {
		e.site = site
		b := fn.body
		if e.levels = levels + b.height; e.levels > maxLevels {
			e.tooManyCalls(site)
		}
		e.steps(2)
		f := e.frame(fn.frame, b.slots)
		args := e.stack[base:]
		for i, slot := range b.params {
			f.vars[slot] = nil
			if i < len(args) {
				f.vars[slot] = args[i]
				if list, ok := args[i].([]any); ok && len(list) <= 1 {
					f.vars[slot] = collapse(list, false)
				}
			}
		}
		e.drop(base)
		v := b.run(e, f, fn.in)
		if b.reuse {
			e.release(f)
		}
		if v == tailMark {
			fn, base, site = e.tail.fn, e.tail.base, e.tail.site
			e.tail = tailCall{}
			if fn.body != nil {
				e.fit(fn, site, in, base, false)
				continue
			}
			e.site = site
			v = e.native(fn, site, outside, in, base, false, scope)
		}
		e.depth--
		e.levels, e.site = levels, outer
		return v
	}
}

func (e *Evaluator) tooManyCalls(site *Node) {
	fault := e.fault(site, "U1001", "the expression calls itself too often")
	fault.CallStart, fault.CallEnd = fault.Start, fault.End
	e.stop(fault)
}

// invoke calls a function from a native one: its context is null, as in jsonata-js.
func (e *Evaluator) invoke(fn *Function, n *Node, args ...any) any {
	base := len(e.stack)
	e.stack = append(e.stack, args...)
	return e.invokeStack(fn, n, null{}, base)
}

func (e *Evaluator) invokeStack(fn *Function, n *Node, in any, base int) any {
	return e.invokeIn(fn, n, in, base, e.call.frame, e.call.scope)
}

func (e *Evaluator) invokeIn(fn *Function, n *Node, in any, base int, f *frame, scope *scope) any {
	e.step()
	return e.callStack(fn, n, f, in, base, false, scope)
}

// fieldCalled fails for a call of a field whose name is that of a function.
func (e *Evaluator) fieldCalled(n *Node, env *Env) {
	if f := n.Args[0]; PlainField(f) && env.function(f.Args[0].Text) != nil {
		e.fail(f, "T1005", "%s is not a function; did you mean $%s?", f.Args[0].Text, f.Args[0].Text)
	}
}

// notFunction fails for a call of what is not a function.
func (e *Evaluator) notFunction(n *Node, v any, env *Env) {
	f := n.Args[0]
	if f.Kind != KindVariable || v != nil {
		e.fail(f, "T1006", "what is called is not a function: %s", describe(v))
	}
	fault := e.fault(f, "T1006", "there is no function $"+f.Text)
	fault.Hint = env.hint(f.Text)
	fault.CallStart, fault.CallEnd = n.Start, n.End
	panic(fault)
}

// hint says what to write for a function that does not exist.
func (v *Env) hint(name string) string {
	if hint := v.historyHint(name); hint != "" {
		return hint
	}
	if near := diag.Closest(name, v.names()); near != "" {
		return "did you mean $" + near + "?"
	}
	return "the functions are listed at https://docs.jsonata.org"
}

// A body is the compiled body of a function that an expression defines.
type body struct {
	node   *Node
	params []int // slots
	slots  int
	run    code
	height int
	reuse  bool // nothing refers to the frame after a call
}

// lambda compiles the definition of a function.
func (c *compiler) lambda(n *Node) code {
	params, inner := n.Args[:len(n.Args)-1], n.Args[len(n.Args)-1]
	outer, tail, held := c.scope, c.tail, c.held
	c.scope, c.held = &scope{outer: outer}, false
	b := &body{node: n, height: int(inner.height) + 2, reuse: !captures(inner), params: make([]int, 0, len(params))}
	for _, p := range params {
		c.scope.declare(p.Text)
	}
	c.scope.bound = len(c.scope.names)
	for _, p := range params {
		b.params = append(b.params, slices.Index(c.scope.names, p.Text))
	}
	c.declare(c.scope, n.Args[len(params):])
	b.slots = len(c.scope.names)
	b.run = c.branch(inner, true)
	c.scope, c.tail, c.held = outer, tail, held
	var sig *signature
	if n.Text != "" {
		sig = parseSignature(n.Text)
	}
	arity := len(params)
	return func(e *Evaluator, f *frame, in any) any {
		e.alloc(96)
		return &Function{name: "function", arity: arity, sig: sig, body: b, frame: f, in: in}
	}
}

// partial compiles a partial application.
func (c *compiler) partial(n *Node) code {
	args := make([]code, len(n.Args)-1)
	for i, arg := range n.Args[1:] {
		if arg.Kind != KindHole {
			args[i] = c.inner(arg)
		}
	}
	proc := c.inner(n.Args[0])
	env := c.env
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		given := make([]any, len(args))
		for i, arg := range args {
			if arg != nil {
				given[i] = arg(e, f, in)
			}
		}
		v := proc(e, f, in)
		fn, ok := v.(*Function)
		if !ok {
			if PlainField(n.Args[0]) && v == nil && env.function(n.Args[0].Args[0].Text) != nil {
				e.fail(n.Args[0], "T1007", "%s is not a function; did you mean $%s?", n.Args[0].Args[0].Text, n.Args[0].Args[0].Text)
			}
			e.fail(n.Args[0], "T1008", "only a function takes ? as an argument, and this is %s", describe(v))
		}
		switch {
		case fn.passed:
			e.fail(n, "S0202", "a function that is the argument of a call cannot be applied partially; write function($x) { … } instead")
		case fn.row != nil && fn.row.Name == "string":
			e.fail(n, "S0208", "$string cannot be applied partially; write function($x) { $string($x) } instead")
		}
		taken, holes := args[:min(len(args), fn.parameters())], 0
		for _, arg := range taken {
			if arg == nil {
				holes++
			}
		}
		e.alloc(128)
		return &Function{name: fn.name, arity: holes, scoped: true, partial: true, native: func(e *Evaluator, rest []any) any {
			base := len(e.stack)
			for i, arg := range taken {
				switch {
				case arg != nil:
					e.stack = append(e.stack, given[i])
				case len(rest) > 0:
					e.stack = append(e.stack, rest[0])
					rest = rest[1:]
				default:
					e.stack = append(e.stack, nil)
				}
			}
			if fn.body != nil { // as in jsonata-js, whatever its signature says
				return e.apply(fn, n, base, e.call.in, e.call.frame, e.call.scope)
			}
			fn.sig.fill(e, base)
			fn.sig.positions(e, fn.name, e.stack[base:])
			return e.invokeStack(fn, n, nil, base)
		}}
	}
}

// apply compiles "~>": a call with one more argument, a call, or a function made of two.
// As in jsonata-js, what qualifies the call on the right is not looked at.
func (c *compiler) apply(n *Node) code {
	left, right := n.Args[0], n.Args[1]
	lead := c.inner(left)
	if right.Kind == KindCall {
		return c.call(right, lead, false)
	}
	proc, scope := c.inner(right), c.evalScope()
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		v := lead(e, f, in)
		w := proc(e, f, in)
		fn, ok := w.(*Function)
		if !ok {
			e.fail(right, "T2006", `the right side of "~>" must be a function, got %s`, describe(w))
		}
		if first, ok := v.(*Function); ok {
			return &Function{name: "function", arity: 1, scoped: true, native: func(e *Evaluator, args []any) any {
				e.step()
				var arg any
				if len(args) > 0 {
					arg = collapse(args[0], false)
				}
				e.levels += 10
				if e.levels > maxLevels {
					e.tooManyCalls(n)
				}
				base := len(e.stack)
				e.stack = append(e.stack, arg)
				v := collapse(e.invokeStack(first, n, null{}, base), false)
				e.stack = append(e.stack, v)
				v = e.invokeStack(fn, n, e.call.in, base)
				e.levels -= 10
				return v
			}}
		}
		base := len(e.stack)
		e.stack = append(e.stack, v)
		return e.invokeIn(fn, n, null{}, base, f, scope)
	}
}
