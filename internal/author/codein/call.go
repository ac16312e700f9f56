package codein

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

// await compiles an awaited call to nodes, and returns its result.
func (c *compiler) await(x *ast.AwaitExpression, s scope, name string) value {
	if c.pure > 0 || len(c.chain) > 0 {
		c.refuse(x, "await it in a statement of its own: const r = await …, or in an if", "a call inside of what is not always evaluated once is not supported")
	}
	call, ok := x.Argument.(*ast.CallExpression)
	if !ok {
		c.refuse(x, "write await tools.server.tool({…})", "only calls can be awaited")
	}
	path := dotted(call.Callee)
	n := len(call.ArgumentList)
	if len(path) > 0 && s.has(path[0]) {
		path = nil
	}
	switch {
	case len(path) == 1 && path[0] == "sleep" && n == 1:
		ms := c.need(c.expression(call.ArgumentList[0], s), types.Number, call.ArgumentList[0])
		c.node(c.id("sleep"), graph.Members{{Key: "type", Value: "wait"}, {Key: "ms", Value: argument(ms)}}, x)
		return sure("()", types.Undefined)
	case len(path) == 1 && path[0] == "ask" && n == 1:
		return c.ask(x, call, s, name)
	case len(path) == 1 && path[0] == "retry" && n > 0:
		return c.retry(x, call, s, name)
	case strings.Join(path, ".") == "Promise.all" && n == 1:
		return c.all(x, call.ArgumentList[0], s, name)
	case path == nil:
		if id, ok := call.Callee.(*ast.Identifier); ok && s[c.variable(id)].fn != nil {
			return c.inlined(s[c.variable(id)].fn, call, s, name)
		}
	}
	return c.outside(c.called(call, s), name, x, s)
}

// A callee is a tool or a graph that the code calls.
type callee struct {
	name   string
	fields graph.Members // of its node
	args   graph.Members
	out    value
}

// called returns the tool or graph that a call names, or that becomes of a helper.
func (c *compiler) called(call *ast.CallExpression, s scope) callee {
	if id, ok := call.Callee.(*ast.Identifier); ok && s[c.variable(id)].fn != nil {
		names, given := make([]string, len(call.ArgumentList)), make([]value, len(call.ArgumentList))
		for i, a := range call.ArgumentList {
			names[i], given[i] = "argument", c.expression(a, s)
		}
		k := c.part(call, s[c.variable(id)].fn, names, given, s, true)
		k.name = id.Name.String()
		return k
	}
	path := dotted(call.Callee)
	k := callee{out: value{t: types.Unknown()}}
	found, fault := (*engine.Tool)(nil), (*diag.Fault)(nil)
	switch {
	case len(path) == 3 && path[0] == "tools":
		k.name, k.fields = path[2], graph.Members{{Key: "type", Value: "mcp"}, {Key: "server", Value: path[1]}, {Key: "tool", Value: path[2]}}
		if c.env.Tools != nil {
			found, fault = c.env.Tools.Tool(path[1], path[2])
		}
	case len(path) == 2 && path[0] == "graphs":
		k.name, k.fields = path[1], graph.Members{{Key: "type", Value: "graph"}, {Key: "graph", Value: path[1]}}
		if c.env.Graphs != nil {
			found, fault = c.env.Graphs.Graph(path[1])
		}
	default:
		c.refuse(call, rewrite(call.Callee, "write await tools.server.tool({…}), graphs.name({…}), sleep(ms) or ask({message, schema})"), "this call cannot be awaited")
	}
	if fault != nil && (path[0] == "graphs" || fault.Code == diag.CodeUnknownTool || fault.Code == diag.CodeUnknownServer) {
		c.fail(ruleSubset, spanOf(call.Callee), fault.Hint, "%s", fault.Message)
	}
	switch {
	case found != nil && found.Output != nil && len(found.Output.Raw) > 0:
		k.out.t = found.Output.Type()
	case found != nil && found.Observed != nil && path[0] == "tools":
		k.out.t, k.out.guess = found.Observed.Type(), true
	}
	k.out.t = k.out.t.Without(types.Undefined)
	wants := types.Unknown()
	if found != nil && found.Input != nil {
		wants = found.Input.Type()
	}
	k.args = c.arguments(call, wants, s)
	return k
}

// outside adds the node of a call. Inside of try its arguments are computed before, so that
// only the call itself leads to the catch.
func (c *compiler) outside(k callee, name string, at ast.Node, s scope, more ...graph.Pair) value {
	if c.handler != nil {
		for i, m := range k.args {
			switch e := m.Value.(type) {
			case string:
				k.args[i].Value = c.transform("args", value{e: e}, at).e
			case map[string]any:
				if text := e["expr"].(string); !isReference(text) {
					k.args[i].Value = map[string]any{"expr": c.transform(m.Key, value{e: text}, at).e}
				}
			}
		}
	}
	id := c.id(cmp.Or(name, k.name))
	if k.args != nil {
		more = append([]graph.Pair{{Key: "args", Value: k.args}}, more...)
	}
	c.failing(c.node(id, slices.Concat(k.fields, more), at), s)
	return k.out.as("$$." + field(id))
}

// parse compiles JSON.parse inside try: text that is not JSON continues at the catch.
func (c *compiler) parse(x *ast.CallExpression, s scope) value {
	if c.pure > 0 || len(c.chain) > 0 {
		c.refuse(x, "const data = JSON.parse(text), as a statement of its own", "JSON.parse inside of try and of another expression is not supported")
	}
	text := c.transform("text", c.need(c.expression(x.ArgumentList[0], s), types.String, x), x)
	v := c.transform("parsed", sure("$parseJson("+text.e+")", types.JSON), x)
	c.failing(c.nodes[len(c.nodes)-1], s)
	return v
}

// inlined compiles a helper that makes calls, and returns its result: its statements become nodes.
func (c *compiler) inlined(f *function, call *ast.CallExpression, s scope, name string) value {
	defer c.enter(call)()
	args := make([]value, len(call.ArgumentList))
	for i, a := range call.ArgumentList {
		if args[i] = c.operand(a, s); args[i].fn == nil {
			args[i] = c.kept("argument", args[i], a)
		}
	}
	inner, id := c.bound(f, args, call, s), c.hidden("result")
	_, body := signature(f.code)
	var ends []end
	frames, ret := c.frames, c.ret
	c.frames, c.ret = nil, func(v value, _ ast.Node) {
		ends = append(ends, end{s: scope{id: v}, loose: c.loose})
		c.loose = nil
	}
	vars := c.assigned(s, body)
	if len(vars) > 0 {
		c.refuse(call, "return the new value", "a helper that makes calls and changes the variable %s is not supported", plainName(vars[0]))
	}
	c.statements(body, inner)
	if c.loose != nil {
		c.ret(sure("()", types.Undefined), call)
	}
	c.frames, c.ret = frames, ret
	out := scope{}
	c.merge(cmp.Or(name, "result"), []string{id}, out, ends)
	return out[id]
}

// dotted returns the names of a.b.c or a["b"].c, nil for any other expression.
func dotted(x ast.Expression) []string {
	switch x := x.(type) {
	case *ast.Identifier:
		return []string{x.Name.String()}
	case *ast.DotExpression:
		if left := dotted(x.Left); left != nil {
			return append(left, x.Identifier.Name.String())
		}
	case *ast.BracketExpression:
		text, ok := x.Member.(*ast.StringLiteral)
		if left := dotted(x.Left); left != nil && ok {
			return append(left, text.Value.String())
		}
	}
	return nil
}

// wanted notes the type that a tool wants of its argument, if that is a field of the input as
// it is. The field is required if the call is always made.
func (c *compiler) wanted(v value, t types.Type) {
	name := strings.TrimPrefix(v.e, "$$.entry.")
	was, ok := c.inputs[name]
	if !ok || name == v.e || c.tool != c.tools[0] {
		return
	}
	if c.handler != nil || slices.ContainsFunc(c.nodes, func(n *node) bool { return n.rule != "" }) {
		t = t.With(types.Undefined)
	}
	if t = was.And(t); t.Without(types.Undefined).Kinds != 0 {
		c.inputs[name] = t
	}
}

// arguments returns the arguments of a tool call: one object, or none.
func (c *compiler) arguments(call *ast.CallExpression, wants types.Type, s scope) graph.Members {
	if len(call.ArgumentList) == 0 {
		return nil
	}
	if len(call.ArgumentList) > 1 {
		c.refuse(call.ArgumentList[1], "write tool({name: value})", "a tool takes one object")
	}
	if fields, ok := fieldsOf(call.ArgumentList[0]); ok {
		args := graph.Members{}
		for _, f := range fields {
			v := c.expression(f.value, s)
			if t, listed := wants.Field(f.name); listed {
				c.wanted(v, t)
			}
			args = args.With(f.name, argument(v))
		}
		return args
	}
	v := c.need(c.expression(call.ArgumentList[0], s), types.Object, call.ArgumentList[0])
	return graph.Members{{Key: "expr", Value: finish(v.e)}}
}

// A fieldOf is a field of an object that is written out.
type fieldOf struct {
	name  string
	value ast.Expression
}

// fieldsOf returns the fields of an object that has nothing but names, each once, with values.
func fieldsOf(x ast.Expression) (fields []fieldOf, ok bool) {
	o, ok := x.(*ast.ObjectLiteral)
	for i := 0; ok && i < len(o.Value); i++ {
		k, keyed := o.Value[i].(*ast.PropertyKeyed)
		if ok = keyed && !k.Computed && k.Kind == ast.PropertyKindValue; ok {
			text, named := k.Key.(*ast.StringLiteral)
			if ok = named && !slices.ContainsFunc(fields, func(f fieldOf) bool { return f.name == text.Value.String() }); ok {
				fields = append(fields, fieldOf{text.Value.String(), k.Value})
			}
		}
	}
	return fields, ok
}

// argument returns a value for a field of a node: a literal, or {expr}.
func argument(v value) any {
	if isConstant(v.e) && !strings.ContainsAny(v.e, `$\`) {
		return rawJSON(v.e)
	}
	return map[string]any{"expr": finish(v.e)}
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// ask compiles a question. Its message may be computed; the rest is written out.
func (c *compiler) ask(x *ast.AwaitExpression, call *ast.CallExpression, s scope, name string) value {
	list, ok := fieldsOf(call.ArgumentList[0])
	if !ok {
		c.refuse(call, "write ask({message: \"…\", schema: {…}})", "ask takes an object, written in the call")
	}
	fields, content := graph.Members{{Key: "type", Value: "ask"}}, types.Unknown()
	for _, f := range list {
		if f.name == "message" {
			fields = fields.With(f.name, argument(c.text(c.expression(f.value, s), f.value)))
			continue
		}
		text := c.constantJSON(f.value, s)
		if fields = fields.With(f.name, rawJSON(text)); f.name == "schema" {
			content = schema.New([]byte(text)).Type()
		}
	}
	id := c.id(cmp.Or(name, "ask"))
	c.failing(c.node(id, fields, x), s)
	return value{e: "$$." + field(id), t: types.ObjectOf(false, types.Field{Name: "action", Type: types.Of(types.String)}, types.Field{Name: "content", Type: content, Optional: true})}
}

// constantJSON is a literal as JSON, as which JSONata writes it.
func (c *compiler) constantJSON(x ast.Expression, s scope) string {
	e := c.expression(x, s).e
	if !json.Valid([]byte(e)) {
		c.refuse(x, "write the value itself", "this must be written out")
	}
	return e
}

// call compiles a call of a helper, of a global function or of a method.
func (c *compiler) call(x *ast.CallExpression, s scope) value {
	if id, ok := x.Callee.(*ast.Identifier); ok && s.has(c.variable(id)) {
		f := s[c.variable(id)].fn
		if f == nil {
			c.refuse(x, "declare it with const name = (…) => …", "%q is not a function", id.Name.String())
		}
		args := make([]value, len(x.ArgumentList))
		var lets []string
		for i, a := range x.ArgumentList {
			args[i] = c.operand(a, s)
			if args[i].fn == nil && !isReference(args[i].e) {
				name := c.local("a")
				lets = append(lets, name+" := "+args[i].e)
				args[i].e = name
			}
		}
		v := c.apply(f, args, x, s)
		if len(lets) > 0 {
			v.e = "(" + strings.Join(lets, "; ") + "; " + v.e + ")"
		}
		return v
	}
	if id, _, _ := root(x.Callee); id != nil && !s.has(c.variable(id)) {
		path := dotted(x.Callee)
		if isOutside(path) || path == nil || path[0] == "Promise" || path[0] == "retry" {
			c.refuse(x, rewrite(x.Callee, "write await before it"), "a call without await has a promise as its result")
		}
		return c.global(x, strings.Join(path, "."), s)
	}
	if d, ok := x.Callee.(*ast.DotExpression); ok {
		if r, isRegExp := d.Left.(*ast.RegExpLiteral); isRegExp && d.Identifier.Name == "test" && len(x.ArgumentList) == 1 {
			text := c.need(c.expression(x.ArgumentList[0], s), types.String, x.ArgumentList[0])
			return sure("$contains("+text.e+", "+c.pattern(r, s)+")", types.Boolean)
		}
		return c.method(x, d.Left, c.expression(d.Left, s), d.Identifier.Name.String(), s)
	}
	return c.refuse(x, "call a helper, a method or a tool", "this call is not supported")
}
