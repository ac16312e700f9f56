package expr

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// An operator makes a term of its arguments' terms.
type operator func(args []term) term

// overElements are the operators whose second argument is evaluated once per
// element.
var overElements = map[string]bool{"map": true, "filter": true, "reduce": true, "all": true, "none": true, "some": true}

// passes are the operators whose value is one of their arguments, or made of them: where
// they give a path, so do these.
var passes = map[string]bool{"if": true, "?:": true, "and": true, "or": true, "merge": true, "log": true}

// A role is what a part of a rule is to what is around it.
type role struct {
	inside bool // var reads an element there
	key    bool // its value is a path that is looked up
	asks   bool // what the path leads to need not be there
}

// argument is the role of one of n arguments of an operator.
func (as role) argument(operator string, i, n int) role {
	switch operator {
	case "missing", "missing_some":
		looked := operator == "missing" || i == 1
		return role{as.inside, looked, looked}
	case "if", "?:":
		as.key = as.key && (i%2 == 1 || i == n-1)
	default:
		as.key = as.key && passes[operator]
	}
	as.asks = as.asks && as.key
	as.inside = as.inside || i == 1 && overElements[operator]
	return as
}

// read notes what a part reads of the context.
func (c *ruleCompiler) read(pointer string, what Reader, as role) {
	if !as.inside {
		c.reads = append(c.reads, Read{what, pointer, as.asks})
	}
}

// operators are the operators of JSON Logic; var is compiled by itself.
var operators = map[string]struct {
	make     operator
	examples jsonata.Examples // at least three, one of an edge, over RuleSample
}{
	"if":           {branch, `{"if": [true, "yes", "no"]} → "yes" · {"if": [0, 1, "a", 2, 3]} → 2 · {"if": [[], 1]} → null`},
	"?:":           {branch, `{"?:": [true, 1, 2]} → 1 · {"?:": ["", 1, 2]} → 2 · {"?:": [null, 1]} → null`},
	"and":          {firstWhere(false), `{"and": [1, "a"]} → "a" · {"and": [1, 0, 2]} → 0 · {"and": []} → null`},
	"or":           {firstWhere(true), `{"or": [0, "a"]} → "a" · {"or": [0, ""]} → "" · {"or": []} → null`},
	"!":            {strict1(func(v any) any { return !logicTruthy(v) }), `{"!": [0]} → true · {"!": ["0"]} → false · {"!": [[]]} → true`},
	"!!":           {strict1(func(v any) any { return logicTruthy(v) }), `{"!!": ["a"]} → true · {"!!": [[]]} → false · {"!!": {"missing": ["a"]}} → false`},
	"==":           {strict2(func(a, b any) any { return looseEqual(a, b) }), `{"==": [1, "1"]} → true · {"==": [{"var": "gone"}, null]} → true · {"==": [0, null]} → false`},
	"!=":           {strict2(func(a, b any) any { return !looseEqual(a, b) }), `{"!=": [1, 2]} → true · {"!=": [1, "1"]} → false · {"!=": [[], []]} → true`},
	"===":          {strict2(func(a, b any) any { return strictEqual(a, b) }), `{"===": [1, 1.0]} → true · {"===": [1, "1"]} → false · {"===": [{"var": "gone"}, null]} → true`},
	"!==":          {strict2(func(a, b any) any { return !strictEqual(a, b) }), `{"!==": [1, 2]} → true · {"!==": [1, "1"]} → true · {"!==": [1, 1.0]} → false`},
	"<":            {ordered(less), `{"<": [1, 2]} → true · {"<": [1, {"var": "a"}, 3]} → true · {"<": ["10", 9]} → false`},
	"<=":           {ordered(lessOrEqual), `{"<=": [2, 2]} → true · {"<=": [1, 3, 3]} → true · {"<=": [null, 0]} → true`},
	">":            {strict2(func(a, b any) any { return less(b, a) }), `{">": [2, 1]} → true · {">": ["b", "a"]} → true · {">": ["a", 1]} → false`},
	">=":           {strict2(func(a, b any) any { return lessOrEqual(b, a) }), `{">=": [2, 2]} → true · {">=": ["10", 9]} → true · {">=": [{"var": "gone"}, 0]} → true`},
	"+":            {strict(sum), `{"+": [1, 2, 3]} → 6 · {"+": "3.5"} → 3.5 · {"+": ["a"]} → not-a-number`},
	"*":            {strict(product), `{"*": [2, 3]} → 6 · {"*": ["2", 1.5]} → 3 · {"*": []} → null`},
	"-":            {strict(minus), `{"-": [3, 1]} → 2 · {"-": [2]} → -2 · {"-": ["a", 1]} → not-a-number`},
	"/":            {strict2(func(a, b any) any { return toNumber(a) / toNumber(b) }), `{"/": [7, 2]} → 3.5 · {"/": ["6", 3]} → 2 · {"/": [1, 0]} → not-a-number`},
	"%":            {ofAll(modulo), `{"%": [7, 3]} → 1 · {"%": [-7, 3]} → -1 · {"%": [7, 0]} → not-a-number`},
	"max":          {strict(func(v []any) any { return extreme(v, math.Inf(-1), math.Max) }), `{"max": [1, 3, 2]} → 3 · {"max": ["4", 3]} → 4 · {"max": []} → not-a-number`},
	"min":          {strict(func(v []any) any { return extreme(v, math.Inf(1), math.Min) }), `{"min": [1, 3, 2]} → 1 · {"min": [true, 2]} → 1 · {"min": []} → not-a-number`},
	"in":           {strict2(func(a, b any) any { return contains(a, b) }), `{"in": ["ea", "tea"]} → true · {"in": [2, {"var": "list"}]} → true · {"in": ["2", [1, 2]]} → false`},
	"cat":          {cat, `{"cat": ["a", 1]} → "a1" · {"cat": [1.50, null, true]} → "1.5true" · {"cat": []} → ""`},
	"substr":       {ofAll(substr), `{"substr": ["jsonlogic", 4]} → "logic" · {"substr": ["jsonlogic", -5, -2]} → "log" · {"substr": ["ab", 9]} → ""`},
	"merge":        {merge, `{"merge": [[1, 2], 3]} → [1,2,3] · {"merge": [[1], [[2]]]} → [1,[2]] · {"merge": []} → []`},
	"log":          {strict1(func(v any) any { return v }), `{"log": "a"} → "a" · {"log": [[1]]} → [1] · {"log": []} → null`},
	"missing":      {ofAll(missing), `{"missing": ["a", "gone"]} → ["gone"] · {"missing": {"merge": ["gone", "none"]}} → ["gone","none"] · {"missing": ["list.0", "list.9"]} → ["list.9"]`},
	"missing_some": {ofAll(missingSome), `{"missing_some": [1, ["a", "gone"]]} → [] · {"missing_some": [2, ["a", "gone"]]} → ["gone"] · {"missing_some": [0, []]} → []`},
	"map":          {overEach(mapEach), `{"map": [{"var": "list"}, {"*": [{"var": ""}, 10]}]} → [10,20,30] · {"map": [{"var": "items"}, {"var": "n"}]} → [1,2] · {"map": [{"var": "gone"}, 1]} → []`},
	"filter":       {overEach(filterEach), `{"filter": [{"var": "list"}, {">": [{"var": ""}, 1]}]} → [2,3] · {"filter": [{"var": "items"}, {"==": [{"var": "n"}, 2]}]} → [{"n":2}] · {"filter": [{"var": "a"}, true]} → []`},
	"reduce":       {reduceEach, `{"reduce": [{"var": "list"}, {"+": [{"var": "accumulator"}, {"var": "current"}]}, 0]} → 6 · {"reduce": [[], {"var": "current"}, "none"]} → "none" · {"reduce": [{"var": "gone"}, 1]} → null`},
	"all":          {quantify(false, false, false), `{"all": [{"var": "list"}, {">": [{"var": ""}, 0]}]} → true · {"all": [{"var": "list"}, {">": [{"var": ""}, 1]}]} → false · {"all": [[], true]} → false`},
	"some":         {quantify(false, true, true), `{"some": [{"var": "list"}, {">": [{"var": ""}, 2]}]} → true · {"some": [{"var": "items"}, {"==": [{"var": "n"}, 9]}]} → false · {"some": [[], true]} → false`},
	"none":         {quantify(true, true, false), `{"none": [{"var": "list"}, {">": [{"var": ""}, 9]}]} → true · {"none": [{"var": "list"}, {">": [{"var": ""}, 2]}]} → false · {"none": [[], true]} → true`},
	"var":          {nil, `{"var": "a"} → 2 · {"var": "$count(list)"} → 3 · {"var": ["gone", "default"]} → "default" · {"var": "items.1.n"} → 2`},
}

// RuleSample is the context that the examples of operators are evaluated over.
const RuleSample = `{"a": 2, "none": null, "list": [1, 2, 3], "items": [{"n": 1}, {"n": 2}]}`

// RuleOperators returns the names of the operators of JSON Logic, sorted.
func RuleOperators() []string { return slices.Sorted(maps.Keys(operators)) }

// RuleExamples returns the examples of an operator of JSON Logic.
func RuleExamples(operator string) jsonata.Examples { return operators[operator].examples }

// strict makes an operator that needs all its arguments' values, and no more.
func strict(f func([]any) any) operator {
	return ofAll(func(_ *ruleRun, _ place, values []any) (any, error) { return f(values), nil })
}

// ofAll makes an operator that needs all its arguments' values.
func ofAll(f func(r *ruleRun, at place, values []any) (any, error)) operator {
	return func(args []term) term {
		return func(r *ruleRun, at place) (any, error) {
			values, err := r.all(args, at, (*ruleRun).read)
			if err != nil {
				return nil, err
			}
			return f(r, at, values)
		}
	}
}

// strict1 makes an operator of one argument that does not read its items.
func strict1(f func(any) any) operator {
	return ofTwo((*ruleRun).eval, func(a, _ any) any { return f(a) })
}

// strict2 makes an operator of two arguments; a missing one is undefined.
func strict2(f func(a, b any) any) operator { return ofTwo((*ruleRun).read, f) }

func ofTwo(value func(*ruleRun, term, place) (any, error), f func(a, b any) any) operator {
	return func(args []term) term {
		return func(r *ruleRun, at place) (any, error) {
			var values [2]any
			for i, t := range args {
				v, err := value(r, t, at)
				if err != nil {
					return nil, err
				}
				if i < 2 {
					values[i] = v
				}
			}
			return f(values[0], values[1]), nil
		}
	}
}

// ordered makes < and <=, which with three arguments mean between.
func ordered(f func(a, b any) bool) operator {
	return strict(func(v []any) any {
		v = append(v, nil, nil)
		if len(v) < 5 {
			return f(v[0], v[1])
		}
		return f(v[0], v[1]) && f(v[1], v[2])
	})
}

// branch is if: condition, value, condition, value, …, otherwise.
func branch(args []term) term {
	return func(r *ruleRun, at place) (any, error) {
		i := 0
		for ; i+1 < len(args); i += 2 {
			v, err := r.eval(args[i], at)
			if err != nil {
				return nil, err
			}
			if logicTruthy(v) {
				return r.eval(args[i+1], at)
			}
		}
		if i < len(args) {
			return r.eval(args[i], at)
		}
		return null, nil
	}
}

// firstWhere makes and and or: the first argument whose truth is want, or the last.
func firstWhere(want bool) operator {
	return func(args []term) term {
		return func(r *ruleRun, at place) (v any, err error) {
			v = null
			for _, t := range args {
				if v, err = r.eval(t, at); err != nil || logicTruthy(v) == want {
					return v, err
				}
			}
			return v, nil
		}
	}
}

func sum(v []any) any {
	total := 0.0
	for _, n := range v {
		total += parseFloat(n)
	}
	return total
}

func product(v []any) any {
	switch len(v) {
	case 0:
		return null
	case 1:
		return v[0]
	}
	total := 1.0
	for _, n := range v {
		total *= parseFloat(n)
	}
	return total
}

func minus(v []any) any {
	switch len(v) {
	case 0:
		return math.NaN()
	case 1:
		return -toNumber(v[0])
	}
	return toNumber(v[0]) - toNumber(v[1])
}

func extreme(v []any, start float64, f func(a, b float64) float64) any {
	for _, n := range v {
		start = f(start, toNumber(n))
	}
	return start
}

func contains(needle, in any) bool {
	switch in := in.(type) {
	case string:
		return in != "" && strings.Contains(in, toText(needle))
	case []any:
		if n, ok := number(needle); ok { // which is read once
			return slices.ContainsFunc(in, func(v any) bool {
				f, ok := number(v)
				return ok && f == n && jsonata.CompareDigits(v, needle) == 0
			})
		}
		return slices.ContainsFunc(in, func(v any) bool { return strictEqual(v, needle) })
	}
	return false
}

// modulo is %; its cost depends on the operands.
func modulo(r *ruleRun, _ place, v []any) (any, error) {
	v = append(v, nil, nil)
	return r.scope.evaluator.Modulo(toNumber(v[0]), toNumber(v[1]))
}

func merge(args []term) term {
	return func(r *ruleRun, at place) (any, error) {
		all := []any{}
		for _, t := range args {
			v, err := r.eval(t, at)
			if err != nil {
				return nil, err
			}
			if items, ok := v.([]any); ok {
				if err := r.scope.evaluator.Check(len(items) >> 3); err != nil {
					return nil, err
				}
				all = append(all, items...)
			} else {
				all = append(all, v)
			}
			if err := r.scope.evaluator.Items("the result of merge", len(all)); err != nil {
				return nil, err
			}
		}
		return all, r.allocItems(len(all))
	}
}

// missing is those of its arguments, or of the list that is its first, that
// lead nowhere, to null or to the empty string.
func missing(r *ruleRun, at place, keys []any) (any, error) {
	if len(keys) > 0 {
		if first, ok := keys[0].([]any); ok {
			keys = first
		}
	}
	return absent(r, at, keys), nil
}

func absent(r *ruleRun, at place, keys []any) []any {
	gone := []any{}
	for _, k := range keys {
		if v := logicPath(at.of(r.scope), k); v == nil || v == "" || IsNull(v) {
			gone = append(gone, k)
		}
	}
	return gone
}

// missingSome is nothing if at least so many of the keys are there.
func missingSome(r *ruleRun, at place, v []any) (any, error) {
	v = append(v, nil, nil)
	keys, _ := v[1].([]any)
	gone := absent(r, at, keys)
	if float64(len(keys)-len(gone)) >= toNumber(v[0]) {
		return []any{}, nil
	}
	return gone, nil
}
