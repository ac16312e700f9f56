package codein

import (
	"fmt"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/patchbay-mcp/patchbay/types"
)

// global compiles a call of a function that JavaScript has everywhere.
func (c *compiler) global(x *ast.CallExpression, name string, s scope) value {
	arg := func(i int) (value, ast.Node) {
		if i >= len(x.ArgumentList) {
			c.refuse(x, "", "%s needs %d arguments", name, i+1)
		}
		v := c.expression(x.ArgumentList[i], s)
		c.noFunction(v, x.ArgumentList[i])
		return v, x.ArgumentList[i]
	}
	numeric := func(form string) value {
		v, at := arg(0)
		return sure(fmt.Sprintf(form, c.need(v, types.Number, at).e), types.Number)
	}
	switch name {
	case "Number":
		return c.toNumber(arg(0))
	case "String":
		return c.text(arg(0))
	case "Boolean":
		v, _ := arg(0)
		return sure(c.truth(v), types.Boolean)
	case "Array.isArray":
		v, _ := arg(0)
		return sure("($type("+v.e+") = \"array\")", types.Boolean)
	case "Math.floor", "Math.ceil", "Math.abs":
		return numeric("$" + strings.TrimPrefix(name, "Math.") + "(%s)")
	case "Math.round":
		return numeric("$floor(%s + 0.5)")
	case "Math.max", "Math.min":
		f := "$" + strings.TrimPrefix(name, "Math.")
		if len(x.ArgumentList) == 1 {
			if spread, ok := x.ArgumentList[0].(*ast.SpreadElement); ok {
				l := c.list(c.expression(spread.Expression, s), spread.Expression)
				if !l.items || !l.t.Items().Only(types.Number) {
					c.mistyped(spread, "write xs.map(x => Number(x)) before it", "%s is not known to be a list of numbers", c.source(spread.Expression))
				}
				return sure("$defined("+f+"("+l.e+"), "+c.where(x, "has no numbers")+")", types.Number)
			}
		}
		var parts []string
		for i := range x.ArgumentList {
			v, at := arg(i)
			parts = append(parts, c.need(v, types.Number, at).e)
		}
		if len(parts) == 0 {
			c.refuse(x, "give it numbers", "%s without arguments is not read", name)
		}
		return sure(f+"(["+strings.Join(parts, ", ")+"])", types.Number)
	case "Object.keys":
		v, at := arg(0)
		return value{e: "$keysOf(" + c.whole(v, at).e + ", " + c.where(at, "has numbers as names, whose order JavaScript changes") + ")", t: types.ArrayOf(types.Of(types.String)), sure: true, items: true}
	case "Object.values", "Object.entries":
		v, at := arg(0)
		o := c.whole(v, at)
		return c.once(o, func(o value) value {
			k, l := c.local("k"), c.local("l")
			keys := "$keysOf(" + o.e + ", " + c.where(at, "has numbers as names, whose order JavaScript changes") + ")"
			one := "$single($lookup(" + o.e + ", " + k + "), " + c.where(at, "has a missing value") + ")"
			t := types.Unknown().Without(types.Undefined)
			if name == "Object.entries" {
				one = "[[$append([" + k + "], " + one + ")]]"
				t = types.ArrayOf(t)
			}
			return value{e: fmt.Sprintf("$reduce(%s, function(%s, %s) {$append(%s, %s)}, [])", keys, l, k, l, one), t: types.ArrayOf(t), sure: true, items: t.Only(types.Array)}
		})
	case "JSON.parse":
		v, at := arg(0)
		return value{e: "$parseJson(" + c.need(v, types.String, at).e + ")", t: types.Of(types.JSON), sure: true}
	}
	c.refuse(x, "use String, Number, Boolean, Array.isArray, Math.floor, ceil, abs, round, max, min, Object.keys, values, entries, JSON.parse", "the function %s is not read", name)
	return value{}
}

// whole is an object without fields that are there and undefined.
func (c *compiler) whole(v value, at ast.Node) value {
	for _, f := range v.t.Fields {
		if v.sure && !v.deep && f.Optional {
			c.mistyped(at, "give the field "+f.Name+" a value: x ?? null", "the field %q may be undefined", f.Name)
		}
	}
	return c.need(v, types.Object, at)
}

// toNumber is Number(x). Text that is not a plain number fails.
func (c *compiler) toNumber(v value, at ast.Node) value {
	if v.sure && v.t.Only(types.Number) {
		return v
	}
	if !v.t.Has(types.String | types.Number | types.Boolean) {
		c.mistyped(at, "", "%s is %s, and not a number", c.source(at), v.said())
	}
	return sure("$number($scalar("+v.e+", "+c.where(at, "is not a number")+"))", types.Number)
}

// pattern is a regular expression in JSONata.
func (c *compiler) pattern(r *ast.RegExpLiteral) string {
	flags := strings.Trim(r.Flags, "g")
	if strings.Trim(flags, "im") != "" {
		c.refuse(r, "leave the flag out", "the flags %q are not read", r.Flags)
	}
	return "/" + r.Pattern + "/" + flags
}

// callback compiles a function that is called for items, and returns its parameters.
func (c *compiler) callback(x ast.Expression, s scope, args ...value) ([]string, value) {
	v := c.expression(x, s)
	if v.fn == nil {
		c.refuse(x, "write x => …", "a function is expected here")
	}
	params := make([]string, len(args))
	for i := range args {
		params[i] = c.local("x")
		args[i].e = params[i]
	}
	list, _, _ := c.parts(v.fn.code)
	n := max(1, min(len(list.List), len(args)))
	return params[:n], c.apply(v.fn, args, x)
}

// method compiles a call of a method.
func (c *compiler) method(x *ast.CallExpression, d *ast.DotExpression, o value, name string, s scope) value {
	args := x.ArgumentList
	if len(args) < methods[name].least {
		c.refuse(x, "give it its arguments", "%s needs %d arguments", name, methods[name].least)
	}
	if m, known := methods[name]; !known || len(args) > m.most {
		c.refuse(x, "use "+methodNames, "%s with %d arguments is not read", name, len(args))
	}
	number := func(i int) string {
		v := c.need(c.expression(args[i], s), types.Number, args[i])
		if isWholeConstant(v.e) {
			return v.e
		}
		return "$whole(" + v.e + ", " + c.where(args[i], "is not a whole number") + ")"
	}
	text := func(i int) string { return c.need(c.expression(args[i], s), types.String, args[i]).e }
	boolean := func(e string) value { return sure(e, types.Boolean) }
	asText := methods[name].text
	if methods[name].list && asText { // both have it
		switch {
		case o.t.Has(types.Array) && !o.t.Has(types.String):
			asText = false
		case o.t.Has(types.String) && !o.t.Has(types.Array):
		default:
			c.mistyped(d.Left, "write `${x}`."+name+"(…) or [...x]."+name+"(…)", "%s may be text or a list", c.source(d.Left))
		}
	}
	if asText {
		t := c.need(o, types.String, d.Left)
		return c.textMethod(x, d, t.e, name, args, number, text)
	}
	if name == "toFixed" || name == "toString" {
		c.refuse(x, "write String(x), or Math.round(x * 100) / 100", "%s is not read", name)
	}
	l := c.list(o, d.Left)
	one, index := item(l, ""), sure("", types.Integer)
	function := func(params []string, body string) string {
		return "function(" + strings.Join(params, ", ") + ") {" + body + "}"
	}
	_, flat := c.flat(value{t: one.t, sure: one.sure}, x)
	flat = flat && one.sure
	acc := c.local("l")
	switch name {
	case "map":
		params, body := c.callback(args[0], s, one, index)
		if v, ok := c.flat(body, args[0]); ok {
			return value{e: "[$map(" + l.e + ", " + function(params, v.e) + ")]", t: types.ArrayOf(v.t), sure: true, items: true}
		}
		return value{e: "$reduce(" + l.e + ", " + function(append([]string{acc}, params...), "$append("+acc+", "+c.single(body, args[0])+")") + ", [])", t: types.ArrayOf(body.t.Without(types.Undefined)), sure: true, items: body.sure, guess: body.guess}
	case "filter":
		if id, ok := args[0].(*ast.Identifier); ok && id.Name == "Boolean" {
			args = []ast.Expression{&ast.ArrowFunctionLiteral{Start: id.Idx, ParameterList: &ast.ParameterList{List: []*ast.Binding{{Target: &ast.Identifier{Name: "x", Idx: id.Idx}}}}, Body: &ast.ExpressionBody{Expression: &ast.Identifier{Name: "x", Idx: id.Idx}}}}
		}
		params, body := c.callback(args[0], s, one, index)
		out := value{t: l.t, sure: true, items: l.items, deep: l.deep, guess: l.guess}
		if flat {
			out.e = "[$filter(" + l.e + ", " + function(params, c.truth(body)) + ")]"
			return out
		}
		item := one
		item.e = params[0]
		out.e = "$reduce(" + l.e + ", " + function(append([]string{acc}, params...), c.truth(body)+" ? $append("+acc+", "+c.single(item, args[0])+") : "+acc) + ", [])"
		return out
	case "find":
		params, body := c.callback(args[0], s, one, index)
		one.e = "$reduce(" + l.e + ", " + function(append([]string{acc}, params...), "$exists("+acc+".v) ? "+acc+" : "+c.truth(body)+" ? {\"v\": "+params[0]+"} : "+acc) + ", {}).v"
		one.t = one.t.With(types.Undefined)
		return one
	case "some", "every":
		params, body := c.callback(args[0], s, one, index)
		if name == "some" {
			return boolean("$reduce(" + l.e + ", " + function(append([]string{acc}, params...), acc+" or "+c.truth(body)) + ", false)")
		}
		return boolean("$reduce(" + l.e + ", " + function(append([]string{acc}, params...), acc+" and "+c.truth(body)) + ", true)")
	case "reduce":
		start := c.expression(args[1], s)
		c.noFunction(start, args[1])
		accumulated := start
		switch {
		case start.t.Only(types.Number):
			accumulated.t = types.Of(types.Number)
		case start.t.Only(types.String):
			accumulated.t = types.Of(types.String)
		default:
			accumulated.t, accumulated.sure = types.Unknown().Without(types.Undefined), true
		}
		accumulated.items, accumulated.deep = false, false
		params, body := c.callback(args[0], s, accumulated, one, index)
		body = c.defined(body, args[0])
		for _, k := range []types.Kind{types.Number, types.String} {
			if accumulated.t.Only(k) {
				body = c.need(body, k, args[0])
			}
		}
		return value{e: "$reduce(" + l.e + ", " + function(params, body.e) + ", " + start.e + ")", t: accumulated.t, sure: true}
	case "includes":
		v := c.expression(args[0], s)
		v.e = "$scalar(" + v.e + ", " + c.where(args[0], "cannot be looked for") + ")"
		return c.once(v, func(v value) value {
			return boolean("$reduce(" + l.e + ", " + function([]string{acc, "$y"}, acc+" or $y = "+v.e) + ", false)")
		})
	case "join":
		sep := `","`
		if len(args) > 0 {
			sep = text(0)
		}
		if !flat || !one.t.Only(types.String) {
			c.mistyped(d.Left, "write xs.map(x => String(x)).join(…)", "%s is not known to be a list of texts", c.source(d.Left))
		}
		return sure("$join("+l.e+", "+sep+")", types.String)
	case "concat":
		other := c.list(c.expression(args[0], s), args[0])
		return value{e: "$append(" + l.e + ", " + other.e + ")", t: types.ArrayOf(l.t.Items().Or(other.t.Items())), sure: true, items: l.items && other.items}
	case "slice":
		return c.once(l, func(l value) value {
			from, to := "0", "$count("+l.e+")"
			bound := func(i int) string {
				n := number(i)
				return "(" + n + " < 0 ? $count(" + l.e + ") + " + n + " : " + n + ")"
			}
			if len(args) > 0 {
				from = bound(0)
			}
			if len(args) > 1 {
				to = bound(1)
			}
			i := c.local("i")
			y := item(l, "$y")
			return value{e: "$reduce(" + l.e + ", function(" + acc + ", $y, " + i + ") {" + i + " >= " + from + " and " + i + " < " + to + " ? $append(" + acc + ", " + c.single(y, d.Left) + ") : " + acc + "}, [])", t: l.t, sure: true, items: l.items, deep: l.deep, guess: l.guess}
		})
	}
	c.refuse(x, "use "+methodNames, "the method %s is not read", name)
	return value{}
}

func isWholeConstant(e string) bool {
	return isConstant(e) && !strings.ContainsAny(e, ".e\"")
}

// textMethod compiles a method of text.
func (c *compiler) textMethod(x *ast.CallExpression, d *ast.DotExpression, t, name string, args []ast.Expression, number, text func(int) string) value {
	units := func(e string) string {
		return "$oneUnit(" + e + ", " + c.where(d.Left, "has characters of two units") + ")"
	}
	str := func(e string) value { return sure(e, types.String) }
	switch name {
	case "includes":
		return sure("$contains("+t+", "+text(0)+")", types.Boolean)
	case "startsWith":
		return c.once(str(text(0)), func(p value) value {
			return sure("($substring("+t+", 0, $length("+p.e+")) = "+p.e+")", types.Boolean)
		})
	case "endsWith":
		return c.once(str(text(0)), func(p value) value {
			return c.once(str(t), func(t value) value {
				return sure("($length("+t.e+") >= $length("+p.e+") and $substring("+t.e+", $length("+t.e+") - $length("+p.e+")) = "+p.e+")", types.Boolean)
			})
		})
	case "toUpperCase":
		return str("$uppercase(" + t + ")")
	case "toLowerCase":
		return str("$lowercase(" + t + ")")
	case "trim":
		return str("$replace(" + t + `, /^\s+|\s+$/, "")`)
	case "split":
		if r, ok := args[0].(*ast.RegExpLiteral); ok {
			if strings.ContainsAny(r.Pattern, "()^$|*?") {
				c.refuse(r, "split by text", "this pattern may match nothing or keep groups, and is not read here")
			}
			return value{e: "$split(" + t + ", " + c.pattern(r) + ")", t: types.ArrayOf(types.Of(types.String)), sure: true, items: true}
		}
		sep := text(0)
		if sep == `""` {
			t = units(t)
		} else if !isConstant(sep) {
			c.refuse(args[0], "write the separator as text", "a separator that is computed is not read")
		}
		return value{e: "$split(" + t + ", " + sep + ")", t: types.ArrayOf(types.Of(types.String)), sure: true, items: true}
	case "slice":
		return c.once(str(units(t)), func(t value) value {
			bound := func(i int) string {
				n := number(i)
				return "(" + n + " < 0 ? $max([0, $length(" + t.e + ") + " + n + "]) : " + n + ")"
			}
			if len(args) == 0 {
				return t
			}
			from := bound(0)
			if len(args) == 1 {
				return str("$substring(" + t.e + ", " + from + ")")
			}
			return str("$substring(" + t.e + ", " + from + ", $max([0, " + bound(1) + " - " + from + "]))")
		})
	case "padStart", "padEnd":
		w, fill := number(0), `" "`
		if len(args) > 1 {
			if one, ok := args[1].(*ast.StringLiteral); !ok || len(one.Value.String()) != 1 {
				c.refuse(args[1], "write one character", "this filling is not read")
			}
			fill = text(1)
		}
		if name == "padStart" {
			w = "0 - " + w
		}
		return str("$pad(" + units(t) + ", " + w + ", " + fill + ")")
	case "replace", "replaceAll":
		to, ok := args[1].(*ast.StringLiteral)
		if !ok || strings.Contains(to.Value.String(), "$") {
			c.refuse(args[1], "write the replacement as text without $", "this replacement is not read")
		}
		r, isRegExp := args[0].(*ast.RegExpLiteral)
		limit := ", 1"
		if isRegExp && strings.Contains(r.Flags, "g") || !isRegExp && name == "replaceAll" {
			limit = ""
		}
		from := ""
		if isRegExp {
			from = c.pattern(r)
		} else if from = text(0); !isConstant(from) || from == `""` {
			c.refuse(args[0], "write what is replaced as text, or use split and join", "what is replaced must be written out")
		}
		return str("$replace(" + t + ", " + from + ", " + quote(to.Value.String()) + limit + ")")
	}
	c.refuse(x, "use "+methodNames, "the method %s is not read", name)
	return value{}
}

// methods are those that are read, with how many arguments they take.
var methods = map[string]struct {
	least, most int
	text, list  bool
}{
	"map": {1, 1, false, true}, "filter": {1, 1, false, true}, "find": {1, 1, false, true}, "some": {1, 1, false, true},
	"every": {1, 1, false, true}, "reduce": {2, 2, false, true}, "join": {0, 1, false, true}, "concat": {1, 1, false, true},
	"includes": {1, 1, true, true}, "slice": {0, 2, true, true},
	"startsWith": {1, 1, true, false}, "endsWith": {1, 1, true, false}, "toUpperCase": {0, 0, true, false},
	"toLowerCase": {0, 0, true, false}, "trim": {0, 0, true, false}, "split": {1, 1, true, false},
	"padStart": {1, 2, true, false}, "padEnd": {1, 2, true, false}, "replace": {2, 2, true, false}, "replaceAll": {2, 2, true, false},
}

const methodNames = "map, filter, find, some, every, reduce, join, concat, includes, slice, startsWith, endsWith, toUpperCase, toLowerCase, trim, split, padStart, padEnd, replace, replaceAll"
