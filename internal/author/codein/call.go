package codein

import (
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

// await compiles an awaited call to a node, and returns its output.
func (c *compiler) await(x *ast.AwaitExpression, s scope, name string) value {
	if c.pure > 0 || len(c.chain) > 0 {
		c.refuse(x, "await it in a statement of its own: const r = await …, or in an if", "a call inside of what is not always evaluated once is not read")
	}
	call, ok := x.Argument.(*ast.CallExpression)
	if !ok {
		c.refuse(x, "write await tools.server.tool({…})", "only calls can be awaited")
	}
	path := dotted(call.Callee)
	switch {
	case len(path) == 3 && path[0] == "tools":
		return c.tool(x, call, path[1], path[2], s, name)
	case len(path) == 2 && path[0] == "graphs":
		return c.graph(x, call, path[1], s, name)
	case len(path) == 1 && path[0] == "sleep" && len(call.ArgumentList) == 1:
		ms := c.need(c.expression(call.ArgumentList[0], s), types.Number, call.ArgumentList[0])
		c.node(c.id("sleep"), graph.Members{{Key: "type", Value: "wait"}, {Key: "ms", Value: argument(ms)}}, x)
		return sure("()", types.Undefined)
	case len(path) == 1 && path[0] == "ask" && len(call.ArgumentList) == 1:
		return c.ask(x, call, s, name)
	}
	c.refuse(x, "write await tools.server.tool({…}), graphs.name({…}), sleep(ms) or ask({message, schema})", "this call cannot be awaited")
	return value{}
}

// dotted are the names of a.b.c, also of a["b"].c; nil if it is something else.
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

func (c *compiler) tool(x *ast.AwaitExpression, call *ast.CallExpression, server, tool string, s scope, name string) value {
	out := value{t: types.Unknown()}
	if c.env.Tools != nil {
		found, fault := c.env.Tools.Tool(server, tool)
		if fault != nil && (fault.Code == diag.CodeUnknownTool || fault.Code == diag.CodeUnknownServer) {
			c.fail(ruleSubset, spanOf(call.Callee), fault.Hint, "%s", fault.Message)
		}
		if found != nil {
			switch {
			case found.Output != nil && len(found.Output.Raw) > 0:
				out.t = found.Output.Type().With(types.Undefined)
			case found.Observed != nil:
				out.t, out.guess = found.Observed.Type(), true
			}
		}
	}
	out.t = out.t.Without(types.Undefined)
	args := c.arguments(call, s)
	if name == "" {
		name = tool
	}
	id := c.id(name)
	c.node(id, append(graph.Members{{Key: "type", Value: "mcp"}, {Key: "server", Value: server}, {Key: "tool", Value: tool}}, args...), x)
	out.e = "$$." + field(id)
	return out
}

func (c *compiler) graph(x *ast.AwaitExpression, call *ast.CallExpression, name string, s scope, as string) value {
	out := value{t: types.Unknown()}
	if c.env.Graphs != nil {
		if found, fault := c.env.Graphs.Graph(name); fault != nil {
			c.fail(ruleSubset, spanOf(call.Callee), fault.Hint, "%s", fault.Message)
		} else if found.Output != nil && len(found.Output.Raw) > 0 {
			out.t = found.Output.Type()
		}
	}
	args := c.arguments(call, s)
	if as == "" {
		as = name
	}
	id := c.id(as)
	c.node(id, append(graph.Members{{Key: "type", Value: "graph"}, {Key: "graph", Value: name}}, args...), x)
	out.e = "$$." + field(id)
	return out
}

// arguments are those of a call of a tool: one object, or nothing.
func (c *compiler) arguments(call *ast.CallExpression, s scope) graph.Members {
	if len(call.ArgumentList) == 0 {
		return nil
	}
	o, ok := call.ArgumentList[0].(*ast.ObjectLiteral)
	if !ok || len(call.ArgumentList) > 1 {
		c.refuse(call.ArgumentList[0], "write tool({name: value})", "a tool takes one object, written in the call")
	}
	args, given := graph.Members{}, map[string]bool{}
	for _, p := range o.Value {
		var key string
		var x ast.Expression
		switch p := p.(type) {
		case *ast.PropertyShort:
			key, x = p.Name.Name.String(), &p.Name
		case *ast.PropertyKeyed:
			text, ok := p.Key.(*ast.StringLiteral)
			if !ok || p.Computed || p.Kind != ast.PropertyKindValue {
				c.refuse(p, "write name: value", "the names of arguments must be written in the call")
			}
			key, x = text.Value.String(), p.Value
		default:
			c.refuse(p, "name the arguments: {a: x.a, b: x.b}", "the names of arguments must be written in the call")
		}
		if given[key] {
			c.refuse(p, "leave one of them out", "the argument %q is written twice", key)
		}
		given[key] = true
		v := c.expression(x, s)
		c.noFunction(v, x)
		args = args.With(key, argument(v))
	}
	return graph.Members{{Key: "args", Value: args}}
}

// argument is a value in a field of a node: as it is, or as an expression.
func argument(v value) any {
	if isConstant(v.e) && !strings.Contains(v.e, "$") {
		return rawJSON(v.e)
	}
	return map[string]any{"expr": finish(v.e)}
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func (c *compiler) ask(x *ast.AwaitExpression, call *ast.CallExpression, s scope, name string) value {
	o, ok := call.ArgumentList[0].(*ast.ObjectLiteral)
	if !ok {
		c.refuse(call, "write ask({message: \"…\", schema: {…}})", "ask takes an object, written in the call")
	}
	fields := graph.Members{{Key: "type", Value: "ask"}}
	out := types.Of(types.Object)
	for _, p := range o.Value {
		k, ok := p.(*ast.PropertyKeyed)
		var key *ast.StringLiteral
		if ok {
			key, ok = k.Key.(*ast.StringLiteral)
		}
		if !ok {
			c.refuse(p, "write ask({message: \"…\", schema: {…}})", "this field of ask is not read")
		}
		switch key.Value.String() {
		case "message":
			fields = fields.With("message", argument(c.text(c.expression(k.Value, s), k.Value)))
		case "schema":
			text := c.constantJSON(k.Value)
			fields = fields.With("schema", rawJSON(text))
			content := schema.New([]byte(text)).Type()
			out = types.ObjectOf(false, types.Field{Name: "action", Type: types.Of(types.String)}, types.Field{Name: "content", Type: content, Optional: true})
		case "timeoutMs":
			fields = fields.With("timeoutMs", rawJSON(c.constantJSON(k.Value)))
		default:
			c.refuse(p, "write message, schema or timeoutMs", "%q is not a field of ask", key.Value.String())
		}
	}
	if name == "" {
		name = "ask"
	}
	id := c.id(name)
	c.node(id, fields, x)
	return value{e: "$$." + field(id), t: out}
}

// constantJSON is a literal as JSON.
func (c *compiler) constantJSON(x ast.Expression) string {
	switch x := x.(type) {
	case *ast.StringLiteral:
		return quote(x.Value.String())
	case *ast.NumberLiteral:
		return c.number(x).e
	case *ast.BooleanLiteral, *ast.NullLiteral:
		return c.expression(x, nil).e
	case *ast.ArrayLiteral:
		var parts []string
		for _, y := range x.Value {
			parts = append(parts, c.constantJSON(y))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case *ast.ObjectLiteral:
		var parts []string
		for _, p := range x.Value {
			k, ok := p.(*ast.PropertyKeyed)
			if !ok {
				c.refuse(p, "write key: value", "this must be written out")
			}
			key, ok := k.Key.(*ast.StringLiteral)
			if !ok {
				c.refuse(p, "write key: value", "this must be written out")
			}
			parts = append(parts, quote(key.Value.String())+":"+c.constantJSON(k.Value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	c.refuse(x, "write the value itself", "this must be written out")
	return ""
}

// call compiles a call of a helper, of a global function or of a method.
func (c *compiler) call(x *ast.CallExpression, s scope) value {
	path := dotted(x.Callee)
	if len(path) > 0 && s[path[0]].e == "" && s[path[0]].fn == nil {
		switch path[0] {
		case "tools", "graphs", "sleep", "ask":
			c.refuse(x, "write await before it", "a call without await has a promise as its result")
		case "Promise":
			c.refuse(x, "await the calls one after the other", "Promise is not read yet")
		}
		return c.global(x, strings.Join(path, "."), s)
	}
	if len(path) == 1 {
		f := s[path[0]].fn
		if f == nil {
			c.refuse(x, "declare it with const name = (…) => …", "%q is not a function", path[0])
		}
		args := make([]value, len(x.ArgumentList))
		var lets []string
		for i, a := range x.ArgumentList {
			args[i] = c.expression(a, s)
			if args[i].fn == nil && !isReference(args[i].e) {
				name := c.local("a")
				lets = append(lets, name+" := "+args[i].e)
				args[i].e = name
			}
		}
		v := c.apply(f, args, x)
		if len(lets) > 0 {
			v.e = "(" + strings.Join(lets, "; ") + "; " + v.e + ")"
		}
		return v
	}
	if d, ok := x.Callee.(*ast.DotExpression); ok {
		if r, isRegExp := d.Left.(*ast.RegExpLiteral); isRegExp && d.Identifier.Name == "test" && len(x.ArgumentList) == 1 {
			text := c.need(c.expression(x.ArgumentList[0], s), types.String, x.ArgumentList[0])
			return sure("$contains("+text.e+", "+c.pattern(r)+")", types.Boolean)
		}
		return c.method(x, d, c.expression(d.Left, s), d.Identifier.Name.String(), s)
	}
	c.refuse(x, "call a helper, a method or a tool", "this call is not read")
	return value{}
}

// maxInlined is how deep helpers may call each other.
const maxInlined = 20

// apply is the body of a function with its parameters bound.
func (c *compiler) apply(f *function, args []value, at ast.Node) value {
	if c.calls++; c.calls > maxInlined {
		c.refuse(at, "use map, filter or reduce", "a function that calls itself is not read")
	}
	c.pure++
	defer func() { c.pure--; c.calls-- }()
	if awaits(bodyOf(f.code)) {
		c.refuse(at, "write the calls where the helper is called", "a helper that makes calls is not read")
	}
	params, body, _ := c.parts(f.code)
	s := f.scope.child()
	if params.Rest != nil {
		c.refuse(at, "name the parameters", "a rest of parameters is not read")
	}
	for i, p := range params.List {
		v := sure("()", types.Undefined)
		if i < len(args) {
			v = args[i]
		}
		if v.fn != nil {
			if id, ok := p.Target.(*ast.Identifier); ok {
				s[id.Name.String()] = v
				continue
			}
		}
		var target any = p.Target
		if p.Initializer != nil {
			target = &ast.AssignExpression{Left: p.Target.(ast.Expression), Right: p.Initializer}
		}
		c.bind(target, v, s)
	}
	return c.body(body.List, s, at)
}

func bodyOf(x ast.Expression) ast.Node {
	switch f := x.(type) {
	case *ast.FunctionLiteral:
		return f.Body
	case *ast.ArrowFunctionLiteral:
		switch b := f.Body.(type) {
		case *ast.BlockStatement:
			return b
		case *ast.ExpressionBody:
			return b.Expression
		}
	}
	return nil
}

// body is what the statements of a helper return.
func (c *compiler) body(list []ast.Statement, s scope, at ast.Node) value {
	for i, x := range list {
		switch x := x.(type) {
		case *ast.EmptyStatement:
		case *ast.ReturnStatement:
			if x.Argument == nil {
				return sure("()", types.Undefined)
			}
			return c.expression(x.Argument, s)
		case *ast.BlockStatement:
			return c.body(append(append([]ast.Statement{}, x.List...), list[i+1:]...), s.child(), at)
		case *ast.ThrowStatement:
			if n, ok := x.Argument.(*ast.NewExpression); ok && len(n.ArgumentList) == 1 {
				return sure("$error("+c.text(c.expression(n.ArgumentList[0], s), n).e+")", 0)
			}
			c.refuse(x, `write throw new Error("…")`, "only errors with a message can be thrown")
		case *ast.LexicalDeclaration:
			var lets []string
			for _, b := range x.List {
				if b.Initializer == nil {
					c.refuse(b, "give it a value, with const", "a variable without a value is not read in a helper")
				}
				v := c.expression(b.Initializer, s)
				if v.fn == nil && !isReference(v.e) {
					name := c.local("c")
					lets = append(lets, name+" := "+v.e)
					v.e = name
				}
				c.bind(b.Target, v, s)
			}
			v := c.body(list[i+1:], s, at)
			if len(lets) > 0 {
				v.e = "(" + strings.Join(lets, "; ") + "; " + v.e + ")"
			}
			return v
		case *ast.IfStatement:
			test := c.truth(c.expression(x.Test, s))
			arm := func(y ast.Statement) value {
				rest := list[i+1:]
				if y != nil {
					rest = append([]ast.Statement{y}, rest...)
				}
				return c.body(rest, s.child(), at)
			}
			a, b := arm(x.Consequent), arm(x.Alternate)
			return value{e: "(" + test + " ? " + a.e + " : " + b.e + ")", t: a.t.Or(b.t), sure: a.sure && b.sure, guess: a.guess || b.guess}
		default:
			c.refuse(x, "write it with const, if and return; make a new value instead of changing one", "this statement is not read in a helper")
		}
	}
	return sure("()", types.Undefined)
}
