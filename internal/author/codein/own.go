package codein

import (
	"slices"

	"github.com/dop251/goja/ast"
)

// A use is a place where the code does something with a variable. Depth counts the parts
// between the variable and the value that is meant: 1 for v.a, 2 for v.a[0].
type use struct {
	at    ast.Node
	depth int
	first string         // the name of the first part; "" if it is not known
	value ast.Expression // that is stored; nil if it is not known
	part  bool           // only a part of value is stored
	loops []ast.Node     // and functions around it
}

// uses lists the uses of one variable.
type uses struct {
	changes []use // of an object or a list in place
	stores  []use
	escapes []use // where it gets a second name
}

// usesOf is the uses of the variable that an expression begins with, and this use of it.
func (c *compiler) usesOf(x ast.Expression, loops []ast.Node) (*uses, use) {
	id, depth, first := root(x)
	if id == nil {
		return nil, use{}
	}
	name := c.variable(id)
	if c.uses[name] == nil {
		c.uses[name] = &uses{}
	}
	return c.uses[name], use{at: x, depth: depth, first: first, loops: loops}
}

// collect notes what a part of the code does with variables. plain says that the value of
// an expression is only looked at, or copied as a whole.
func (c *compiler) collect(n ast.Node, loops []ast.Node, plain bool) {
	visit := func(x ast.Node, plain bool) { c.collect(x, loops, plain) }
	all := func(n ast.Node, plain bool) {
		inner(n, func(y ast.Node) bool { visit(y, plain); return false })
	}
	store := func(target ast.Expression, depth int, v ast.Expression, part bool) {
		if u, here := c.usesOf(target, loops); u != nil {
			here.depth, here.value, here.part = here.depth+depth, v, part
			u.stores = append(u.stores, here)
		}
	}
	escape := func(x ast.Expression, more int) {
		if u, here := c.usesOf(x, loops); u != nil {
			here.depth += more
			u.escapes = append(u.escapes, here)
		}
		visit(x, true)
	}
	change := func(x ast.Expression, less int) {
		if u, here := c.usesOf(x, loops); u != nil && here.depth >= less {
			here.depth -= less
			u.changes = append(u.changes, here)
		}
		c.changed[c.rootName(x)] = true
	}
	bind := func(target any, v ast.Expression) {
		_, whole := target.(*ast.Identifier)
		targets(target, func(id *ast.Identifier) { store(id, 0, v, !whole) })
	}
	unknown := &ast.ThisExpression{}
	switch x := n.(type) {
	case nil:
	case *ast.Identifier, *ast.DotExpression, *ast.BracketExpression, *ast.OptionalChain:
		u, here := c.usesOf(x.(ast.Expression), loops)
		if u != nil && !plain {
			u.escapes = append(u.escapes, here)
		}
		all(x, plain || u != nil)
	case *ast.AssignExpression:
		change(x.Left, 1)
		store(x.Left, 0, x.Right, false)
		visit(x.Left, true)
		if b, ok := x.Right.(*ast.BinaryExpression); ok && c.source(b.Left) == c.source(x.Left) {
			visit(b.Right, !isLogical(b.Operator)) // x = x || …
			return
		}
		visit(x.Right, false)
	case *ast.BinaryExpression:
		visit(x.Left, plain || !isLogical(x.Operator))
		visit(x.Right, plain || !isLogical(x.Operator))
	case *ast.ConditionalExpression:
		visit(x.Test, true)
		visit(x.Consequent, plain)
		visit(x.Alternate, plain)
	case *ast.SpreadElement:
		if plain {
			visit(x.Expression, true)
			return
		}
		escape(x.Expression, 1)
	case *ast.ArrayLiteral, *ast.ObjectLiteral, *ast.PropertyKeyed:
		all(x, plain)
	case *ast.ReturnStatement:
		inFunction := slices.ContainsFunc(loops, func(l ast.Node) bool { return isFunction(l) })
		visit(x.Argument, !inFunction)
	case *ast.CallExpression:
		c.collectCall(x, visit, escape, change, store, plain)
	case *ast.Binding:
		bind(x.Target, x.Initializer)
		visit(x.Target, true)
		visit(x.Initializer, false)
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		if n != c.main {
			loops = append(slices.Clip(loops), n)
		}
		params, body := signature(n)
		for _, p := range params.List {
			bind(p.Target, unknown)
			visit(p.Initializer, false)
		}
		for _, s := range body {
			visit(s, false)
		}
	case *ast.ForOfStatement:
		if d, ok := x.Into.(*ast.ForDeclaration); ok {
			bind(d.Target, unknown)
		}
		escape(x.Source, 1)
		loops = append(slices.Clip(loops), n)
		c.reads(x.Source, x)
		if list, name, args := methodOf(x.Source); name == "entries" && len(args) == 0 {
			c.reads(list, x)
		}
		visit(x.Body, true)
	case *ast.ForStatement, *ast.WhileStatement, *ast.DoWhileStatement:
		loops = append(slices.Clip(loops), n)
		all(x, true)
	default:
		all(x, true)
	}
}

// reads notes that a loop reads its list while it runs.
func (c *compiler) reads(list ast.Expression, loop ast.Node) {
	if u, here := c.usesOf(list, nil); u != nil {
		here.at = loop
		u.escapes = append(u.escapes, here)
	}
}

// keeping are the functions and methods whose results share nothing with their arguments.
var keeping = map[string]bool{"String": true, "Number": true, "Boolean": true, "includes": true, "join": true, "some": true, "every": true, "indexOf": true, "findIndex": true, "keys": true, "stringify": true, "isArray": true, "startsWith": true, "endsWith": true, "split": true, "trim": true, "toUpperCase": true, "toLowerCase": true, "replace": true, "toFixed": true, "max": true, "min": true, "test": true}

func (c *compiler) collectCall(x *ast.CallExpression, visit func(ast.Node, bool), escape, change func(ast.Expression, int), store func(ast.Expression, int, ast.Expression, bool), plain bool) {
	path := dotted(x.Callee)
	if list, method := mutation(x); list != nil {
		change(list, 0)
		visit(list, true)
		if method == "pop" || method == "shift" {
			escape(list, 1)
		}
		for _, a := range x.ArgumentList {
			if method == "push" || method == "unshift" {
				spread, ok := a.(*ast.SpreadElement)
				if ok {
					store(list, 1, spread.Expression, true)
				} else {
					store(list, 1, a, false)
				}
			}
			visit(a, false)
		}
		return
	}
	left, name, _ := methodOf(x)
	if left == nil && len(path) > 0 {
		name = path[len(path)-1]
	}
	if name == "forEach" {
		c.reads(left, x)
	}
	if id, _, _ := root(left); id != nil && !keeping[name] && !plain {
		escape(left, 1)
	} else if left != nil {
		visit(left, true)
	}
	for i, a := range x.ArgumentList {
		visit(a, isOutside(path) || keeping[name])
		if f, ok := a.(*ast.ArrowFunctionLiteral); ok && name == "reduce" && i == 0 && len(x.ArgumentList) == 2 && len(f.ParameterList.List) > 0 {
			if u, _ := c.usesOf(f.ParameterList.List[0].Target, nil); u != nil {
				u.stores[0].value = x.ArgumentList[1]
			}
		}
	}
}

func isOutside(path []string) bool {
	return len(path) > 0 && slices.Contains([]string{"tools", "graphs", "ask", "sleep"}, path[0])
}

// rootName is the name of the variable that an expression begins with.
func (c *compiler) rootName(x ast.Expression) string {
	if id, _, _ := root(x); id != nil {
		return c.variable(id)
	}
	return ""
}

// fresh reports whether a value, down to some depth of its parts, has no other name.
func (c *compiler) fresh(x ast.Expression, depth int, self, first string) bool {
	if depth < 0 {
		return true
	}
	both := func(a, b ast.Expression) bool {
		return c.fresh(a, depth, self, first) && c.fresh(b, depth, self, first)
	}
	switch x := x.(type) {
	case *ast.StringLiteral, *ast.NumberLiteral, *ast.BooleanLiteral, *ast.NullLiteral, *ast.TemplateLiteral, *ast.UnaryExpression, nil:
		return true
	case *ast.AwaitExpression:
		call, ok := x.Argument.(*ast.CallExpression)
		return depth == 0 || ok && isOutside(dotted(call.Callee))
	case *ast.ConditionalExpression:
		return both(x.Consequent, x.Alternate)
	case *ast.BinaryExpression:
		return !isLogical(x.Operator) || both(x.Left, x.Right)
	case *ast.ArrayLiteral:
		for _, y := range x.Value {
			if _, spread := y.(*ast.SpreadElement); spread && depth > 0 || !spread && !c.fresh(y, depth-1, self, "") {
				return false
			}
		}
		return true
	case *ast.ObjectLiteral:
		for _, p := range x.Value {
			k, ok := p.(*ast.PropertyKeyed)
			if ok && first != "" && !k.Computed {
				if text, named := k.Key.(*ast.StringLiteral); named && text.Value.String() != first {
					continue
				}
			}
			if !ok && depth > 0 || ok && !c.fresh(k.Value, depth-1, self, "") {
				return false
			}
		}
		return true
	case *ast.CallExpression:
		_, name, _ := methodOf(x)
		return slices.Contains([]string{"parse", "split", "keys"}, name) || depth == 0 && slices.Contains([]string{"map", "filter", "slice", "concat", "fromEntries", "entries", "values", "from", "flatMap", "flat"}, name)
	}
	return self != "" && c.source(x) == self
}

// owned refuses the change of a value that may have a second name.
func (c *compiler) owned(target ast.Expression, what ast.Node) {
	u, _ := c.usesOf(target, nil)
	if u == nil || len(u.changes) == 0 {
		return
	}
	const hint = "make a new value instead: xs = [...xs, item], o = {...o, key: value}"
	if len(u.stores) == 0 {
		c.refuse(what, hint, "%s may have a second name, which would not see the change", c.source(target))
	}
	for _, ch := range u.changes {
		apart := func(other use) bool {
			return other.depth > ch.depth || other.depth > 0 && other.first != "" && ch.first != "" && other.first != ch.first
		}
		for _, s := range u.stores {
			depth, first := ch.depth-s.depth, ch.first
			if s.part {
				depth = maxDepth
			}
			if s.depth > 0 {
				first = ""
			}
			if !apart(s) && !c.fresh(s.value, depth, c.source(s.at), first) {
				c.refuse(what, hint, "%s may have a second name: it was %s on line %d", c.source(target), c.source(s.value), c.line(s.at))
			}
		}
		for _, e := range u.escapes {
			later := ch.at.Idx0() > e.at.Idx0() && (!isLoop(e.at) || ch.at.Idx0() < e.at.Idx1())
			if !apart(e) && (later || common(e.loops, ch.loops) > len(u.stores[0].loops)) {
				c.refuse(what, hint, "%s has a second name since line %d, which would not see the change", c.source(target), c.line(e.at))
			}
		}
	}
}

// isLoop reports whether a use is that of a loop, which reads its list until it ends.
func isLoop(n ast.Node) bool {
	_, call := n.(*ast.CallExpression) // of forEach
	_, ok := n.(*ast.ForOfStatement)
	return ok || call
}

// common counts the loops that are around both of two places.
func common(a, b []ast.Node) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// unread refuses a method that changes its list where the list is read later.
func (c *compiler) unread(call *ast.CallExpression, target ast.Expression) {
	c.owned(target, call)
	name, at := c.rootName(target), spanOf(call)
	for id, other := range c.names {
		if here := spanOf(id).start; other == name && here > at.end {
			c.refuse(call, "write [...xs]."+call.Callee.(*ast.DotExpression).Identifier.Name.String()+"(…), which leaves the list as it is", "%s changes its list, which is read on line %d", c.source(call), c.line(id))
		}
	}
	u, _ := c.usesOf(target, nil)
	for _, ch := range u.changes {
		if ch.at == target && len(u.stores) > 0 && len(ch.loops) > len(u.stores[0].loops) {
			c.refuse(call, "write [...xs]."+call.Callee.(*ast.DotExpression).Identifier.Name.String()+"(…), which leaves the list as it is", "%s changes its list, which is read again in the loop", c.source(call))
		}
	}
}
