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

// A value is a JSONata expression, its type, and what is known of its result.
type value struct {
	e     string
	t     types.Type
	sure  bool // the type was checked or follows from operators; otherwise a schema promises it
	items bool // that is so of its items too
	deep  bool // that is so of all parts
	guess bool // the type is what results have looked like
	input bool // it is the input of the function
	fn    *function
}

// A function is a helper, with the scope in which it is declared.
type function struct {
	code  ast.Expression
	scope scope
}

// A binding is a name in a JSONata expression.
type binding struct{ name, e string }

// never is the value of code that is not reached.
var never = value{sure: true, items: true, deep: true}

func sure(e string, k types.Kind) value {
	return value{e: e, t: types.Of(k), sure: true, items: k&(types.Array|types.Object) == 0, deep: k&(types.Array|types.Object) == 0}
}

// list is a list whose items were checked, or not.
func list(e string, item types.Type, items bool) value {
	return value{e: e, t: types.ArrayOf(item), sure: true, items: items}
}

// or returns the type of a value that is one of two.
func (v value) or(w value) value {
	return value{t: v.t.Or(w.t), sure: v.sure && w.sure, items: v.items && w.items, deep: v.deep && w.deep, guess: v.guess || w.guess}
}

func (v value) as(e string) value { v.e = e; return v }

// certain returns a value without a guess of its type.
func (v value) certain() value {
	if v.guess {
		v.t, v.guess = types.Unknown(), false
	}
	return v
}

func (v value) guessed(guess bool) value { v.guess = guess; return v }

// lacks reports whether a value is known to be of none of some kinds. One that does not exist,
// such as an item of an empty list, lacks nothing.
func (v value) lacks(k types.Kind) bool { return v.t.Kinds != 0 && !v.guess && !v.t.Has(k) }

// is reports whether a value is certain to be of some kinds.
func (v value) is(k types.Kind) bool { return v.sure && v.t.Only(k) }

// The functions that compiled expressions call. Each of them either yields what
// JavaScript does or fails.
var prelude = []binding{
	{"$check", `function($v, $t, $at) {$type($v) = $t ? $v : $error($at)}`},
	{"$checkItems", `function($v, $t, $at) {$type($v) = "array" ? ($reduce($v, function($ok, $x) {$ok and $type($x) = $t}, true) ? $v : $error($at)) : $error($at)}`},
	{"$defined", `function($v, $at) {$exists($v) ? $v : $error($at)}`},
	{"$single", `function($v, $at) {$type($v) = "array" ? [[$v]] : $exists($v) ? [$v] : $error($at)}`},
	{"$one", `function($v) {$type($v) = "array" ? [[$v]] : [$v]}`},
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
	{"$own", `function($k, $at) {$contains($k, /^(__proto__|constructor|toString|toLocaleString|valueOf|hasOwnProperty|isPrototypeOf|propertyIsEnumerable)$/) ? $error($at) : $k}`},
	{"$from", `function($i, $n) {$not($exists($i)) ? 0 : $i < 0 ? $max([0, $n + $i]) : $i}`},
	{"$to", `function($i, $n) {$not($exists($i)) ? $n : $i < 0 ? $n + $i : $i}`},
	{"$sliceList", `function($v, $a, $b) {($n := $count($v); $f := $from($a, $n); $t := $to($b, $n); $reduce($v, function($l, $y, $i) {$i >= $f and $i < $t ? $append($l, $one($y)) : $l}, []))}`},
	{"$sliceText", `function($v, $a, $b) {($n := $length($v); $f := $from($a, $n); $substring($v, $f, $max([0, $to($b, $n) - $f])))}`},
	{"$partOf", `function($v, $a, $b) {($n := $length($v); $f := $min([$n, $max([0, $a])]); $t := $exists($b) ? $min([$n, $max([0, $b])]) : $n; $substring($v, $min([$f, $t]), $abs($t - $f)))}`},
	{"$starts", `function($v, $p) {$substring($v, 0, $length($p)) = $p}`},
	{"$ends", `function($v, $p) {$length($v) >= $length($p) and $substring($v, $length($v) - $length($p)) = $p}`},
	{"$find", `function($v, $p) {$contains($v, $p) ? $length($substringBefore($v, $p)) : -1}`},
	{"$index", `function($v, $x) {$reduce($v, function($f, $y, $i) {$f < 0 and $y = $x ? $i : $f}, -1)}`},
	{"$among", `function($v, $x) {$reduce($v, function($f, $y) {$f or $y = $x}, false)}`},
	{"$fromEnd", `function($v, $i) {$at($v, $i < 0 ? $count($v) + $i : $i)}`},
	{"$rounded", `function($v) {$v - $floor($v) < 0.5 ? $floor($v) : $floor($v) + 1}`},
	{"$isWhole", `function($v) {$type($v) = "number" and $floor($v) = $v}`},
	{"$valuesOf", `function($o, $at) {$reduce($keysOf($o, $at), function($l, $k) {$append($l, $one($lookup($o, $k)))}, [])}`},
	{"$entriesOf", `function($o, $at) {$reduce($keysOf($o, $at), function($l, $k) {$append($l, [[$append([$k], $one($lookup($o, $k)))]])}, [])}`},
	{"$fromPairs", `function($v, $at) {$merge($reduce($v, function($l, $p) {$append($l, $type($p) = "array" and $type($p[0]) = "string" and $count($p) = 2 ? [{$p[0]: $p[1]}] : $error($at))}, []))}`},
	{"$sorted", `function($v, $f) {$reduce($sort([$map($v, function($y) {{"v": $y}})], function($a, $b) {$f($a.v, $b.v) > 0}), function($l, $y) {$append($l, $one($y.v))}, [])}`},
	{"$unique", `function($v, $at) {$reduce($v, function($l, $y) {$among($l, $scalar($y, $at)) ? $l : $append($l, [$y])}, [])}`},
	{"$set", `function($v, $i, $x, $at) {$i < 0 or $i > $count($v) or $floor($i) != $i ? $error($at) : $i = $count($v) ? $append($v, $one($x)) : $reduce($v, function($l, $y, $j) {$append($l, $one($j = $i ? $x : $y))}, [])}`},
	{"$unitAt", `function($v, $i) {$i >= 0 and $i < $length($v) and $floor($i) = $i ? $substring($v, $i, 1)}`},
	{"$charAt", `function($v, $i) {$i < 0 ? "" : $substring($v, $i, 1)}`},
	{"$lastIndex", `function($v, $x) {$reduce($v, function($f, $y, $i) {$y = $x ? $i : $f}, -1)}`},
	{"$trunc", `function($v) {$v < 0 ? $ceil($v) : $floor($v)}`},
	{"$lastOf", `function($v, $p) {$reduce([0..$length($v) - $length($p)], function($f, $i) {$substring($v, $i, $length($p)) = $p ? $i : $f}, -1)}`},
	{"$fieldsOf", `function($v, $at) {$type($v) = "object" ? $v : $type($v) = "array" or $type($v) = "string" and $v != "" ? $error($at) : {}}`},
	{"$numbered", `function($v) {$reduce($v, function($l, $y, $i) {$append($l, [[$append([$i], $one($y))]])}, [])}`},
	{"$reversed", `function($v) {$reduce($v, function($l, $y) {$append($one($y), $l)}, [])}`},
	{"$flat", `function($v) {$reduce($v, function($l, $y) {$append($l, $y)}, [])}`},
	{"$repeat", `function($v, $n, $at) {$n < 0 or $n > 10000 ? $error($at) : $n = 0 ? "" : $join($map([1..$n], function($i) {$v}))}`},
	{"$digits", `function($v, $n) {$formatNumber($v, $n = 0 ? "0" : "0." & $pad("", $n, "0"))}`},
	{"$fixed", `function($v, $n, $at) {($n < 0 or $n > 20 or $abs($v) >= 1e12 ? $error($at); $t := $digits($v, $n + 1); $number($t) != $v or $substring($t, -1) != "5" ? $digits($v, $n) : $abs($v) * $power(10, $n) >= 1e15 ? $error($at) : $digits($v + ($v < 0 ? -0.2 : 0.2) / $power(10, $n) * ($substring($digits($v, $n + 46), $length($t) - 1, 1) = "5" ? 1 : -1), $n))}`},
	{"$plain", `function($v, $at) {$type($v) = "object" ? $reduce($keysOf($v, $at), function($o, $k) {($plain($lookup($v, $k), $at); $o)}, $v) : $type($v) = "array" ? $reduce($v, function($o, $y) {($plain($y, $at); $o)}, $v) : ($toText($v, $at); $v)}`},
	{"$jsonOf", `function($v, $n, $at) {($t := $string({"v": $plain($v, $at)}); $n = 2 and $count($v) > 0 and ($type($v) = "object" or $type($v) = "array") ? $string($v, true) : $n = 0 or $n = 2 ? $substring($t, 5, $length($t) - 6) : $error($at))}`},
}

var calls = regexp.MustCompile(`\$[A-Za-z]+\(`)

// finish puts before an expression the functions that it calls.
func finish(e string) string {
	defined := ""
	for _, p := range slices.Backward(prelude) {
		if slices.Contains(calls.FindAllString(defined+e, -1), p.name+"(") {
			defined = p.name + " := " + p.e + "; " + defined
		}
	}
	if defined == "" {
		return e
	}
	return "(" + defined + e + ")"
}

// unlike keeps text from looking like a template, which the checker of expressions reports.
var unlike = strings.NewReplacer("${", `\u0024{`, "{{", `{\u007b`)

func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // of a string
	return unlike.Replace(strings.TrimSuffix(b.String(), "\n"))
}

var plainField = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// field returns a name as a step of a path.
func field(name string) string {
	if plainField.MatchString(name) && !slices.Contains([]string{"and", "or", "in", "true", "false", "null", "function"}, name) {
		return name
	}
	return "`" + name + "`"
}

var reference = regexp.MustCompile(`^\$\$(\.[A-Za-z0-9_]+){1,2}$|^\$(item|index)$|^\$[a-z]+[0-9]+(\.[A-Za-z0-9_]+)?$|^\(\)$`)

// isReference reports whether an expression can be repeated at no cost, and cannot fail.
func isReference(e string) bool { return reference.MatchString(e) || isConstant(e) }

func isConstant(e string) bool {
	var v any
	return json.Unmarshal([]byte(e), &v) == nil && !strings.ContainsAny(e, "{[")
}

// local returns a new JSONata variable name.
func (c *compiler) local(like string) string {
	c.locals++
	return fmt.Sprintf("$%s%d", strings.ToLower(notLetter.ReplaceAllString(like, "") + "v")[:1], c.locals)
}

// hidden returns a new name of a variable, which the code does not have.
func (c *compiler) hidden(like string) string {
	for {
		if name := c.local(like)[1:]; c.used[name] == 0 {
			return name
		}
	}
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
	return r.as("(" + name + " := " + e + "; " + r.e + ")")
}

var kinds = []types.Kind{types.String, types.Number, types.Boolean, types.Array, types.Object}

// only is the kind of values that may be missing, as a schema says; 0 if they have several.
func only(v value) types.Kind {
	for _, k := range kinds {
		if !v.guess && v.t.Without(types.Undefined).Only(k) {
			return k
		}
	}
	return 0
}

// said describes a type for people.
func (v value) said() string {
	if name := v.t.Without(types.Undefined).String(); name != "any" && name != "never" {
		return "of type " + name
	} else if name == "never" {
		return "missing"
	}
	return "of a type that no schema says"
}

// need returns the value with a check of its type, unless the type is known.
func (c *compiler) need(v value, kind types.Kind, at ast.Node) value {
	if v.is(kind) || v.sure && v.t.Kinds == 0 {
		return v
	}
	if v.lacks(kind) {
		hint := map[types.Kind]string{types.String: "write String(x)", types.Number: "write Number(x)", types.Array: "write [x]"}[kind]
		if v.t.Only(types.Null | types.Undefined) {
			hint = "it has no other value here: declare it with one, or leave this out"
		}
		return c.mistyped(at, hint, "%s is %s, expected %s", c.source(at), v.said(), kind.Name())
	}
	v.e = fmt.Sprintf("$check(%s, %q, %s)", v.e, kind.Name(), c.where(at, "is not of type "+kind.Name()))
	v.t, v.sure = types.Of(kind).And(v.t), true
	if !v.t.Has(kind) {
		v.t = types.Of(kind)
	}
	return v
}

// asList is a value that is a list, and whose items are of the one kind that a schema says.
func (c *compiler) asList(v value, at ast.Node) value {
	if v.is(types.Array) && (v.items || v.deep) {
		v.items = true
		return v
	}
	if k := only(item(v, "")); v.t.Has(types.Array) && k != 0 && k != types.Array && v.t.Items().Only(k) {
		return list(fmt.Sprintf("$checkItems(%s, %q, %s)", v.e, k.Name(), c.where(at, "has items that are not of type "+k.Name())), v.t.Items(), true)
	}
	return c.need(v, types.Array, at)
}

// item returns the type of the items of a list.
func item(list value, e string) value {
	return value{e: e, t: list.t.Items(), sure: list.items || list.deep, deep: list.deep, guess: list.guess}
}

// defined returns the value with a check that it is not missing.
func (c *compiler) defined(v value, at ast.Node) value {
	if v.sure && !v.t.Has(types.Undefined) {
		return v
	}
	v.e = "$defined(" + v.e + ", " + c.where(at, "is missing") + ")"
	v.t = v.t.Without(types.Undefined)
	return v
}

// single returns a list of one value.
func (c *compiler) single(v value, at ast.Node) string {
	switch {
	case v.sure && !v.t.Has(types.Array|types.Undefined):
		return "[" + v.e + "]"
	case v.is(types.Array) && strings.HasPrefix(v.e, "["): // a list that is written out stays one
		return "[" + v.e + "]"
	case v.is(types.Array):
		return "[[" + v.e + "]]"
	}
	return "$single(" + v.e + ", " + c.where(at, "is missing") + ")"
}

// flat is a value that is not a list, as $map needs it; ok is false if it may be one.
func (c *compiler) flat(v value, at ast.Node) (value, bool) {
	if v.sure && !v.t.Has(types.Array|types.Undefined) {
		return v, true
	}
	if k := only(v); k != 0 && k != types.Array {
		return c.need(v, k, at), true
	}
	return v, false
}

// truth returns whether JavaScript takes the value as true.
func (c *compiler) truth(v value) string {
	if v.is(types.Boolean) {
		return v.e
	}
	return "$truthy(" + v.e + ")"
}

// text returns the value as a template prints it.
func (c *compiler) text(v value, at ast.Node) value {
	e := "$toText(" + v.e + ", " + c.where(at, "cannot be put into text as it is") + ")"
	switch {
	case v.is(types.String):
		e = v.e
	case v.is(types.Boolean):
		e = "$string(" + v.e + ")"
	case v.lacks(types.Scalar):
		c.mistyped(at, "write xs.join(\", \"), or name the fields", "%s is %s, and cannot be put into text", c.source(at), v.said())
	}
	return sure(e, types.String)
}

// orNull is a value, null where it is missing.
func (c *compiler) orNull(v value) value {
	if v.t.Only(types.Undefined) {
		return sure("null", types.Null)
	}
	return c.once(v, func(v value) value {
		v.t = v.t.Without(types.Undefined).With(types.Null)
		return v.as("($exists(" + v.e + ") ? " + v.e + " : null)")
	})
}
