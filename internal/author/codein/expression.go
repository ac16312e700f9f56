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

// expression compiles an expression. Calls in it become nodes.
func (c *compiler) expression(x ast.Expression, s scope) value {
	v := c.operand(x, s)
	if v.fn != nil {
		c.refuse(x, "call it", "a function is used as a value")
	}
	return v
}

// operand is [compiler.expression] that also accepts functions.
func (c *compiler) operand(x ast.Expression, s scope) value {
	defer c.deeper(x)()
	switch x := x.(type) {
	case *kept:
		return x.v
	case *ast.StringLiteral:
		v := sure(quote(x.Value.String()), types.String)
		v.t = types.Texts(x.Value.String())
		return v
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
			c.refuse(x, "call the function", "a tag before a template is not supported")
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
		a, b := c.expression(x.Consequent, c.narrowed(x.Test, s, true)), c.expression(x.Alternate, c.narrowed(x.Test, s, false))
		c.pure--
		return a.or(b).as("(" + test + " ? " + a.e + " : " + b.e + ")")
	case *ast.AwaitExpression:
		return c.await(x, s, "")
	case *ast.CallExpression:
		return c.call(x, s)
	case *ast.ArrowFunctionLiteral, *ast.FunctionLiteral:
		return value{fn: &function{x, s}}
	}
	return c.unsupported(x)
}

// unread lists syntax that is not supported, with what to write instead.
var unread = map[string][2]string{
	"*ast.AssignExpression":   {"an assignment inside of an expression", "make the assignment a statement of its own"},
	"*ast.NewExpression":      {"new", "use plain objects and lists; [...new Set(xs)] is read"},
	"*ast.RegExpLiteral":      {"a regular expression as a value", "use it as text.replace(/…/g, \"…\"), text.split(/…/) or /…/.test(text)"},
	"*ast.VariableStatement":  {"var", "write let or const"},
	"*ast.ForInStatement":     {"for … in", "write for (const key of Object.keys(o))"},
	"*ast.LabelledStatement":  {"a label", "leave the outer loop with a variable, or make the inner loop a helper"},
	"*ast.ClassDeclaration":   {"a class", "use plain objects and helpers"},
	"*ast.SequenceExpression": {"a list of expressions", "make each a statement of its own"},
	"*ast.ThisExpression":     {"this", "pass what is needed as a parameter"},
}

// unsupported refuses syntax.
func (c *compiler) unsupported(x ast.Node) value {
	r, ok := unread[fmt.Sprintf("%T", x)]
	if !ok {
		r = [2]string{"this", "write it with const, if, return, calls of methods, operators and plain objects"}
	}
	return c.refuse(x, r[1], "%s is not supported", r[0])
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
	return c.refuse(x, "write a smaller number", "this number cannot be kept")
}

func (c *compiler) name(x *ast.Identifier, s scope) value {
	name := x.Name.String()
	if v, ok := s[c.variable(x)]; ok {
		return v
	}
	if name == "undefined" {
		return sure("()", types.Undefined)
	}
	hint := "declare it with const or let"
	if name == "tools" || name == "graphs" {
		hint = "write await tools.server.tool({…})"
	}
	return c.refuse(x, hint, "%q is not known here", name)
}

// member reads a field.
func (c *compiler) member(at *ast.DotExpression, o value, name string) value {
	if name == "length" && !o.t.Only(types.Object) {
		switch {
		case o.is(types.Array):
			return sure("$count("+o.e+")", types.Integer)
		case o.lacks(types.Array | types.String):
			c.mistyped(at.Left, "", "%s is %s, and has no length", c.source(at.Left), o.said())
		}
		return sure("$sized("+o.e+", "+c.where(at.Left, "is neither text nor a list")+")", types.Integer)
	}
	return c.read(at, at.Left, o, name)
}

// inherited are the fields that every JavaScript object has.
var inherited = map[string]bool{"constructor": true, "toString": true, "valueOf": true, "hasOwnProperty": true, "isPrototypeOf": true, "propertyIsEnumerable": true, "toLocaleString": true, "__proto__": true}

func (c *compiler) read(at, left ast.Node, o value, name string) value {
	if inherited[name] || strings.ContainsRune(name, '`') {
		c.refuse(at, "give the field another name", "the field %q is not supported", name)
	}
	if _, ok := c.inputs[name]; o.input && !ok {
		c.inputs[name] = types.Unknown()
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
	case only(o) == types.String && k.t.Has(types.Number):
		o, k = c.need(o, types.String, x.Left), c.need(k, types.Number, x.Member)
		r := sure("$unitAt($oneUnit("+o.e+", "+c.where(x.Left, units)+"), "+k.e+")", types.String)
		r.t = r.t.With(types.Undefined)
		return r
	case o.t.Has(types.Array) && !o.t.Has(types.Object) || k.is(types.Number):
		o, k = c.asList(o, x.Left), c.need(k, types.Number, x.Member)
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
		return value{e: "$lookup(" + o.e + ", $own(" + k.e + ", " + c.where(x.Member, "is a name that all objects have") + "))", t: t.With(types.Undefined), sure: o.deep, deep: o.deep, guess: o.guess}
	}
	return c.mistyped(x, "", "%s is %s, and cannot be read by %s", c.source(x.Left), o.said(), c.source(x.Member))
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

func (c *compiler) array(x *ast.ArrayLiteral, s scope) value {
	e, open := "[]", true // open: e ends with the items of a list that is written out
	out := never
	for _, y := range x.Value {
		if y == nil {
			c.refuse(x, "write null", "a hole in a list is not supported")
		}
		if spread, ok := y.(*ast.SpreadElement); ok {
			l := c.spread(spread.Expression, s)
			e, open, out = "$append("+e+", "+l.e+")", false, out.or(item(l, ""))
			continue
		}
		v := c.expression(y, s)
		out = out.or(v)
		switch one := c.single(v, y); {
		case !open || !strings.HasPrefix(one, "["):
			e, open = "$append("+e+", "+one+")", false
		case e == "[]":
			e = one
		default:
			e = e[:len(e)-1] + ", " + one[1:]
		}
	}
	l := list(e, out.t.Without(types.Undefined), out.sure)
	l.deep, l.guess = out.deep && out.sure, out.guess
	return l
}

func (c *compiler) object(x *ast.ObjectLiteral, s scope) value {
	var merged, pairs []string
	known, out := map[string]bool{}, value{t: types.ObjectOf(true), sure: true, deep: true}
	merge := func(e string, t types.Type) { // the fields are known of what comes first
		if len(pairs) > 0 {
			merged, pairs = append(merged, "{"+strings.Join(pairs, ", ")+"}"), nil
		}
		if len(merged) > 0 {
			t = types.ObjectOf(false)
		}
		merged, out.t, known = append(merged, e), t, map[string]bool{}
	}
	for _, p := range x.Value {
		k, keyed := p.(*ast.PropertyKeyed)
		if spread, ok := p.(*ast.SpreadElement); ok {
			v := c.fields(c.expression(spread.Expression, s).certain(), spread.Expression)
			merge(v.e, v.t)
			out.deep = out.deep && v.deep
			continue
		} else if !keyed || k.Kind != ast.PropertyKindValue {
			c.refuse(p, "write key: value", "methods and accessors of objects are not supported")
		}
		v := c.expression(k.Value, s).certain()
		text, named := k.Key.(*ast.StringLiteral)
		if named = named && !k.Computed; len(merged) > 0 || !named {
			v = c.defined(v, k.Value)
		}
		out.deep = out.deep && v.deep && v.sure
		if !named {
			merge("{"+c.text(c.expression(k.Key, s), k.Key).e+": "+v.e+"}", types.ObjectOf(false))
			continue
		}
		name := text.Value.String()
		if known[name] {
			c.refuse(k.Value, "leave one of them out", "the field %q is written twice", name)
		}
		known[name], pairs = true, append(pairs, quote(name)+": "+v.e)
		out.t = types.ObjectOf(out.t.Closed, append(without(out.t.Fields, name), types.Field{Name: name, Type: v.t.Without(types.Undefined), Optional: v.t.Has(types.Undefined)})...)
	}
	if len(pairs) > 0 || len(merged) == 0 {
		merged = append(merged, "{"+strings.Join(pairs, ", ")+"}")
	}
	if out.e = merged[0]; len(merged) > 1 {
		out.e = "$merge([" + strings.Join(merged, ", ") + "])"
	}
	return out
}

// fields returns what a spread adds to an object: the fields of an object, nothing of null,
// undefined, a boolean and a number.
func (c *compiler) fields(v value, at ast.Node) value {
	if v.is(types.Object) || v.lacks(types.Object|types.Null|types.Undefined|types.Boolean) {
		return c.need(v, types.Object, at)
	}
	fields := slices.Clone(v.t.Fields)
	for i := range fields {
		fields[i].Optional = fields[i].Optional || !v.t.Only(types.Object)
	}
	v.e = "$fieldsOf(" + v.e + ", " + c.where(at, "is not an object") + ")"
	v.t, v.sure = types.ObjectOf(v.t.Closed || !v.t.Has(types.Object), fields...), true
	return v
}

func without(fields []types.Field, name string) []types.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f types.Field) bool { return f.Name == name })
}

func (c *compiler) unary(x *ast.UnaryExpression, s scope) value {
	v := c.expression(x.Operand, s)
	switch x.Operator { //nolint:exhaustive // the others are refused
	case token.NOT:
		return sure("$not("+c.truth(v)+")", types.Boolean)
	case token.MINUS:
		if n, ok := x.Operand.(*ast.NumberLiteral); ok {
			return sure("-"+c.number(n).e, types.Number)
		}
		return sure("(0 - "+c.need(v, types.Number, x.Operand).e+")", types.Number)
	case token.PLUS:
		return c.toNumber(v, x.Operand)
	}
	return c.refuse(x, "compare typeof x with a name, or assign in a statement of its own", "the operator %s is not supported here", x.Operator)
}

func isLogical(op token.Token) bool {
	return op == token.LOGICAL_AND || op == token.LOGICAL_OR || op == token.COALESCE
}

func (c *compiler) binary(x *ast.BinaryExpression, s scope) value {
	op := x.Operator.String()
	switch {
	case isLogical(x.Operator):
		return c.logical(x, s)
	case x.Operator == token.INSTANCEOF && c.source(x.Right) == "Error":
		if v := c.expression(x.Left, s); v.deep && v.t.Equal(caught) {
			return sure("true", types.Boolean)
		}
	case x.Comparison && op[0] != '<' && op[0] != '>' && x.Operator != token.IN:
		return c.equality(x, s)
	}
	a, b := c.expression(x.Left, s), c.expression(x.Right, s)
	switch op {
	case "+":
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
		fallthrough
	case "-", "*", "/", "%":
		return sure("("+c.need(a, types.Number, x.Left).e+" "+op+" "+c.need(b, types.Number, x.Right).e+")", types.Number)
	case "**":
		return sure("$power("+c.need(a, types.Number, x.Left).e+", "+c.need(b, types.Number, x.Right).e+")", types.Number)
	case "<", ">", "<=", ">=":
		return sure("("+c.ordered(a, b, x.Left)+" "+op+" "+c.ordered(b, a, x.Right)+")", types.Boolean)
	case "in":
		return sure("$exists($lookup("+c.need(b, types.Object, x.Right).e+", $own("+c.need(a, types.String, x.Left).e+", "+c.where(x.Left, "is a name that all objects have")+")))", types.Boolean)
	}
	return c.refuse(x, "write it with + - * / % and comparisons", "the operator %s is not supported", op)
}

// ordered is a side of a comparison. Two of different types fail when they are compared.
func (c *compiler) ordered(v, other value, at ast.Node) string {
	for _, k := range []types.Kind{types.Number, types.String} {
		if v.t.Without(types.Undefined|types.Null).Only(k) && !v.guess || other.is(k) {
			return c.need(v, k, at).e
		}
	}
	if v.lacks(types.Number | types.String) {
		c.mistyped(at, "write Number(x)", "%s is %s, and cannot be compared by order", c.source(at), v.said())
	}
	return "$ordered(" + v.e + ", " + c.where(at, "is neither a number nor text") + ")"
}

func (c *compiler) logical(x *ast.BinaryExpression, s scope) value {
	a := c.expression(x.Left, s)
	c.pure++
	if x.Operator != token.COALESCE {
		s = c.narrowed(x.Left, s, x.Operator == token.LOGICAL_AND)
	}
	b := c.expression(x.Right, s)
	c.pure--
	if x.Operator != token.COALESCE && a.is(types.Boolean) && b.is(types.Boolean) {
		return sure("("+a.e+map[token.Token]string{token.LOGICAL_AND: " and ", token.LOGICAL_OR: " or "}[x.Operator]+b.e+")", types.Boolean)
	}
	return c.once(a, func(a value) value {
		test, yes, no, there := c.truth(a), a, b, a
		there.t = a.t.Without(types.Null | types.Undefined)
		switch x.Operator { //nolint:exhaustive // see binary
		case token.LOGICAL_AND:
			if yes, no, there = b, a, a; a.t.Only(types.Object | types.Array) { // never false
				there = b
			}
		case token.COALESCE:
			test, yes, no = "$missing("+a.e+")", b, a
		}
		return there.or(b).as("(" + test + " ? " + yes.e + " : " + no.e + ")")
	})
}

// equality compares. JSONata compares lists and objects by content, so one side must be
// known to be neither.
func (c *compiler) equality(x *ast.BinaryExpression, s scope) value {
	loose := x.Operator == token.EQUAL || x.Operator == token.NOT_EQUAL
	out := func(e string) value {
		if x.Operator == token.NOT_EQUAL || x.Operator == token.STRICT_NOT_EQUAL {
			e = "$not(" + e + ")"
		}
		return sure(e, types.Boolean)
	}
	if u, ok := x.Left.(*ast.UnaryExpression); ok && u.Operator == token.TYPEOF {
		text, ok := x.Right.(*ast.StringLiteral)
		v := c.expression(u.Operand, s)
		switch {
		case ok && text.Value == "undefined":
			return out("$not($exists(" + v.e + "))")
		case ok && (text.Value == "string" || text.Value == "number" || text.Value == "boolean"):
			return out("($type(" + v.e + ") = " + quote(text.Value.String()) + ")")
		}
		c.refuse(x, "compare with \"string\", \"number\", \"boolean\" or \"undefined\", or use Array.isArray(x)", "this use of typeof is not supported")
	}
	left := x.Left
	a, b := c.expression(left, s), c.expression(x.Right, s)
	if a.is(types.Null | types.Undefined) {
		a, b, left = b, a, x.Right
	}
	if b.is(types.Null | types.Undefined) {
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
		if a.lacks(types.Scalar) || b.lacks(types.Scalar) {
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
		s[c.variable(t)] = v
	case *ast.AssignExpression: // a default
		b := c.expression(t.Right, s)
		c.bind(t.Left, c.once(v, func(v value) value {
			w := v
			w.t = v.t.Without(types.Undefined)
			return w.or(b).as("($exists(" + v.e + ") ? " + v.e + " : " + b.e + ")")
		}), s)
	case *ast.ObjectPattern:
		if t.Rest != nil {
			c.refuse(t, "read the fields by name", "a rest in a pattern is not supported")
		}
		for _, p := range t.Properties {
			k := p.(*ast.PropertyKeyed)
			key, ok := k.Key.(*ast.StringLiteral)
			if !ok || k.Computed {
				c.refuse(p, "read the field in a statement of its own", "this pattern is not supported")
			}
			c.bind(k.Value, c.read(k.Key, t, v, key.Value.String()), s)
		}
	case *ast.ArrayPattern:
		l := c.asList(v, t)
		for i, e := range t.Elements {
			if e != nil {
				one := item(l, fmt.Sprintf("$at(%s, %d)", l.e, i))
				one.t = one.t.With(types.Undefined)
				c.bind(e, one, s)
			}
		}
		if t.Rest != nil {
			c.bind(t.Rest, l.as(fmt.Sprintf("$sliceList(%s, %d, ())", l.e, len(t.Elements))), s)
		}
	default:
		c.refuse(nil, "write const name = …", "this pattern is not supported")
	}
}
