package jsonata

import "strings"

// Examples are expressions with their results, such as "1 + 1 → 2 · 1 / 0 → not-a-number".
// A result is JSON, undefined, or the code of an error. Tests evaluate all examples, and
// the reference shows them.
type Examples string

// List returns each example.
func (x Examples) List() []string { return strings.Split(string(x), " · ") }

// An Operator is an operator, or another form of the language that is written in signs.
type Operator struct {
	Form     string // with operands a and b
	Doc      string // one line: what it returns
	Examples Examples
}

// Operators returns the operators of the language, the tightest first, and then what
// makes values.
func Operators() []Operator { return operators }

var operators = []Operator{
	{"a.b", "field `b` of `a`, or of every item of `a`", `{"a": {"b": 1}}.a.b → 1 · [{"b": 1}, {}, {"b": 2}].b → [1,2] · {"a": 1}.a.b → undefined`},
	{"a[n]", "the item at position `n`; from the end if it is negative", `[1, 2, 3][0] → 1 · [1, 2, 3][-1] → 3 · [1, 2][9] → undefined`},
	{"a[b]", "the items for which `b` holds", `[1, 2, 3][$ > 1] → [2,3] · {"a": [{"n": 1}, {"n": 2}]}.a[n = 2].n → 2 · [1, 2][$ > 2] → undefined`},
	{"a[]", "always an array", `{"a": 1}.a[] → [1] · [1, 2][$ > 1][] → [2] · missing[] → undefined`},
	{"a^(b)", "the items in the order of `b`; `>b` puts the largest first", `[{"n": 2}, {"n": 1}]^(n).n → [1,2] · [2, 3, 1]^(>$) → [3,2,1] · [1, "a"]^($) → T2007`},
	{"a{k: v}", "an object with a field for each key `k`; items with the same key are grouped", `[{"k": "x", "n": 1}, {"k": "y", "n": 2}]{k: n} → {"x":1,"y":2} · [{"k": "x", "n": 1}, {"k": "x", "n": 2}]{k: $sum(n)} → {"x":3} · []{"k": 1} → {"k":1}`},
	{"a@$v", "binds each item to `$v`, and keeps the context", `{"a": [1, 2], "b": 10}.a@$v.(b + $v) → [11,12] · {"a": 1, "b": 2}.a@$v.{"v": $v, "b": b} → {"v":1,"b":2} · {}.a@$v.$v → undefined`},
	{"a#$i", "binds the position of each item to `$i`", `{"a": ["x", "y"]}.a#$i[$i > 0] → "y" · {"a": [{"n": 5}]}.a#$i.{"n": n, "i": $i} → {"n":5,"i":0} · {}.a#$i.$i → undefined`},
	{"%", "what the current step came from", `{"n": 1, "a": [{"b": 2}]}.a.(b + %.n) → 3 · {"n": 1, "a": {"b": {"c": 2}}}.a.b.(c + %.%.n) → 3 · % → S0217`},
	{"*", "the values of all fields", `{"a": 1, "b": 2}.* → [1,2] · {"a": [1, 2], "b": 3}.* → [1,2,3] · {}.* → undefined`},
	{"**", "everything at any depth", `{"a": {"n": 1}, "n": 2}.**.n → [2,1] · [[1, [2]]].**[$type($) = "number"] → [1,2] · {}.**.n → undefined`},
	{"a + b", "the sum", `1 + 2 → 3 · 0.1 + 0.2 → 0.30000000000000004 · 1 + missing → undefined`},
	{"a - b", "the difference; `-a` is the negative", `3 - 1 → 2 · -(2) → -2 · "3" - 1 → T2001`},
	{"a * b", "the product", `2 * 3 → 6 · 1.5 * 2 → 3 · 2 * null → T2002`},
	{"a / b", "the quotient", `7 / 2 → 3.5 · -1 / 4 → -0.25 · 1 / 0 → not-a-number`},
	{"a % b", "the remainder, with the sign of `a`", `7 % 3 → 1 · -7 % 3 → -1 · 7 % 0 → not-a-number`},
	{"a & b", "both as one string", `"a" & 1 → "a1" · missing & "b" → "b" · [1] & null → "[1]null"`},
	{"a = b", "whether both are equal; `!=` is the opposite", `[1, {"a": 2}] = [1, {"a": 2}] → true · 1 = "1" → false · missing = null → false`},
	{"a < b", "whether `a` is smaller; so `<=`, `>` and `>=`", `1 < 2 → true · "B" < "a" → true · 1 < "2" → T2009`},
	{"a in b", "whether the array `b` has the item `a`", `1 in [1, 2] → true · "a" in "a" → true · [1] in [[1]] → false`},
	{"a and b", "whether both hold; `b` is evaluated only if `a` holds", `1 and "a" → true · 0 and $error() → false · missing and true → false`},
	{"a or b", "whether one holds; `b` is evaluated only if `a` does not", `0 or "a" → true · 1 or $error() → true · missing or missing → false`},
	{"a ? b : c", "`b` if `a` holds, otherwise `c`", `1 > 0 ? "yes" : "no" → "yes" · [] ? 1 : 2 → 2 · missing ? 1 → undefined`},
	{"a ?: b", "`a` if it holds, otherwise `b`", `"a" ?: "b" → "a" · 0 ?: 1 → 1 · missing ?: 1 → 1`},
	{"a ?? b", "`a` if there is a value, otherwise `b`", `0 ?? 1 → 0 · null ?? 1 → null · missing ?? 1 → 1`},
	{"a ~> f", "the call of `f` with `a` as the first argument", `"a,b" ~> $split(",") → ["a","b"] · [1, 2] ~> $sum → 3 · missing ~> $count → 0`},
	{"a ~> |b|c, d|", "a copy of `a` in which the fields `c` are set in each `b`, and the fields named by `d` deleted", `{"a": {"n": 1}} ~> |a|{"m": n + 1}| → {"a":{"n":1,"m":2}} · {"a": {"n": 1, "m": 2}} ~> |a|{}, ["m"]| → {"a":{"n":1}} · {"b": 1} ~> |a|{"n": 1}| → {"b":1}`},
	{"[a..b]", "whole numbers from `a` to `b`", `[1..3] → [1,2,3] · [1..2, 5] → [1,2,5] · [3..1] → []`},
	{"[a, b]", "an array", `[1, "a"] → [1,"a"] · [1, missing] → [1] · [] → []`},
	{"{k: v}", "an object", `{"a": 1} → {"a":1} · {"a": missing, "b": 2} → {"b":2} · {1: 2} → T1003`},
	{"$v := a", "binds `$v`, up to the end of the block", `($v := 2; $v * 3) → 6 · $v := 1 → 1 · ($v := missing; $v) → undefined`},
	{"(a; b)", "evaluates all, and returns the last", `(1; 2) → 2 · (1 + 2) * 3 → 9 · () → undefined`},
	{"function($v) { a }", "a function", `function($v) { $v + 1 }(2) → 3 · $map([1, 2], function($v, $i) { $i }) → [0,1] · function($v) { $v }() → undefined`},
	{"f(?, b)", "a function of the arguments that `?` stands for", `$substring(?, 1)("abc") → "bc" · $map(["a", "b"], $append(?, 1)) → [["a",1],["b",1]] · $substring(?, 1)(1) → T0410`},
}
