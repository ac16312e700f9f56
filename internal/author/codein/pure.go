package codein

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/patchbay-mcp/patchbay/types"
)

// exits are what follows where control leaves statements: at their end, after continue,
// break and return.
type exits struct {
	end, next, leave func(scope) value
	ret              func(value) value
}

// maxLoops is how deep loops may be nested: each is compiled several times.
const maxLoops = 4

// packed returns the values of variables as one value; if wide, always as an object.
func packed(vars []string, s scope, wide bool) string {
	if len(vars) == 1 && !wide {
		return s[vars[0]].e
	}
	members := make([]string, len(vars))
	for i, name := range vars {
		members[i] = quote(name) + ": " + s[name].e
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// unpack makes variables parts of a packed value.
func (s scope) unpack(vars []string, e string, known []value, wide bool) {
	for i, name := range vars {
		if s[name] = known[i].as(e); len(vars) > 1 || wide {
			s[name] = known[i].as(e + "." + field(name))
		}
	}
}

// values returns the values of variables.
func (s scope) values(vars []string) []value {
	list := make([]value, len(vars))
	for i, name := range vars {
		list[i] = s[name]
	}
	return list
}

// joined returns the types of variables after two branches meet.
func joined(a, b []value) []value {
	if a == nil {
		return b
	}
	list := make([]value, len(a))
	for i := range a {
		list[i] = a[i].or(b[i])
	}
	return list
}

// settle returns what is known of the values that a loop changes. It compiles the loop with
// what they are at first, and again with what they become, until that stays as it is.
func (c *compiler) settle(now []value, at ast.Node, pass func(now []value) (next []value)) []value {
	if c.loops++; c.loops > maxLoops {
		c.refuse(at, "make the inner loops a graph of their own", "loops are nested more than %d deep", maxLoops)
	}
	defer func() { c.loops-- }()
	for i := 0; ; i++ {
		again, doubts := c.save(), c.doubts
		c.tentative++
		next, same := joined(now, pass(slices.Clone(now))), true
		c.tentative--
		for j := range next {
			a, b := now[j], next[j]
			if !a.t.Equal(b.t) || a.sure != b.sure || a.items != b.items || a.deep != b.deep || a.guess != b.guess {
				if same = false; i == 2 {
					next[j] = value{t: types.Unknown()}
				}
			}
		}
		if same && c.doubts == doubts {
			return now
		}
		again()
		if same { // what was refused is so with all that is known
			pass(slices.Clone(now))
			return now
		}
		now = next
	}
}

// flow compiles statements without calls to one expression.
func (c *compiler) flow(list []ast.Statement, s scope, k exits) value {
	var lets []string
	let := func(name string, v value) value {
		if v.fn != nil || isReference(v.e) {
			return v
		}
		local := c.local(name)
		lets = append(lets, local+" := "+v.e)
		return v.as(local)
	}
	done := func(v value) value {
		if len(lets) > 0 {
			v.e = "(" + strings.Join(lets, "; ") + "; " + v.e + ")"
		}
		return v
	}
	s.hoist(c, list)
	for i, x := range list {
		rest := list[i+1:]
		if l := c.loopOf(x); l != nil {
			for _, b := range l.init {
				c.bind(b.Target, let("i", c.expression(b.Initializer, s)), s)
			}
			e, vars, known, returned := c.repeat(l, s)
			all := let("r", value{e: e})
			s.unpack(vars, all.e, known, l.exits)
			if !returns(l.body) {
				continue
			}
			after, found := c.flow(rest, s, k), k.ret(returned.as(all.e+".r.v"))
			return done(found.or(after).as("($exists(" + all.e + ".r) ? " + found.e + " : " + after.e + ")"))
		}
		switch x := x.(type) {
		case *ast.EmptyStatement, *ast.FunctionDeclaration:
		case *ast.ReturnStatement:
			v := sure("()", types.Undefined)
			if x.Argument != nil {
				v = c.expression(x.Argument, s)
			}
			return done(k.ret(v))
		case *ast.ThrowStatement:
			if c.handler != nil {
				c.refuse(x, "return a value that says what is wrong, and throw where it is called", "throw in a helper or a loop without calls, inside of try, is not supported")
			}
			return done(never.as("$error(" + c.thrown(x, s).e + ")"))
		case *ast.BranchStatement:
			exit := map[token.Token]func(scope) value{token.BREAK: k.leave, token.CONTINUE: k.next}[x.Token]
			if exit == nil || x.Label != nil {
				c.refuse(x, unread["*ast.LabelledStatement"][1], "this %s is not supported", x.Token)
			}
			return done(exit(s))
		case *ast.BlockStatement:
			return done(c.flow(slices.Concat(x.List, rest), s, k))
		case *ast.LexicalDeclaration:
			for _, b := range x.List {
				switch {
				case b.Initializer == nil:
					c.bind(b.Target, sure("()", types.Undefined), s)
				case isFunction(b.Initializer):
					c.constant(b, s)
				default:
					c.bind(b.Target, let("c", c.taken(b.Initializer, s, let)), s)
				}
			}
		case *ast.ExpressionStatement:
			for _, x := range sequence(x.Expression) {
				name, v := c.change(x, s, func(x ast.Expression) value { return c.taken(x, s, let) })
				s[name] = let(plainName(name), v)
			}
		case *ast.IfStatement:
			return done(c.fork(x, rest, s, k))
		case *ast.SwitchStatement:
			subject := let("c", c.expression(x.Discriminant, s))
			return done(c.flow(append([]ast.Statement{c.cases(x, subject)}, rest...), s, k))
		default:
			c.unsupported(x)
		}
	}
	return done(k.end(s))
}

// fork compiles an if and the statements after it.
func (c *compiler) fork(x *ast.IfStatement, rest []ast.Statement, s scope, k exits) value {
	defer c.deeper(x)()
	test := c.truth(c.expression(x.Test, s))
	vars := c.assigned(s, x.Consequent, x.Alternate)
	name, inner := c.local("k"), k
	var ends []scope
	var calls []string
	if len(rest) > 0 {
		inner.end = func(s scope) value {
			ends, calls = append(ends, s), append(calls, name+"("+packed(vars, s, len(vars) == 0)+")")
			return never.as(calls[len(calls)-1])
		}
	}
	arm := func(body ast.Statement, yes bool) value {
		s := c.narrowed(x.Test, s.child(), yes)
		if body == nil {
			return inner.end(s)
		}
		return c.flow([]ast.Statement{body}, s, inner)
	}
	a, b := arm(x.Consequent, true), arm(x.Alternate, false)
	out := a.or(b).as("(" + test + " ? " + a.e + " : " + b.e + ")")
	switch len(ends) {
	case 0:
		return out
	case 1: // it follows there
		after := c.flow(rest, ends[0], k)
		return out.or(after).as(strings.Replace(out.e, calls[0], after.e, 1))
	}
	var known []value
	for _, e := range ends {
		known = joined(known, e.values(vars))
	}
	param := c.local("s")
	s.unpack(vars, param, known, false)
	after := c.flow(rest, s, k)
	return out.or(after).as("(" + name + " := function(" + param + ") {" + after.e + "}; " + out.e + ")")
}

// narrowed returns a scope in which a test was true, or was false: a variable that it takes as
// true, or compares with null or undefined, is not that there.
func (c *compiler) narrowed(test ast.Expression, s scope, yes bool) scope {
	without := func(x ast.Expression, k types.Kind) scope {
		id, ok := x.(*ast.Identifier)
		if !ok || !s.has(c.variable(id)) {
			return s
		}
		v := s[c.variable(id)]
		v.t = v.t.Without(k)
		s = s.child()
		s[c.variable(id)] = v
		return s
	}
	switch x := test.(type) {
	case *ast.Identifier:
		if yes {
			return without(x, types.Null|types.Undefined)
		}
	case *ast.UnaryExpression:
		if x.Operator == token.NOT {
			return c.narrowed(x.Operand, s, !yes)
		}
	case *ast.BinaryExpression:
		switch x.Operator { //nolint:exhaustive // the others say nothing
		case token.LOGICAL_AND, token.LOGICAL_OR:
			if yes == (x.Operator == token.LOGICAL_AND) {
				return c.narrowed(x.Right, c.narrowed(x.Left, s, yes), yes)
			}
		case token.STRICT_EQUAL, token.STRICT_NOT_EQUAL:
			if yes == (x.Operator == token.STRICT_NOT_EQUAL) {
				return without(x.Left, nothing(x.Right))
			}
		case token.EQUAL, token.NOT_EQUAL:
			if yes == (x.Operator == token.NOT_EQUAL) && nothing(x.Right) != 0 {
				return without(x.Left, types.Null|types.Undefined)
			}
		}
	}
	return s
}

// nothing is the kind of null and of undefined, as they are written; 0 of anything else.
func nothing(x ast.Expression) types.Kind {
	if _, ok := x.(*ast.NullLiteral); ok {
		return types.Null
	}
	if id, ok := x.(*ast.Identifier); ok && id.Name == "undefined" {
		return types.Undefined
	}
	return 0
}

// A loop is a statement that repeats others.
type loop struct {
	at           ast.Statement
	items        ast.Expression // of for … of, and of forEach
	item, index  ast.BindingTarget
	init         []*ast.Binding
	test, update ast.Expression
	body         ast.Statement
	post         bool // the test is after the body
	exits        bool // control may leave the body
}

// loopOf is a statement as a loop; nil if it is another one.
func (c *compiler) loopOf(x ast.Statement) *loop {
	var l *loop
	switch x := x.(type) {
	case *ast.ForOfStatement:
		d, ok := x.Into.(*ast.ForDeclaration)
		if !ok {
			c.refuse(x, "write for (const x of xs)", "this loop is not supported")
		}
		l = &loop{items: x.Source, item: d.Target, body: x.Body}
	case *ast.ExpressionStatement:
		if l = c.forEach(x); l == nil {
			return nil
		}
	case *ast.ForStatement:
		l = &loop{test: x.Test, update: x.Update, body: x.Body}
		if d, ok := x.Initializer.(*ast.ForLoopInitializerLexicalDecl); ok {
			l.init = d.LexicalDeclaration.List
		} else if x.Initializer != nil {
			c.refuse(x, "write for (let i = 0; …)", "this loop is not supported")
		}
	case *ast.WhileStatement:
		l = &loop{test: x.Test, body: x.Body}
	case *ast.DoWhileStatement:
		l = &loop{test: x.Test, body: x.Body, post: true}
	default:
		return nil
	}
	l.at = x
	l.exits = returns(l.body) || branches(l.body, token.BREAK)
	return l
}

// forEach is xs.forEach((item, index) => …) as a loop; nil if a statement is another one.
func (c *compiler) forEach(x *ast.ExpressionStatement) *loop {
	list, name, args := methodOf(x.Expression)
	if name != "forEach" || len(args) != 1 {
		return nil
	}
	params, body := signature(args[0])
	if params == nil || params.Rest != nil || len(params.List) == 0 || len(params.List) > 2 || awaits(body) {
		return nil
	}
	if len(body) == 1 {
		if r, ok := body[0].(*ast.ReturnStatement); ok && r.Argument != nil {
			body = []ast.Statement{&ast.ExpressionStatement{Expression: r.Argument}}
		}
	}
	l := &loop{items: list, item: params.List[0].Target, body: &ast.BlockStatement{LeftBrace: x.Idx0(), List: body, RightBrace: x.Idx1() - 1}}
	if len(params.List) == 2 {
		l.index = params.List[1].Target
	}
	if returns(l.body) {
		c.refuse(x, "write for (const x of xs) with continue", "return in forEach is not supported")
	}
	return l
}

// repeat compiles a loop without calls. Its value is the variables that it changes; with
// exits it is an object, in which d says that the loop was left, and r is what it returned.
func (c *compiler) repeat(l *loop, s scope) (e string, vars []string, known []value, returned value) {
	vars = c.assigned(s, l.body, l.update, l.test)
	var items value
	if l.items != nil {
		items = c.asList(c.expression(l.items, s), l.items)
	}
	start := packed(vars, s, l.exits)
	known = c.settle(s.values(vars), l.at, func(now []value) (next []value) {
		state, x, again, body, n := c.local("s"), c.local("x"), c.local("l"), c.local("b"), c.local("i")
		s := s.child()
		s.unpack(vars, state, now, l.exits)
		test := "true"
		if l.test != nil {
			test = c.truth(c.expression(l.test, s.child()))
		}
		if l.items != nil {
			c.bind(l.item, item(items, x), s)
		}
		if l.index != nil {
			c.bind(l.index, sure(n, types.Integer), s)
			x += ", " + n
		}
		end := func(s scope) value {
			next = joined(next, s.values(vars))
			return never.as(packed(vars, s, l.exits))
		}
		var k exits
		k.end = func(s scope) value {
			if l.update != nil {
				return c.flow([]ast.Statement{&ast.ExpressionStatement{Expression: l.update}}, s, exits{end: end})
			}
			return end(s)
		}
		k.next = k.end
		k.leave = func(s scope) value {
			v := end(s)
			return v.as(strings.Replace(v.e[:len(v.e)-1]+`, "d": true}`, "{, ", "{", 1))
		}
		returned = never
		k.ret = func(v value) value {
			returned = returned.or(v)
			return never.as(`{"d": true, "r": {"v": ` + v.e + "}}")
		}
		v := c.flow([]ast.Statement{l.body}, s, k).e
		if l.exits {
			v = state + ".d ? " + state + " : " + v
			test = "$not($truthy(" + state + ".d)) and " + test
		}
		if l.items != nil {
			e = "$reduce(" + items.e + ", function(" + state + ", " + x + ") {" + v + "}, " + start + ")"
			return next
		}
		e = "(" + body + " := function(" + state + ") {" + v + "}; " + again + " := function(" + state + ") {" + test + " ? " + again + "(" + body + "(" + state + ")) : " + state + "}; " + again + "("
		if l.post {
			e += body + "(" + start + "))"
		} else {
			e += start + ")"
		}
		e += ")"
		return next
	})
	return e, vars, known, returned
}

// apply is what a helper returns for arguments. Variables that change have the values that
// they have where it is called.
func (c *compiler) apply(f *function, args []value, at ast.Node, caller scope) value {
	defer c.enter(at)()
	c.pure++
	defer func() { c.pure-- }()
	s := c.bound(f, args, at, caller)
	_, body := signature(f.code)
	if awaits(body) {
		c.refuse(at, "await the helper, and give Promise.all the calls themselves", "a helper that makes calls is not supported here")
	}
	if vars := c.assigned(f.scope, body); len(vars) > 0 {
		c.refuse(at, "return the new value, use reduce, or write a loop", "a change of the outer variable %s in a function is not supported", plainName(vars[0]))
	}
	undefined := func(scope) value { return sure("()", types.Undefined) }
	return c.flow(body, s, exits{end: undefined, ret: func(v value) value { return v }})
}

// maxInlined is how deep helpers may call each other.
const maxInlined = 20

// enter counts the helpers that call each other; call the result when the helper is done.
func (c *compiler) enter(at ast.Node) func() {
	if c.calls++; c.calls > maxInlined {
		c.refuse(at, "use map, filter or reduce, or a loop with a list of what is left to do", "a function that calls itself is not supported")
	}
	return func() { c.calls-- }
}

// bound returns the scope of a helper for one call.
func (c *compiler) bound(f *function, args []value, at ast.Node, caller scope) scope {
	params, _ := signature(f.code)
	s := f.scope.child()
	for name := range c.changed {
		if v, ok := caller[name]; ok && f.scope.has(name) {
			s[name] = v
		}
	}
	if params.Rest != nil {
		c.refuse(at, "name the parameters", "a rest of parameters is not supported")
	}
	for i, p := range params.List {
		v := sure("()", types.Undefined)
		if i < len(args) {
			v = args[i]
		}
		var target any = p.Target
		if p.Initializer != nil {
			target = &ast.AssignExpression{Left: p.Target.(ast.Expression), Right: p.Initializer}
		}
		c.bind(target, v, s)
	}
	return s
}

// signature returns the parameters and the statements of a function.
func signature(x ast.Node) (*ast.ParameterList, []ast.Statement) {
	switch f := x.(type) {
	case *ast.FunctionLiteral:
		return f.ParameterList, f.Body.List
	case *ast.ArrowFunctionLiteral:
		return f.ParameterList, f.Body.(*ast.BlockStatement).List
	}
	return nil, nil
}
