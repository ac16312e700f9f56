package codein

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dop251/goja/ast"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/types"
)

// atOnce is how many calls of Promise.all over a list are made at the same time.
const atOnce = 8

// all compiles Promise.all over the map of a list, or over a list of calls.
func (c *compiler) all(x *ast.AwaitExpression, arg ast.Expression, s scope, name string) value {
	if l, ok := arg.(*ast.ArrayLiteral); ok && len(l.Value) > 0 {
		return c.concurrent(x, l, s)
	}
	if list, method, args := methodOf(arg); method == "map" && len(args) == 1 {
		if f := c.operand(args[0], s).fn; f != nil {
			items := c.kept("items", c.asList(c.settled(list, s, "items"), list), list)
			if v, ok := c.overList(x, f, items, s, name, atOnce); ok {
				return v
			}
		}
	}
	return c.refuse(x, "write await Promise.all(xs.map(async x => …)), or Promise.all([tools.…, tools.…])", "this use of Promise.all is not supported")
}

// concurrent compiles Promise.all over a list of calls: a parallel node.
func (c *compiler) concurrent(x *ast.AwaitExpression, l *ast.ArrayLiteral, s scope) value {
	var branches []string
	var parts []ast.Expression
	var ends []func(string)
	fork := c.node(c.id("all"), nil, x)
	join := c.loose
	for _, y := range l.Value {
		call, ok := y.(*ast.CallExpression)
		if !ok {
			c.refuse(y, "write calls of tools, graphs or helpers", "only calls can be part of Promise.all")
		}
		at := len(c.nodes)
		c.loose = []func(string){}
		v := c.outside(c.called(call, s), "", call, s)
		branches, parts, ends = append(branches, c.nodes[at].id), append(parts, &kept{y, v}), append(ends, c.loose...)
	}
	c.loose = slices.Concat(join, ends)
	fork.key, fork.fields = "join", graph.Members{{Key: "type", Value: "parallel"}, {Key: "branches", Value: branches}}
	return c.array(&ast.ArrayLiteral{LeftBracket: l.LeftBracket, Value: parts, RightBracket: l.RightBracket}, s)
}

// each compiles a for … of that carries nothing from item to item. It reports false for
// another loop.
func (c *compiler) each(l *loop, s scope) bool {
	if l.items == nil || l.exits || returns(l.body) || len(c.assigned(s, l.body)) > 0 {
		return false
	}
	items := c.kept("items", c.asList(c.settled(l.items, s, "items"), l.items), l.items)
	body := l.body
	if b, ok := body.(*ast.BlockStatement); ok && len(b.List) == 1 {
		body = b.List[0]
	}
	if e, ok := body.(*ast.ExpressionStatement); ok {
		body = &ast.ReturnStatement{Return: e.Idx0(), Argument: e.Expression}
	}
	params := []*ast.Binding{{Target: l.item}}
	if l.index != nil {
		params = append(params, &ast.Binding{Target: l.index})
	}
	f := &ast.ArrowFunctionLiteral{Start: l.at.Idx0(), ParameterList: &ast.ParameterList{List: params}, Async: true, Body: block(body)}
	_, ok := c.overList(l.at, &function{f, s}, items, s, "", 1)
	return ok
}

// overList calls an async function for each item of a list: one call is a node with foreach,
// several are a graph of their own that such a node runs.
func (c *compiler) overList(at ast.Node, f *function, items value, s scope, name string, concurrency int) (value, bool) {
	if c.pure > 0 {
		c.refuse(at, "await it in a statement of its own", "a call inside of what is not always evaluated once is not supported")
	}
	params, body := signature(f.code)
	one, index := item(items, "$item"), sure("$index", types.Integer)
	foreach := graph.Members{{Key: "items", Value: map[string]any{"expr": items.e}}}
	if concurrency > 1 {
		foreach = foreach.With("concurrency", concurrency)
	}
	more := graph.Pair{Key: "foreach", Value: foreach}
	var k callee
	if call := single(body); call != nil && isOutside(dotted(call.Callee)) && len(dotted(call.Callee)) > 1 && c.handler == nil {
		k = c.called(call, c.bound(f, []value{one, index}, at, s))
	} else {
		if c.handler != nil {
			c.refuse(at, "put the try into the function that is called for each item", "calls for each item, inside of try, are not supported")
		}
		if len(params.List) > 2 {
			return value{}, false
		}
		k = c.part(at, f, []string{"item", "index"}, []value{one, index}, s, concurrency > 1)
		k.name = "each"
	}
	k.out.t = k.out.t.Without(types.Undefined)
	v := c.outside(k, name, at, s, more)
	return list(v.e, k.out.t, k.out.sure).guessed(k.out.guess), true
}

// part compiles an async function to a graph of its own, which is called with some values and
// with the variables that the function reads. keeps says that its result is read.
func (c *compiler) part(at ast.Node, f *function, names []string, given []value, s scope, keeps bool) callee {
	sub := &compiler{}
	*sub = *c
	sub.enter(at)
	sub.tool = newTool(fmt.Sprintf("%s_%d", c.tools[0].label, len(c.tools)))
	c.tools = append(c.tools, sub.tool)
	sub.tools = c.tools
	args, inner := graph.Members{}, scope{}
	properties := map[string]any{}
	pass := func(name string, v value) value {
		key := notID.ReplaceAllString(plainName(name), "_")
		for i := 2; properties[key] != nil; i++ {
			key = notID.ReplaceAllString(plainName(name), "_") + strconv.Itoa(i)
		}
		args, properties[key] = args.With(key, map[string]any{"expr": finish(v.e)}), map[string]any{}
		return v.as("$$.entry." + field(key))
	}
	for i, v := range given {
		given[i] = pass(names[i], v)
	}
	var need func(code ast.Node, from scope)
	need = func(code ast.Node, from scope) {
		walk(code, func(x ast.Node) bool {
			id, ok := x.(*ast.Identifier)
			if !ok {
				return true
			}
			name := c.variable(id)
			v, known := s[name]
			if !known {
				v, known = from[name]
			}
			switch {
			case !known || inner.has(name):
			case v.fn != nil:
				inner[name] = value{fn: &function{v.fn.code, inner}}
				need(v.fn.code, v.fn.scope)
			default:
				inner[name] = pass(name, v)
			}
			return true
		})
	}
	need(f.code, f.scope)
	sub.node("entry", graph.Members{{Key: "type", Value: "entry"}}, nil)
	sub.returning()
	k := callee{name: sub.label, fields: graph.Members{{Key: "type", Value: "graph"}, {Key: "graph", Value: sub.label}}, out: never}
	var missing ast.Node
	ret := sub.ret
	sub.ret = func(v value, at ast.Node) {
		if v.t.Has(types.Undefined) && !v.t.IsUnknown() {
			missing = at
		}
		if k.out = k.out.or(v); keeps && !v.t.Only(types.Undefined) {
			v = sub.defined(v, at)
		}
		ret(v, at)
	}
	_, body := signature(f.code)
	sub.statements(body, sub.bound(&function{f.code, inner}, given, at, inner))
	if sub.loose != nil {
		sub.ret(sure("()", types.Undefined), at)
	}
	sub.finish()
	sub.head = graph.Members{}.With("description", "Part of "+c.tools[0].label).With("inputSchema", map[string]any{"type": "object", "properties": properties}).With("outputSchema", map[string]any{})
	c.tools, c.locals = sub.tools, sub.locals
	c.work, c.doubts = sub.work, sub.doubts
	if keeps && missing != nil && !k.out.t.Only(types.Undefined) {
		c.mistyped(missing, "write return x ?? null", "what is returned may be undefined, which a list of results cannot keep")
	}
	k.args = args
	return k
}

// single returns the only call of a function, nil if the function does more.
func single(body []ast.Statement) *ast.CallExpression {
	if len(body) != 1 {
		return nil
	}
	r, ok := body[0].(*ast.ReturnStatement)
	if !ok {
		return nil
	}
	x := r.Argument
	if a, ok := x.(*ast.AwaitExpression); ok {
		x = a.Argument
	}
	call, _ := x.(*ast.CallExpression)
	return call
}

// retry compiles retry(() => call, {maxAttempts}).
func (c *compiler) retry(x *ast.AwaitExpression, call *ast.CallExpression, s scope, name string) value {
	f := c.operand(call.ArgumentList[0], s).fn
	var one *ast.CallExpression
	if f != nil {
		_, body := signature(f.code)
		one = single(body)
	}
	if one == nil || !isOutside(dotted(one.Callee)) {
		c.refuse(x, "write await retry(() => tools.server.tool({…}), {maxAttempts: 3})", "this use of retry is not supported")
	}
	var policy any = graph.Members{{Key: "maxAttempts", Value: 3}}
	if len(call.ArgumentList) > 1 {
		policy = rawJSON(c.constantJSON(call.ArgumentList[1], s))
	}
	k := c.called(one, c.bound(f, nil, x, s))
	return c.outside(k, name, x, s, graph.Pair{Key: "retry", Value: policy})
}
