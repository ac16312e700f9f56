package codein

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/patchbay-mcp/patchbay/types"
)

// A value is a JSONata expression and what is known of what it yields.
type value struct {
	e     string
	t     types.Type
	sure  bool // the type was checked or follows from operators; otherwise a schema promises it
	items bool // that is so of its items too
	deep  bool // that is so of all parts: it was validated
	guess bool // the type is what results have looked like
	fn    *function
}

// A function is a helper, with the scope in which it is declared.
type function struct {
	code  ast.Expression
	scope scope
}

// A binding is a name in a JSONata expression.
type binding struct{ name, e string }

// The functions that compiled expressions call. Each of them either yields what
// JavaScript does or fails.
var prelude = []binding{
	{"$check", `function($v, $t, $at) {$type($v) = $t ? $v : $error($at)}`},
	{"$checkItems", `function($v, $t, $at) {$type($v) = "array" ? ($reduce($v, function($ok, $x) {$ok and $type($x) = $t}, true) ? $v : $error($at)) : $error($at)}`},
	{"$defined", `function($v, $at) {$exists($v) ? $v : $error($at)}`},
	{"$single", `function($v, $at) {$type($v) = "array" ? [[$v]] : $exists($v) ? [$v] : $error($at)}`},
	{"$truthy", `function($v) {$type($v) = "array" or $type($v) = "object" or ($exists($v) and $boolean($v))}`},
	{"$missing", `function($v) {$not($exists($v)) or $type($v) = "null"}`},
	{"$toText", `function($v, $at) {$type($v) = "string" ? $v : $type($v) = "boolean" ? $string($v) : $type($v) = "null" ? "null" : $type($v) = "number" ? ($v = 0 or ($abs($v) < 1e15 and $abs($v) >= 1e-6) ? $string($v) : $error($at)) : $error($at)}`},
	{"$sized", `function($v, $at) {$type($v) = "array" ? $count($v) : $type($v) = "string" ? $length($replace($v, /[^\u0000-\uFFFF]/, "..")) : $error($at)}`},
	{"$at", `function($v, $i) {$i >= 0 and $i < $count($v) and $floor($i) = $i ? $v[$i]}`},
	{"$scalar", `function($v, $at) {$type($v) = "array" or $type($v) = "object" or $not($exists($v)) ? $error($at) : $v}`},
	{"$ordered", `function($v, $at) {$type($v) = "number" or $type($v) = "string" ? $v : $error($at)}`},
	{"$keysOf", `function($v, $at) {($k := [$keys($v)]; $count($k) > 1 and $count($filter($k, function($x) {$contains($x, /^(0|[1-9][0-9]*)$/)})) > 0 ? $error($at) : $k)}`},
	{"$oneUnit", `function($v, $at) {$contains($v, /[^\u0000-\uFFFF]/) ? $error($at) : $v}`},
	{"$whole", `function($v, $at) {$type($v) = "number" ? ($floor($v) = $v ? $v : $error($at)) : $error($at)}`},
}

var calls = regexp.MustCompile(`\$[A-Za-z]+\(`)

// finish puts before an expression the functions that it calls.
func finish(e string) string {
	var defined []string
	for _, p := range prelude {
		if slices.Contains(calls.FindAllString(e, -1), p.name+"(") {
			defined = append(defined, p.name+" := "+p.e)
		}
	}
	if len(defined) == 0 {
		return e
	}
	return "(" + strings.Join(append(defined, e), "; ") + ")"
}

func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // of a string
	return strings.TrimSuffix(b.String(), "\n")
}

var plainField = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// field is a name as a step of a path.
func field(name string) string {
	if plainField.MatchString(name) && !slices.Contains([]string{"and", "or", "in", "true", "false", "null", "function"}, name) {
		return name
	}
	return "`" + name + "`"
}

var reference = regexp.MustCompile(`^\$\$\.[A-Za-z0-9_]+$|^\$[a-z]+[0-9]+$|^\(\)$`)

// isReference reports whether an expression can be repeated at no cost, and cannot fail.
func isReference(e string) bool { return reference.MatchString(e) || isConstant(e) }

func isConstant(e string) bool {
	var v any
	return json.Unmarshal([]byte(e), &v) == nil && !strings.ContainsAny(e, "{[")
}

// local is a new name of a variable in JSONata.
func (c *compiler) local(like string) string {
	c.locals++
	return fmt.Sprintf("$%s%d", strings.ToLower(notLetter.ReplaceAllString(like, "") + "v")[:1], c.locals)
}

var notLetter = regexp.MustCompile(`[^A-Za-z]`)

// once makes an expression that is repeated one that is evaluated once.
func (c *compiler) once(v value, with func(value) value) value {
	if isReference(v.e) {
		return with(v)
	}
	name := c.local("v")
	e := v.e
	v.e = name
	r := with(v)
	r.e = "(" + name + " := " + e + "; " + r.e + ")"
	return r
}

var typeNames = []struct {
	kind types.Kind
	name string
	said string
}{{types.String, "string", "text"}, {types.Number, "number", "a number"}, {types.Boolean, "boolean", "true or false"}, {types.Array, "array", "a list"}, {types.Object, "object", "an object"}}

// said is what a value is, for people.
func (v value) said() string {
	var list []string
	for _, n := range typeNames {
		if v.t.Has(n.kind) {
			list = append(list, n.said)
		}
	}
	if v.t.Has(types.Null) {
		list = append(list, "null")
	}
	switch {
	case len(list) > 4:
		return "of a type that no schema says"
	case len(list) == 0:
		return "missing"
	}
	return strings.Join(list, " or ")
}

// need is a value that is of a kind: it was known, or it is checked.
func (c *compiler) need(v value, kind types.Kind, at ast.Node) value {
	c.noFunction(v, at)
	if v.sure && v.t.Only(kind) {
		return v
	}
	for _, n := range typeNames {
		if n.kind != kind {
			continue
		}
		if !v.t.Has(kind) && !v.guess {
			c.mistyped(at, map[types.Kind]string{types.String: "write String(x)", types.Number: "write Number(x)", types.Array: "write [x]"}[kind], "%s is %s, expected %s", c.source(at), v.said(), n.said)
		}
		v.e = fmt.Sprintf("$check(%s, %q, %s)", v.e, n.name, c.where(at, "is not "+n.said))
		v.t, v.sure = types.Of(kind).And(v.t), true
		if !v.t.Has(kind) {
			v.t = types.Of(kind)
		}
	}
	return v
}

// list is a value that is a list, and whose items are of the one kind that a schema says.
func (c *compiler) list(v value, at ast.Node) value {
	if v.sure && (v.items || v.deep) && v.t.Only(types.Array) {
		v.items = true
		return v
	}
	if v.t.Has(types.Array) && !v.guess {
		for _, n := range typeNames {
			if n.kind != types.Array && v.t.Items().Only(n.kind) {
				t := v.t.Items()
				return value{e: fmt.Sprintf("$checkItems(%s, %q, %s)", v.e, n.name, c.where(at, "has items that are not "+n.said)), t: types.ArrayOf(t), sure: true, items: true}
			}
		}
	}
	return c.need(v, types.Array, at)
}

// item is what an item of a list is.
func item(list value, e string) value {
	return value{e: e, t: list.t.Items(), sure: list.items || list.deep, deep: list.deep, guess: list.guess}
}

// defined is a value that is not missing.
func (c *compiler) defined(v value, at ast.Node) value {
	c.noFunction(v, at)
	if v.sure && !v.t.Has(types.Undefined) {
		return v
	}
	v.e = "$defined(" + v.e + ", " + c.where(at, "is missing") + ")"
	v.t = v.t.Without(types.Undefined)
	return v
}

// single is a list of one value.
func (c *compiler) single(v value, at ast.Node) string {
	c.noFunction(v, at)
	switch {
	case v.sure && !v.t.Has(types.Array|types.Undefined):
		return "[" + v.e + "]"
	case v.sure && v.t.Only(types.Array) && strings.HasPrefix(v.e, "["): // a list that is written out stays one
		return "[" + v.e + "]"
	case v.sure && v.t.Only(types.Array):
		return "[[" + v.e + "]]"
	}
	return "$single(" + v.e + ", " + c.where(at, "is missing") + ")"
}

// flat is a value that is not a list, as $map needs it; ok is false if it may be one.
func (c *compiler) flat(v value, at ast.Node) (value, bool) {
	if v.sure && !v.t.Has(types.Array|types.Undefined) {
		return v, true
	}
	for _, n := range typeNames {
		if n.kind != types.Array && v.t.Without(types.Undefined).Only(n.kind) && !v.guess {
			return c.need(v, n.kind, at), true
		}
	}
	return v, false
}

// truth is whether JavaScript takes a value as true.
func (c *compiler) truth(v value) string {
	if v.sure && v.t.Only(types.Boolean) {
		return v.e
	}
	return "$truthy(" + v.e + ")"
}

// text is what a template makes of a value.
func (c *compiler) text(v value, at ast.Node) value {
	c.noFunction(v, at)
	out := value{t: types.Of(types.String), sure: true}
	switch {
	case v.sure && v.t.Only(types.String):
		out.e = v.e
	case v.sure && v.t.Only(types.Boolean):
		out.e = "$string(" + v.e + ")"
	case !v.t.Has(types.Scalar):
		c.mistyped(at, "write xs.join(\", \"), or name the fields", "%s is %s, and cannot be put into text", c.source(at), v.said())
	default:
		out.e = "$toText(" + v.e + ", " + c.where(at, "cannot be put into text as it is") + ")"
	}
	return out
}

// orNull is a value, null where it is missing.
func (c *compiler) orNull(v value) value {
	c.noFunction(v, nil)
	return c.once(v, func(v value) value {
		return value{e: "($exists(" + v.e + ") ? " + v.e + " : null)", t: v.t.Without(types.Undefined).With(types.Null), sure: v.sure}
	})
}

func (c *compiler) noFunction(v value, at ast.Node) {
	if v.fn != nil {
		c.refuse(at, "call it", "a function is used as a value")
	}
}
