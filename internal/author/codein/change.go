package codein

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/patchbay-mcp/patchbay/types"
)

// change compiles an assignment, and returns the variable and its new value. get compiles the
// right side.
func (c *compiler) change(x ast.Expression, s scope, get func(ast.Expression) value) (string, value) {
	switch y := x.(type) {
	case *ast.AssignExpression:
		if y.Operator != token.ASSIGN {
			c.refuse(y.Left, "give the awaited value a name before", "an awaited part of what is assigned with %s= is not supported", y.Operator)
		}
		return c.put(y.Left, get(y.Right), s, x)
	case *ast.CallExpression:
		target, method := mutation(y)
		if target == nil {
			c.refuse(x, "await a call of a tool, or assign the new value; write forEach as for (const x of xs) or for (let i = 0; i < xs.length; i++)", "a call whose result is not used, and that is not awaited, has no effect in a graph")
		}
		l := c.asList(c.expression(target, s), target)
		switch method {
		case "push", "unshift":
			added := c.array(&ast.ArrayLiteral{LeftBracket: y.LeftParenthesis, Value: y.ArgumentList, RightBracket: y.RightParenthesis}, s)
			sum := list("$append("+l.e+", "+added.e+")", l.t.Items().Or(added.t.Items()), l.items && added.items)
			if method == "unshift" {
				sum.e = "$append(" + added.e + ", " + l.e + ")"
			}
			sum.deep, sum.guess = l.deep && added.deep, l.guess || added.guess
			l = sum
		case "sort", "reverse":
			l = c.method(y, &kept{target, l}, l, method, s)
		default:
			l = shorter(l, method)
		}
		return c.put(target, l, s, x)
	}
	return "", c.refuse(x, "leave it out", "an expression whose value is not used is not supported")
}

// shorter returns a list after pop or shift.
func shorter(l value, method string) value {
	if method == "pop" {
		return l.as("$sliceList(" + l.e + ", 0, -1)")
	}
	return l.as("$sliceList(" + l.e + ", 1, ())")
}

// taken compiles an expression statement; pop and shift also shorten their list. keep stores a
// value, so that it is computed once.
func (c *compiler) taken(x ast.Expression, s scope, keep func(string, value) value) value {
	target, method := mutation(x)
	if method != "pop" && method != "shift" {
		return c.expression(x, s)
	}
	l := c.asList(c.expression(target, s), target)
	one := keep("x", c.filled(listMethods[method], method, l, target, x.(*ast.CallExpression), s))
	name, v := c.put(target, shorter(l, method), s, x)
	s[name] = keep(plainName(name), v)
	return one
}

// put returns the root variable of a target, and its new value with v at the target.
func (c *compiler) put(target ast.Expression, v value, s scope, at ast.Node) (string, value) {
	var left ast.Expression
	var key value
	name := ""
	switch t := target.(type) {
	case *ast.Identifier:
		name := c.variable(t)
		list, _ := mutation(at)
		if was, ok := s[name]; !ok || was.fn != nil || c.constants[name] && at != nil && list == nil {
			c.refuse(at, "declare it with let in this function", "%q is not a variable that can be assigned here", t.Name.String())
		}
		if list != nil {
			c.owned(target, at)
		}
		return name, v
	case *ast.DotExpression:
		left, name = t.Left, t.Identifier.Name.String()
	case *ast.BracketExpression:
		left, key = t.Left, c.expression(t.Member, s)
		if text, ok := t.Member.(*ast.StringLiteral); ok {
			name = text.Value.String()
		}
	}
	id, _, _ := root(left)
	if id == nil || inherited[name] {
		c.refuse(at, "make a new value: x = {...x, key: value} or xs = [...xs, item]", "a change of this is not supported")
	} else if _, ok := s[c.variable(id)]; ok {
		c.owned(target, at)
	}
	o := c.expression(left, s)
	v, guess := c.defined(v.certain(), at), o.guess
	deep := o.deep && v.deep && v.sure
	switch {
	case name != "":
		o = c.need(o, types.Object, left)
		fields := append(without(o.t.Fields, name), types.Field{Name: name, Type: v.t})
		o = value{e: "$merge([" + o.e + ", {" + quote(name) + ": " + v.e + "}])", t: types.ObjectOf(o.t.Closed, fields...), sure: true, deep: deep}
	case o.t.Has(types.Array) && !o.t.Has(types.Object) || key.is(types.Number) && !o.is(types.Object):
		o = c.asList(o, left)
		e := "$set(" + strings.Join([]string{o.e, c.need(key, types.Number, at).e, v.e, c.where(at, "sets an item beyond the end of the list")}, ", ") + ")"
		o = value{e: e, t: types.ArrayOf(o.t.Items().Or(v.t)), sure: true, items: o.items && v.sure, deep: deep}
	default:
		o = c.need(o, types.Object, left)
		fields := slices.Clone(o.t.Fields)
		for i := range fields {
			fields[i].Type = fields[i].Type.Or(v.t)
		}
		e := "$merge([" + o.e + ", {$own(" + c.text(key, target).e + ", " + c.where(target, "has a name that all objects have") + "): " + v.e + "}])"
		o = value{e: e, t: types.ObjectOf(false, fields...), sure: true, deep: deep}
	}
	return c.put(left, o.guessed(guess), s, nil)
}
