package codein

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/patchbay-mcp/patchbay/types"
)

// A row maps a JavaScript function to JSONata: its parameters and its expression.
//
// Each letter of args is an argument: n a number, i a whole number, s text, v a scalar,
// l a list, o an object, x any value, k one character that is written out; a capital may be
// left out. In e, %0 is what the method is of, %1 and %2 are arguments, and %@ is the message
// for what fails.
type row struct {
	args, e string
	out     any // a types.Kind; or texts, same list, item of the list, its items' items, or pairs of an index and an item
	fails   string
}

const (
	units  = "has characters of two units"
	digits = "has numbers as names, whose order JavaScript changes"
)

const (
	outTexts = "texts"
	outSame  = "same"
	outItem  = "item"
	outFlat  = "flat"
	outPairs = "pairs"
)

var textMethods = map[string]row{
	"includes":    {"s", "$contains(%0, %1)", types.Boolean, ""},
	"startsWith":  {"s", "$starts(%0, %1)", types.Boolean, ""},
	"endsWith":    {"s", "$ends(%0, %1)", types.Boolean, ""},
	"indexOf":     {"s", "$find($oneUnit(%0, %@), %1)", types.Number, units},
	"lastIndexOf": {"s", "$lastOf($oneUnit(%0, %@), %1)", types.Number, units},
	"charAt":      {"i", "$charAt($oneUnit(%0, %@), %1)", types.String, units},
	"toUpperCase": {"", "$uppercase(%0)", types.String, ""},
	"toLowerCase": {"", "$lowercase(%0)", types.String, ""},
	"trim":        {"", `$replace(%0, /^\s+|\s+$/, "")`, types.String, ""},
	"trimStart":   {"", `$replace(%0, /^\s+/, "")`, types.String, ""},
	"trimEnd":     {"", `$replace(%0, /\s+$/, "")`, types.String, ""},
	"slice":       {"II", "$sliceText($oneUnit(%0, %@), %1, %2)", types.String, units},
	"substring":   {"iI", "$partOf($oneUnit(%0, %@), %1, %2)", types.String, units},
	"padStart":    {"iK", "$pad($oneUnit(%0, %@), 0 - %1, %2)", types.String, units},
	"padEnd":      {"iK", "$pad($oneUnit(%0, %@), %1, %2)", types.String, units},
	"repeat":      {"i", "$repeat(%0, %1, %@)", types.String, "cannot be repeated so often"},
	"split":       {}, "replace": {}, "replaceAll": {}, // see textMethod
}

var listMethods = map[string]row{
	"includes":    {"v", "$among(%0, %1)", types.Boolean, ""},
	"indexOf":     {"v", "$index(%0, %1)", types.Number, ""},
	"lastIndexOf": {"v", "$lastIndex(%0, %1)", types.Number, ""},
	"concat":      {"l", "$append(%0, %1)", outSame, ""},
	"slice":       {"II", "$sliceList(%0, %1, %2)", outSame, ""},
	"reverse":     {"", "$reversed(%0)", outSame, ""},
	"at":          {"i", "$fromEnd(%0, %1)", outItem, ""},
	"flat":        {"", "$flat(%0)", outFlat, ""},
	"entries":     {"", "$numbered(%0)", outPairs, ""},
	"pop":         {"", "$fromEnd(%0, -1)", outItem, ""},
	"shift":       {"", "$at(%0, 0)", outItem, ""},
	"join":        {"S", "$join(%0, %1)", types.String, ""},
	"map":         {}, "filter": {}, "find": {}, "findIndex": {}, "some": {}, "every": {}, "reduce": {}, "sort": {}, "flatMap": {}, // see overItems
}

var numberMethods = map[string]row{"toFixed": {"I", "$fixed(%0, $from(%1), %@)", types.String, "cannot be written with so many digits"}}

var globals = map[string]row{
	"Boolean":            {"x", "$truthy(%1)", types.Boolean, ""},
	"Array.isArray":      {"x", `($type(%1) = "array")`, types.Boolean, ""},
	"Number.isInteger":   {"x", `$isWhole(%1)`, types.Boolean, ""},
	"Math.floor":         {"n", "$floor(%1)", types.Number, ""},
	"Math.ceil":          {"n", "$ceil(%1)", types.Number, ""},
	"Math.abs":           {"n", "$abs(%1)", types.Number, ""},
	"Math.trunc":         {"n", "$trunc(%1)", types.Number, ""},
	"Math.sqrt":          {"n", "$sqrt(%1)", types.Number, ""},
	"Math.round":         {"n", "$rounded(%1)", types.Number, ""},
	"Object.keys":        {"o", "$keysOf(%1, %@)", outTexts, digits},
	"Object.values":      {"o", "$valuesOf(%1, %@)", types.Array, digits},
	"Object.entries":     {"o", "$entriesOf(%1, %@)", types.Array, digits},
	"Object.fromEntries": {"l", "$fromPairs(%1, %@)", types.Object, "has items that are not pairs of text and a value"},
	"JSON.parse":         {"s", "$parseJson(%1)", types.JSON, ""},
	"JSON.stringify":     {"xXX", "$jsonOf(%1, %3, %@)", types.String, "cannot be written as JSON as JavaScript does"},
	"Number":             {}, "String": {}, "Math.max": {}, "Math.min": {}, "Array.from": {}, // see global
}

// rewrites say what to write in place of functions and methods that are not supported.
var rewrites = map[string]string{
	"localeCompare": "write a < b ? -1 : a > b ? 1 : 0",
	"match":         "use /…/.test(text), text.split(…) or text.replace(…)",
	"parseInt":      "write Math.trunc(Number(x))",
	"parseFloat":    "write Number(x)",
	"assign":        "write {...a, ...b}",
	"splice":        "write [...xs.slice(0, i), ...xs.slice(i + 1)]",
	"forEach":       "write for (const x of xs)",
	"then":          "write const x = await …, and what follows as statements",
	"catch":         "write try { … } catch (e) { … } with the await in it",
	"finally":       "write what follows after the try",
	"allSettled":    "write Promise.all(xs.map(async x => { try { … } catch { return null; } }))",
	"has":           "write list.includes(x), or x in object",
	"log":           "leave it out, or return what it says",
}

// rewrite is the hint for a function that is not supported.
func rewrite(callee ast.Expression, otherwise string) string {
	name := ""
	if id, ok := callee.(*ast.Identifier); ok {
		name = id.Name.String()
	} else if d, ok := callee.(*ast.DotExpression); ok {
		name = d.Identifier.Name.String()
	}
	return cmp.Or(rewrites[name], otherwise)
}

func namesOf(rows ...map[string]row) string {
	var list []string
	for _, r := range rows {
		list = append(list, slices.Collect(maps.Keys(r))...)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

// filled returns the expression of a row with its arguments.
func (c *compiler) filled(r row, name string, self value, at ast.Node, x *ast.CallExpression, s scope) value {
	args := x.ArgumentList
	if len(args) > len(r.args) {
		c.refuse(x, "leave the others out", "%s with %d arguments is not supported", name, len(args))
	}
	where := at
	replace := []string{"%0", self.e}
	for i, letter := range strings.ToLower(r.args) {
		place := fmt.Sprintf("%%%d", i+1)
		if i >= len(args) {
			if byte(letter) == r.args[i] {
				c.refuse(x, "give it its arguments", "%s needs %d arguments", name, i+1)
			}
			replace = append(replace, place, map[rune]string{'s': `","`, 'k': `" "`, 'i': "()", 'x': "0"}[letter])
			continue
		}
		v := c.expression(args[i], s)
		switch letter {
		case 'n':
			v = c.need(v, types.Number, args[i])
		case 'i':
			if v = c.need(v, types.Number, args[i]); !isConstant(v.e) || strings.ContainsAny(v.e, ".e") {
				v.e = "$whole(" + v.e + ", " + c.where(args[i], "is not a whole number") + ")"
			}
		case 's':
			v = c.need(v, types.String, args[i])
		case 'v':
			v.e = "$scalar(" + v.e + ", " + c.where(args[i], "cannot be looked for") + ")"
		case 'l':
			v = c.asList(v, args[i])
			if name == "concat" {
				self = self.or(v)
			}
		case 'o':
			v = c.whole(v, args[i])
		case 'x':
			if name == "JSON.stringify" && i == 1 && !v.is(types.Null) {
				c.refuse(args[i], "write JSON.stringify(x, null, 2)", "this use of JSON.stringify is not supported")
			}
		case 'k':
			if one, ok := args[i].(*ast.StringLiteral); !ok || len(one.Value.String()) != 1 {
				c.refuse(args[i], "write one character", "this filling is not supported")
			}
		}
		if where == nil {
			where = args[i]
		}
		replace = append(replace, place, v.e)
	}
	e := strings.NewReplacer(append(replace, "%@", c.where(where, r.fails))...).Replace(r.e)
	switch r.out {
	case outTexts:
		return list(e, types.Of(types.String), true)
	case outSame:
		self.sure = true
		return self.as(e)
	case outItem:
		v := item(self, e)
		v.t = v.t.With(types.Undefined)
		return v
	case outPairs:
		return list(e, types.ArrayOf(self.t.Items().With(types.Integer)), true).guessed(self.guess)
	case outFlat:
		return list(e, self.t.Items().Without(types.Array).Or(self.t.Items().Items()), false).guessed(self.guess)
	}
	kind := r.out.(types.Kind)
	switch {
	case name == "Object.entries":
		return list(e, types.ArrayOf(types.Unknown().Without(types.Undefined)), true)
	case kind == types.Array:
		return list(e, types.Unknown().Without(types.Undefined), true)
	}
	return sure(e, kind)
}

// global compiles a call of a function that JavaScript has everywhere.
func (c *compiler) global(x *ast.CallExpression, name string, s scope) value {
	r, known := globals[name]
	if !known {
		c.refuse(x, rewrite(x.Callee, "use "+namesOf(globals)), "the function %s is not supported", name)
	}
	if name == "JSON.parse" && c.handler != nil && len(x.ArgumentList) == 1 {
		return c.parse(x, s)
	}
	if r.e != "" {
		return c.filled(r, name, value{}, nil, x, s)
	}
	one := len(x.ArgumentList) == 1
	switch {
	case name == "Number" && one:
		return c.toNumber(c.expression(x.ArgumentList[0], s), x.ArgumentList[0])
	case name == "String" && one:
		return c.text(c.expression(x.ArgumentList[0], s), x.ArgumentList[0])
	case name == "Array.from" && one:
		return c.spread(x.ArgumentList[0], s)
	case strings.HasPrefix(name, "Math.") && len(x.ArgumentList) > 0:
		f := "$" + strings.TrimPrefix(name, "Math.")
		if spread, ok := x.ArgumentList[0].(*ast.SpreadElement); ok && one {
			l := c.asList(c.expression(spread.Expression, s), spread.Expression)
			if !l.items || !l.t.Items().Only(types.Number) {
				c.mistyped(spread, "write xs.map(x => Number(x)) before it", "%s is not known to be a list of numbers", c.source(spread.Expression))
			}
			return sure("$defined("+f+"("+l.e+"), "+c.where(x, "has no numbers")+")", types.Number)
		}
		var parts []string
		for _, a := range x.ArgumentList {
			parts = append(parts, c.need(c.expression(a, s), types.Number, a).e)
		}
		return sure(f+"(["+strings.Join(parts, ", ")+"])", types.Number)
	}
	return c.refuse(x, "give it one argument", "this use of %s is not supported", name)
}

// spread compiles the operand of ... or Array.from: a list, or new Set(list).
func (c *compiler) spread(x ast.Expression, s scope) value {
	if n, ok := x.(*ast.NewExpression); ok && len(n.ArgumentList) == 1 && c.source(n.Callee) == "Set" {
		l := c.asList(c.expression(n.ArgumentList[0], s), n.ArgumentList[0])
		return l.as("$unique(" + l.e + ", " + c.where(n, "has items that are not scalars") + ")")
	}
	return c.asList(c.expression(x, s), x)
}

// whole returns an object without its undefined fields.
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
	if v.is(types.Number) {
		return v
	}
	if v.lacks(types.String | types.Number | types.Boolean) {
		c.mistyped(at, "write x ?? 0", "%s is %s, and not a number", c.source(at), v.said())
	}
	return sure("$number($scalar("+v.e+", "+c.where(at, "is not a number")+"))", types.Number)
}

// pattern returns a regular expression or a literal text as JSONata.
func (c *compiler) pattern(x ast.Expression, s scope) string {
	r, ok := x.(*ast.RegExpLiteral)
	if !ok {
		text := c.need(c.expression(x, s), types.String, x).e
		if !isConstant(text) {
			c.refuse(x, "write it out, or use split and join", "text that is computed is not supported here")
		}
		return text
	}
	flags := strings.Trim(r.Flags, "g")
	if strings.Trim(flags, "im") != "" {
		c.refuse(r, "leave the flag out", "the flags %q are not supported", r.Flags)
	}
	return "/" + r.Pattern + "/" + flags
}

// method compiles a call of a method.
func (c *compiler) method(x *ast.CallExpression, left ast.Expression, o value, name string, s scope) value {
	if name == "toString" && len(x.ArgumentList) == 0 {
		return c.text(o, left)
	}
	if r, ok := numberMethods[name]; ok {
		return c.filled(r, name, c.need(o, types.Number, left), left, x, s)
	}
	text, asText := textMethods[name]
	r, asList := listMethods[name]
	switch {
	case !asText && !asList:
		c.refuse(x, rewrite(x.Callee, "use "+namesOf(textMethods, listMethods, numberMethods)), "the method %s is not supported", name)
	case asText && asList && o.t.Has(types.String) == o.t.Has(types.Array):
		c.mistyped(left, "write `${x}`."+name+"(…) or [...x]."+name+"(…)", "%s may be text or a list", c.source(left))
	case asText && (!asList || o.t.Has(types.String)):
		o = c.need(o, types.String, left)
		if text.e == "" {
			return c.textMethod(x, o, name, left, s)
		}
		return c.filled(text, name, o, left, x, s)
	}
	if id, _, _ := root(left); id != nil && slices.Contains(mutators, name) {
		if name != "sort" && name != "reverse" {
			c.refuse(x, "write it as a statement of its own: const x = xs."+name+"()", "%s changes its list inside of an expression", name)
		}
		c.unread(x, left)
	}
	l := c.asList(o, left)
	one := item(l, "")
	_, flat := c.flat(one, x)
	flat = flat && one.sure
	if name == "join" && (!flat || one.t.Without(types.String).Kinds != 0) {
		if !flat || !one.t.Only(types.String|types.Number|types.Boolean) {
			c.mistyped(left, "write xs.map(x => String(x)).join(…)", "%s is not known to be a list of texts", c.source(left))
		}
		n := c.local("x")
		l = list("[$map("+l.e+", function("+n+") {"+c.text(one.as(n), left).e+"})]", types.Of(types.String), true)
	}
	if r.e != "" {
		return c.filled(r, name, l, left, x, s)
	}
	return c.overItems(x, l, name, flat, s)
}

// textMethod compiles the methods of text that take a pattern.
func (c *compiler) textMethod(x *ast.CallExpression, t value, name string, left ast.Node, s scope) value {
	args := x.ArgumentList
	if want := map[string]int{"split": 1}[name]; len(args) != want && (want == 1 || len(args) != 2) {
		c.refuse(x, "give it its arguments", "%s with %d arguments is not supported", name, len(args))
	}
	from := c.pattern(args[0], s)
	r, isRegExp := args[0].(*ast.RegExpLiteral)
	if name == "split" {
		switch {
		case isRegExp && !splits(r.Pattern):
			c.refuse(r, "split by text, or by a pattern without groups, ^, $ and \\b that matches one character or more", "this pattern may match nothing, or depends on what is around it")
		case from == `""`:
			t.e = "$oneUnit(" + t.e + ", " + c.where(left, units) + ")"
		}
		return list("$split("+t.e+", "+from+")", types.Of(types.String), true)
	}
	to, ok := args[1].(*ast.StringLiteral)
	if !ok || strings.Contains(to.Value.String(), "$") || from == `""` {
		c.refuse(args[1], "write the replacement as text without $", "this replacement is not supported")
	}
	limit := ", 1"
	if isRegExp && strings.Contains(r.Flags, "g") || !isRegExp && name == "replaceAll" {
		limit = ""
	}
	return sure("$replace("+t.e+", "+from+", "+quote(to.Value.String())+limit+")", types.String)
}

// splits reports whether a pattern matches the same in split as in JSONata: it never matches
// nothing, has no groups, and does not depend on what is around it.
func splits(pattern string) bool {
	bare := strings.NewReplacer("(?:", "", "[^", "[").Replace(pattern)
	r, err := regexp.Compile(pattern)
	return err == nil && !r.MatchString("") && !strings.ContainsAny(bare, "(^$") && !strings.Contains(strings.ToLower(bare), `\b`)
}

// callback compiles a function that is called for items, and returns its parameters.
func (c *compiler) callback(x ast.Expression, s scope, args ...value) ([]string, value) {
	if id, ok := x.(*ast.Identifier); ok && globals[c.variable(id)].args != "" || ok && (id.Name == "String" || id.Name == "Number") {
		name := c.local("x")
		s = s.child()
		s[name] = args[0].as(name)
		arg := &ast.Identifier{Name: id.Name, Idx: id.Idx}
		c.names[arg] = name
		return []string{name}, c.global(&ast.CallExpression{Callee: id, ArgumentList: []ast.Expression{arg}}, c.variable(id), s)
	}
	v := c.operand(x, s)
	if v.fn == nil {
		c.refuse(x, "write x => …", "a function is expected here")
	}
	params := make([]string, len(args))
	for i := range args {
		params[i] = c.local("x")
		args[i].e = params[i]
	}
	list, _ := signature(v.fn.code)
	return params[:max(1, min(len(list.List), len(args)))], c.apply(v.fn, args, x, s)
}

// passing is the type of the items for which a function returns true.
func (c *compiler) passing(x ast.Expression, one value, s scope) types.Type {
	if id, ok := x.(*ast.Identifier); ok && !s.has(c.variable(id)) {
		if id.Name == "Boolean" {
			return one.t.Without(types.Null | types.Undefined)
		}
		return one.t
	}
	params, body := signature(c.operand(x, s).fn.code)
	if len(params.List) == 0 || len(body) != 1 {
		return one.t
	}
	id, ok := params.List[0].Target.(*ast.Identifier)
	r, returns := body[0].(*ast.ReturnStatement)
	if !ok || !returns {
		return one.t
	}
	return c.narrowed(r.Argument, scope{c.variable(id): one}, true)[c.variable(id)].t
}

// overItems compiles the methods of lists that take a function.
func (c *compiler) overItems(x *ast.CallExpression, l value, name string, flat bool, s scope) value {
	args := x.ArgumentList
	if most := map[string]int{"sort": 1, "reduce": 2}[name]; len(args) > max(1, most) || len(args) == 0 && name != "sort" || name == "reduce" && len(args) < 2 {
		c.refuse(x, "give it a function; reduce needs an initial value, too", "%s with %d arguments is not supported", name, len(args))
	}
	one, index, acc := item(l, ""), sure("", types.Integer), c.local("l")
	switch name {
	case "sort":
		l.sure = true
		if len(args) == 0 {
			if !flat || !one.t.Only(types.String) {
				c.mistyped(x, "write sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)), or sort((a, b) => a - b) for numbers", "without a function, sort compares items as text, and %s is not known to have texts", c.source(x.Callee.(*ast.DotExpression).Left))
			}
			return l.as("$sorted(" + l.e + ", function($a, $b) {$a > $b ? 1 : 0})")
		}
		params, body := c.callback(args[0], s, one, one)
		return l.as("$sorted(" + l.e + ", function(" + strings.Join(params, ", ") + ") {" + c.need(body, types.Number, args[0]).e + "})")
	case "reduce":
		return c.reduce(x, l, one, s)
	}
	names, body := c.callback(args[0], s, one, index, l)
	first, truth := names[0], c.truth(body)
	params := strings.Join(names, ", ")
	reduce := func(body, start string) string {
		return "$reduce(" + l.e + ", function(" + acc + ", " + params + ") {" + body + "}, " + start + ")"
	}
	switch name {
	case "map":
		if v, ok := c.flat(body, args[0]); ok {
			return list("[$map("+l.e+", function("+params+") {"+v.e+"})]", v.t, true)
		}
		return list(reduce("$append("+acc+", "+c.single(body, args[0])+")", "[]"), body.t.Without(types.Undefined), body.sure).guessed(body.guess)
	case "flatMap":
		if !body.t.Only(types.Array) {
			c.mistyped(args[0], "return a list", "what the function returns is not known to be a list")
		}
		body = c.asList(body, args[0])
		return list(reduce("$append("+acc+", "+body.e+")", "[]"), body.t.Items(), body.items).guessed(body.guess)
	case "filter":
		l.t, l.sure = types.ArrayOf(c.passing(args[0], one, s)), true
		if flat {
			return l.as("[$filter(" + l.e + ", function(" + params + ") {" + truth + "})]")
		}
		return l.as(reduce(truth+" ? $append("+acc+", "+c.single(one.as(first), args[0])+") : "+acc, "[]"))
	case "find":
		one.t = c.passing(args[0], one, s).With(types.Undefined)
		return one.as(reduce("$exists("+acc+".v) ? "+acc+" : "+truth+` ? {"v": `+first+"} : "+acc, "{}") + ".v")
	case "some":
		return sure(reduce(acc+" or "+truth, "false"), types.Boolean)
	case "every":
		return sure(reduce(acc+" and "+truth, "true"), types.Boolean)
	}
	n := c.local("i") // findIndex
	if params = first + ", " + n; len(names) > 1 {
		n, params = names[1], strings.Join(names, ", ")
	}
	return sure(reduce(acc+" >= 0 ? "+acc+" : "+truth+" ? "+n+" : -1", "-1"), types.Number)
}

// reduce compiles the method. The accumulated value has the type that it begins with and
// that the function returns.
func (c *compiler) reduce(x *ast.CallExpression, l, one value, s scope) value {
	start := c.expression(x.ArgumentList[1], s)
	var params []string
	var body value
	total := c.settle([]value{start}, x, func(now []value) []value {
		params, body = c.callback(x.ArgumentList[0], s, now[0], one, sure("", types.Integer), l)
		return []value{body}
	})[0]
	body = c.defined(body, x.ArgumentList[0])
	return total.as("$reduce(" + l.e + ", function(" + strings.Join(params, ", ") + ") {" + body.e + "}, " + start.e + ")")
}
