package codein

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/patchbay-mcp/patchbay/types"
)

func sure(e string, k types.Kind) value { return value{e: e, t: types.Of(k), sure: true} }

// expression compiles an expression. Calls in it become nodes.
func (c *compiler) expression(x ast.Expression, s scope) value {
	defer c.deeper(x)()
	switch x := x.(type) {
	case *kept:
		return x.v
	case *kept2:
		return sure("$missing("+x.v.e+")", types.Boolean)
	case *ast.StringLiteral:
		return value{e: quote(x.Value.String()), t: types.Texts(x.Value.String()), sure: true}
	case *ast.NumberLiteral:
		return c.number(x)
	case *ast.BooleanLiteral:
		return sure(strconv.FormatBool(x.Value), types.Boolean)
	case *ast.NullLiteral:
		return sure("null", types.Null)
	case *ast.Identifier:
		return c.name(x, s)
	case *ast.TemplateLiteral:
		if x.Tag != nil {
			c.refuse(x, "call the function", "a tag before a template is not read")
		}
		parts := []string{}
		for i, e := range x.Elements {
			if text := e.Parsed.String(); text != "" || i == 0 {
				parts = append(parts, quote(text))
			}
			if i < len(x.Expressions) {
				parts = append(parts, c.text(c.expression(x.Expressions[i], s), x.Expressions[i]).e)
			}
		}
		return sure("("+strings.Join(parts, " & ")+")", types.String)
	case *ast.ArrayLiteral:
		return c.array(x, s)
	case *ast.ObjectLiteral:
		return c.object(x, s)
	case *ast.DotExpression:
		return c.member(x, c.expression(x.Left, s), x.Identifier.Name.String())
	case *ast.BracketExpression:
		return c.bracket(x, s)
	case *ast.OptionalChain:
		return c.optional(x, s)
	case *ast.Optional:
		left := c.expression(x.Expression, s)
		name := c.local("o")
		c.chain = append(c.chain, binding{name, left.e})
		left.e, left.t = name, left.t.Without(types.Null|types.Undefined)
		return left
	case *ast.UnaryExpression:
		return c.unary(x, s)
	case *ast.BinaryExpression:
		return c.binary(x, s)
	case *ast.ConditionalExpression:
		test := c.truth(c.expression(x.Test, s))
		c.pure++
		a, b := c.expression(x.Consequent, s), c.expression(x.Alternate, s)
		c.pure--
		c.noFunction(a, x.Consequent)
		c.noFunction(b, x.Alternate)
		return value{e: "(" + test + " ? " + a.e + " : " + b.e + ")", t: a.t.Or(b.t), sure: a.sure && b.sure, guess: a.guess || b.guess}
	case *ast.AwaitExpression:
		return c.await(x, s, "")
	case *ast.CallExpression:
		return c.call(x, s)
	case *ast.ArrowFunctionLiteral, *ast.FunctionLiteral:
		return value{fn: &function{x, s}}
	case *ast.AssignExpression:
		c.refuse(x, "make the assignment a statement of its own", "an assignment inside of an expression is not read")
	case *ast.NewExpression:
		c.refuse(x, "use plain objects and lists", "new is not read")
	case *ast.RegExpLiteral:
		c.refuse(x, "use it as text.replace(/…/g, \"…\"), text.split(/…/) or /…/.test(text)", "a regular expression is not a value here")
	}
	c.refuse(x, "write it with calls of methods, operators and plain objects", "this expression is not read")
	return value{}
}

func (c *compiler) number(x *ast.NumberLiteral) value {
	switch n := x.Value.(type) {
	case int64:
		if n <= 1<<53 {
			return sure(strconv.FormatInt(n, 10), types.Integer)
		}
	case float64:
		if e := strconv.FormatFloat(n, 'g', -1, 64); !strings.ContainsAny(e, "IN") {
			return sure(strings.Replace(e, "e+", "e", 1), types.Number)
		}
	}
	c.refuse(x, "write a smaller number", "this number cannot be kept")
	return value{}
}

func (c *compiler) name(x *ast.Identifier, s scope) value {
	name := x.Name.String()
	if v, ok := s[name]; ok {
		return v
	}
	if name == "undefined" {
		return sure("()", types.Undefined)
	}
	hint := "declare it with const or let"
	if name == "tools" || name == "graphs" {
		hint = "write await tools.server.tool({…})"
	}
	c.refuse(x, hint, "%q is not known here", name)
	return value{}
}

// member reads a field.
func (c *compiler) member(at *ast.DotExpression, o value, name string) value {
	if name == "length" && !o.t.Only(types.Object) {
		switch {
		case o.sure && o.t.Only(types.Array):
			return sure("$count("+o.e+")", types.Integer)
		case !o.guess && !o.t.Has(types.Array|types.String):
			c.mistyped(at.Left, "", "%s is %s, and has no length", c.source(at.Left), o.said())
		}
		return sure("$sized("+o.e+", "+c.where(at.Left, "is neither text nor a list")+")", types.Integer)
	}
	return c.read(at, at.Left, o, name)
}

// inherited are fields that objects of JavaScript have without being given them.
var inherited = map[string]bool{"constructor": true, "toString": true, "valueOf": true, "hasOwnProperty": true, "isPrototypeOf": true, "propertyIsEnumerable": true, "toLocaleString": true, "__proto__": true}

func (c *compiler) read(at, left ast.Node, o value, name string) value {
	if inherited[name] || strings.ContainsRune(name, '`') {
		c.refuse(at, "give the field another name", "the field %q is not read", name)
	}
	if o.e == c.input.e && o.e != "" {
		c.inputs[name] = true
	}
	o = c.need(o, types.Object, left)
	t, _ := o.t.Field(name)
	return value{e: o.e + "." + field(name), t: t, sure: o.deep, deep: o.deep, guess: o.guess}
}

func (c *compiler) bracket(x *ast.BracketExpression, s scope) value {
	o := c.expression(x.Left, s)
	if text, ok := x.Member.(*ast.StringLiteral); ok {
		return c.read(x, x.Left, o, text.Value.String())
	}
	k := c.expression(x.Member, s)
	switch {
	case o.t.Has(types.Array) && !o.t.Has(types.Object) || k.sure && k.t.Only(types.Number):
		o, k = c.list(o, x.Left), c.need(k, types.Number, x.Member)
		r := item(o, "$at("+o.e+", "+k.e+")")
		r.t = r.t.With(types.Undefined)
		return r
	case o.t.Has(types.Object) && k.t.Has(types.String):
		o, k = c.need(o, types.Object, x.Left), c.need(k, types.String, x.Member)
		t := types.Type{}
		for _, name := range o.t.FieldNames() {
			f, _ := o.t.Field(name)
			t = t.Or(f)
		}
		if !o.t.Closed || len(o.t.Fields) == 0 {
			t = types.Unknown()
		}
		return value{e: "$lookup(" + o.e + ", " + k.e + ")", t: t.With(types.Undefined), guess: o.guess}
	}
	c.mistyped(x, "", "%s is %s, and cannot be read by %s", c.source(x.Left), o.said(), c.source(x.Member))
	return value{}
}

// optional compiles what is missing where a part of it is.
func (c *compiler) optional(x *ast.OptionalChain, s scope) value {
	outer := c.chain
	c.chain = nil
	v := c.expression(x.Expression, s)
	for _, b := range slices.Backward(c.chain) {
		v.e = fmt.Sprintf("(%s := %s; $missing(%s) ? () : %s)", b.name, b.e, b.name, v.e)
	}
	if len(c.chain) > 0 {
		v.t = v.t.With(types.Undefined)
	}
	c.chain = outer
	return v
}

// list literals

func (c *compiler) array(x *ast.ArrayLiteral, s scope) value {
	t, parts, plain, items := types.Type{}, []string{}, []string{}, true
	for _, y := range x.Value {
		if y == nil {
			c.refuse(x, "write null", "a hole in a list is not read")
		}
		if spread, ok := y.(*ast.SpreadElement); ok {
			l := c.list(c.expression(spread.Expression, s), spread.Expression)
			parts, plain = append(parts, l.e), append(plain, "")
			t, items = t.Or(l.t.Items()), items && l.items
			continue
		}
		v := c.expression(y, s)
		if e := c.single(v, y); strings.HasPrefix(e, "[") {
			parts, plain = append(parts, e), append(plain, e[1:len(e)-1])
		} else {
			parts, plain = append(parts, e), append(plain, "")
		}
		t, items = t.Or(v.t.Without(types.Undefined)), items && v.sure
	}
	out := value{t: types.ArrayOf(t), sure: true, items: items}
	e, open := "[]", false
	for i, p := range parts {
		switch {
		case plain[i] != "" && (open || e == "[]"):
			e, open = strings.TrimSuffix(e, "]")+map[bool]string{true: ", ", false: ""}[e != "[]"]+plain[i]+"]", true
		default:
			e, open = "$append("+e+", "+p+")", false
		}
	}
	if len(parts) == 0 {
		out.t = types.ArrayOf(types.Type{})
	}
	out.e = e
	return out
}

func (c *compiler) object(x *ast.ObjectLiteral, s scope) value {
	var merged, pairs []string
	var fields []types.Field
	closed, known := true, map[string]bool{}
	spread := false
	flush := func() {
		if len(pairs) > 0 {
			merged, pairs = append(merged, "{"+strings.Join(pairs, ", ")+"}"), nil
		}
	}
	add := func(at ast.Node, name string, v value) {
		c.noFunction(v, at)
		if spread {
			v = c.defined(v, at)
		}
		if known[name] {
			c.refuse(at, "leave one of them out", "the field %q is written twice", name)
		}
		known[name] = true
		pairs = append(pairs, quote(name)+": "+v.e)
		fields = append(fields, types.Field{Name: name, Type: v.t.Without(types.Undefined), Optional: v.t.Has(types.Undefined)})
	}
	for _, p := range x.Value {
		switch p := p.(type) {
		case *ast.PropertyShort:
			add(p, p.Name.Name.String(), c.expression(&p.Name, s))
		case *ast.SpreadElement:
			flush()
			spread, closed = true, false
			merged = append(merged, c.need(c.expression(p.Expression, s), types.Object, p.Expression).e)
			clear(known)
			fields = nil
		case *ast.PropertyKeyed:
			if p.Kind != ast.PropertyKindValue {
				c.refuse(p, "write key: value", "methods of objects are not read")
			}
			if text, ok := p.Key.(*ast.StringLiteral); ok && !p.Computed {
				add(p.Value, text.Value.String(), c.expression(p.Value, s))
				continue
			}
			var k value
			if n, ok := p.Key.(*ast.NumberLiteral); ok && !p.Computed {
				k = sure(quote(n.Literal), types.String)
			} else {
				k = c.text(c.expression(p.Key, s), p.Key)
			}
			flush()
			v := c.defined(c.expression(p.Value, s), p.Value)
			merged, spread, closed = append(merged, "{"+k.e+": "+v.e+"}"), true, false
			clear(known)
			fields = nil
		default:
			c.refuse(p, "write key: value", "this part of an object is not read")
		}
	}
	flush()
	out := value{e: "{}", t: types.ObjectOf(closed, fields...), sure: true}
	switch {
	case len(merged) == 1 && !spread:
		out.e = merged[0]
	case len(merged) > 0:
		out.e = "$merge([" + strings.Join(merged, ", ") + "])"
	}
	return out
}

func (c *compiler) unary(x *ast.UnaryExpression, s scope) value {
	v := c.expression(x.Operand, s)
	c.noFunction(v, x.Operand)
	switch x.Operator { //nolint:exhaustive // the others are refused
	case token.NOT:
		return sure("$not("+c.truth(v)+")", types.Boolean)
	case token.MINUS:
		if n, ok := x.Operand.(*ast.NumberLiteral); ok {
			return sure("-"+c.number(n).e, types.Number)
		}
		v = c.need(v, types.Number, x.Operand)
		return sure("(0 - "+v.e+")", types.Number)
	case token.PLUS:
		return c.toNumber(v, x.Operand)
	}
	c.refuse(x, "compare typeof x with a name, or assign in a statement of its own", "the operator %s is not read here", x.Operator)
	return value{}
}

func (c *compiler) binary(x *ast.BinaryExpression, s scope) value {
	switch x.Operator { //nolint:exhaustive // the others are below
	case token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
		return c.logical(x, s)
	case token.EQUAL, token.NOT_EQUAL, token.STRICT_EQUAL, token.STRICT_NOT_EQUAL:
		return c.equality(x, s)
	}
	a, b := c.expression(x.Left, s), c.expression(x.Right, s)
	c.noFunction(a, x.Left)
	c.noFunction(b, x.Right)
	switch x.Operator { //nolint:exhaustive // the others are refused
	case token.PLUS:
		if !a.guess && a.t.Only(types.String) || !b.guess && b.t.Only(types.String) {
			if !a.t.Only(types.String) {
				b = c.need(b, types.String, x.Right)
			} else {
				a = c.need(a, types.String, x.Left)
			}
			return sure("("+c.text(a, x.Left).e+" & "+c.text(b, x.Right).e+")", types.String)
		}
		if !a.t.Without(types.Undefined|types.Null).Only(types.Number) && !b.t.Without(types.Undefined|types.Null).Only(types.Number) {
			c.mistyped(x, "write Number(a) + Number(b), or `${a}${b}`", "+ adds numbers and joins text, and %s is %s", c.source(x.Left), a.said())
		}
		return c.arithmetic("+", x, a, b)
	case token.MINUS:
		return c.arithmetic("-", x, a, b)
	case token.MULTIPLY:
		return c.arithmetic("*", x, a, b)
	case token.SLASH:
		return c.arithmetic("/", x, a, b)
	case token.REMAINDER:
		return c.arithmetic("%", x, a, b)
	case token.LESS, token.GREATER, token.LESS_OR_EQUAL, token.GREATER_OR_EQUAL:
		op := map[token.Token]string{token.LESS: "<", token.GREATER: ">", token.LESS_OR_EQUAL: "<=", token.GREATER_OR_EQUAL: ">="}[x.Operator]
		return sure("("+c.ordered(a, b, x.Left)+" "+op+" "+c.ordered(b, a, x.Right)+")", types.Boolean)
	}
	c.refuse(x, "write it with + - * / % and comparisons", "the operator %s is not read", x.Operator)
	return value{}
}

func (c *compiler) arithmetic(op string, x *ast.BinaryExpression, a, b value) value {
	return sure("("+c.need(a, types.Number, x.Left).e+" "+op+" "+c.need(b, types.Number, x.Right).e+")", types.Number)
}

// ordered is a side of a comparison. Two of different types fail when they are compared.
func (c *compiler) ordered(v, other value, at ast.Node) string {
	for _, k := range []types.Kind{types.Number, types.String} {
		if v.t.Without(types.Undefined|types.Null).Only(k) && !v.guess || other.sure && other.t.Only(k) {
			return c.need(v, k, at).e
		}
	}
	if !v.guess && !v.t.Has(types.Number|types.String) {
		c.mistyped(at, "write Number(x)", "%s is %s, and cannot be compared by order", c.source(at), v.said())
	}
	return "$ordered(" + v.e + ", " + c.where(at, "is neither a number nor text") + ")"
}

func (c *compiler) logical(x *ast.BinaryExpression, s scope) value {
	a := c.expression(x.Left, s)
	c.noFunction(a, x.Left)
	c.pure++
	b := c.expression(x.Right, s)
	c.pure--
	c.noFunction(b, x.Right)
	both := a.sure && b.sure
	if x.Operator != token.COALESCE && both && a.t.Only(types.Boolean) && b.t.Only(types.Boolean) {
		op := map[token.Token]string{token.LOGICAL_AND: " and ", token.LOGICAL_OR: " or "}[x.Operator]
		return sure("("+a.e+op+b.e+")", types.Boolean)
	}
	return c.once(a, func(a value) value {
		out := value{sure: both, guess: a.guess || b.guess}
		switch x.Operator { //nolint:exhaustive // see binary
		case token.LOGICAL_AND:
			out.e, out.t = "("+c.truth(a)+" ? "+b.e+" : "+a.e+")", a.t.Or(b.t)
			if a.t.Only(types.Object | types.Array) { // never false
				out.t = b.t
			}
		case token.LOGICAL_OR:
			out.e, out.t = "("+c.truth(a)+" ? "+a.e+" : "+b.e+")", a.t.Without(types.Null|types.Undefined).Or(b.t)
		default:
			out.e, out.t = "($missing("+a.e+") ? "+b.e+" : "+a.e+")", a.t.Without(types.Null|types.Undefined).Or(b.t)
		}
		return out
	})
}

// equality compares. JSONata compares lists and objects by content, so one side must be
// known to be neither.
func (c *compiler) equality(x *ast.BinaryExpression, s scope) value {
	not := x.Operator == token.NOT_EQUAL || x.Operator == token.STRICT_NOT_EQUAL
	loose := x.Operator == token.EQUAL || x.Operator == token.NOT_EQUAL
	out := func(e string) value {
		if not {
			e = "$not(" + e + ")"
		}
		return sure(e, types.Boolean)
	}
	left, right := x.Left, x.Right
	if u, ok := left.(*ast.UnaryExpression); ok && u.Operator == token.TYPEOF {
		text, ok := right.(*ast.StringLiteral)
		v := c.expression(u.Operand, s)
		c.noFunction(v, u.Operand)
		switch {
		case ok && text.Value == "undefined":
			return out("$not($exists(" + v.e + "))")
		case ok && (text.Value == "string" || text.Value == "number" || text.Value == "boolean"):
			return out("($type(" + v.e + ") = " + quote(text.Value.String()) + ")")
		}
		c.refuse(x, "compare with \"string\", \"number\", \"boolean\" or \"undefined\", or use Array.isArray(x)", "this use of typeof is not read")
	}
	a, b := c.expression(left, s), c.expression(right, s)
	c.noFunction(a, left)
	c.noFunction(b, right)
	if a.sure && a.t.Only(types.Null|types.Undefined) {
		a, b = b, a
	}
	if b.sure && b.t.Only(types.Null|types.Undefined) {
		switch {
		case loose:
			return out("$missing(" + a.e + ")")
		case b.t.Only(types.Null):
			return out("($type(" + a.e + ") = \"null\")")
		}
		return out("$not($exists(" + a.e + "))")
	}
	if loose {
		c.refuse(x, "write === or !==", "== converts its sides")
	}
	plain := func(v value) bool { return v.sure && !v.t.Has(types.Array|types.Object|types.Undefined) }
	if !plain(a) && !plain(b) {
		if !a.t.Has(types.Scalar) && !a.guess || !b.t.Has(types.Scalar) && !b.guess {
			c.mistyped(x, "compare fields of them", "%s is %s: JavaScript compares it by identity", c.source(left), a.said())
		}
		a.e = "$scalar(" + a.e + ", " + c.where(left, "cannot be compared") + ")"
	}
	return out("(" + a.e + " = " + b.e + ")")
}

// bind gives names to a value and its parts.
func (c *compiler) bind(target any, v value, s scope) {
	switch t := target.(type) {
	case *ast.Identifier:
		s[t.Name.String()] = v
	case *ast.AssignExpression: // a default
		b := c.expression(t.Right, s)
		c.noFunction(b, t.Right)
		d := c.once(v, func(v value) value {
			return value{e: "($exists(" + v.e + ") ? " + v.e + " : " + b.e + ")", t: v.t.Without(types.Undefined).Or(b.t), sure: v.sure && b.sure}
		})
		c.bind(t.Left, d, s)
	case *ast.ObjectPattern:
		if t.Rest != nil {
			c.refuse(t, "read the fields by name", "a rest in a pattern is not read")
		}
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				f := c.read(&p.Name, t, v, p.Name.Name.String())
				if p.Initializer != nil {
					c.bind(&ast.AssignExpression{Left: &p.Name, Right: p.Initializer}, f, s)
				} else {
					c.bind(&p.Name, f, s)
				}
			case *ast.PropertyKeyed:
				key, ok := p.Key.(*ast.StringLiteral)
				if !ok || p.Computed {
					c.refuse(p, "read the field in a statement of its own", "this pattern is not read")
				}
				c.bind(p.Value, c.read(p.Key, t, v, key.Value.String()), s)
			}
		}
	case *ast.ArrayPattern:
		if t.Rest != nil {
			c.refuse(t, "write xs[0] and xs.slice(1)", "a rest in a pattern is not read")
		}
		l := c.list(v, t)
		for i, e := range t.Elements {
			if e != nil {
				one := item(l, fmt.Sprintf("$at(%s, %d)", l.e, i))
				one.t = one.t.With(types.Undefined)
				c.bind(e, one, s)
			}
		}
	default:
		c.refuse(nil, "write const name = …", "this pattern is not read")
	}
}
