package expr

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

const sample = `{"x":[1,2],"y":[1],"o":{"b":1,"a":{"z":1,"y":2}},"s":"a-b-c","n":null,"big":9007199254740993,"price":1.10,"ids":[9007199254740993,9007199254740995],"decimals":[1.10,1.1,110e-2,0,-0,0.00,-2.5e-7,-0.00000025,1e400,10e399,1E+2,100,100.0],
	"items":[{"name":"pen","qty":2},{"name":"ink","qty":0}]}`

// eval evaluates src over context and returns the result as JSON, "undefined",
// or the error's code.
func eval(t testing.TB, src, context string) string {
	t.Helper()
	v, err := evalError(t, src, context)
	switch {
	case err != nil:
		return err.Code
	case v == nil:
		return "undefined"
	}
	b, fault := Encode(v)
	if fault != nil {
		t.Fatal(fault)
	}
	return string(b)
}

func evalError(t testing.TB, src, context string) (Value, *jsonata.Error) {
	t.Helper()
	p, fault := Compile(src)
	if fault != nil {
		return nil, fault
	}
	v, err := p.Eval(t.Context(), NewScopeWith(decode(t, context), nil, Limits{}))
	if err != nil {
		return nil, asError(err)
	}
	return v, nil
}

func TestEval(t *testing.T) {
	tests := []struct{ src, want string }{
		// Values are moved as they came, in their order.
		{`big`, `9007199254740993`},
		{`$.price`, `1.10`},
		{`{"id": big, "p": [price]}`, `{"id":9007199254740993,"p":[1.10]}`},
		{`$string(big)`, `"9007199254740993"`},
		{`o`, `{"b":1,"a":{"z":1,"y":2}}`},
		{`$merge([o, {"c": 1}])`, `{"b":1,"a":{"z":1,"y":2},"c":1}`},
		{`$keys($)`, `["x","y","o","s","n","big","price","ids","decimals","items"]`},
		{`$string(o)`, `"{\"b\":1,\"a\":{\"z\":1,\"y\":2}}"`},
		// Undefined, null and plain paths.
		{`nothing`, `undefined`},
		{`n`, `null`},
		{`n.a`, `undefined`},
		{`s.a`, `undefined`},
		{`o.a.z`, `1`},
		{`items.name`, `["pen","ink"]`},
		{`{"a": nothing, "b": [nothing, n]}`, `{"b":[null]}`},
		// As jsonata-js, where gnata differs.
		{`$match("abcabc", /b(c)/)`, `[{"match":"bc","index":1,"groups":["c"]},{"match":"bc","index":4,"groups":["c"]}]`},
		{`$match("äbc", /b/).index`, `1`},
		{`$match("abc", /z/)`, `undefined`},
		{`$filter(x, function($v) { $v = 1 })`, `1`},
		{`$filter(x, function($v) { $v = 1 })[]`, `[1]`},
		{`$filter(x, function($v) { $v = 7 })`, `undefined`},
		{`x[$ > 5][]`, `undefined`},
		{`{"a": x[$ > 5][], "b": x[$ > 1][]}`, `{"b":[2]}`},
		{`x[$ > 1][] & "!"`, `"[2]!"`},
		{`x[$ > 5][] & "!" & x[0]`, `"!1"`},
		{`$contains("a", nothing)`, `undefined`},
		{`$contains(s, /B/i)`, `true`},
		{`$length($pad("x", 20000, "ab"))`, `20000`},
		{`$split("a1b2c", /\d/, 2)`, `["a","b"]`},
		{`$replace("John Smith", /(\w+)\s(\w+)/, "$2, $1 $$ $0 $9x")`, `"Smith, John $ John Smith x"`},
		{`$replace("abc", /b/, function($m) { $uppercase($m.match) & $m.start & $m.end })`, `"aB12c"`},
		{`$replace("aaa", "a", "$0", 2)`, `"$0$0a"`},
		{`"a" & $sum & 1/3 & n & o`, `"a0.333333333333333null{\"b\":1,\"a\":{\"z\":1,\"y\":2}}"`},
		{`$string([1, "a", $sum], true)`, `"[\n  1,\n  \"a\",\n  \"\"\n]"`},
		{`$distinct([1, 1.0, "1", {"a": 1, "b": 2}, {"b": 2, "a": 1}])`, `[1,"1",{"a":1,"b":2}]`},
		{`$distinct([big, $number("9007199254740992"), $.ids])`, `[9007199254740993,9007199254740992,9007199254740995]`},
		{`$distinct(decimals)`, `[1.10,0,-2.5e-7,1e400,1E+2]`},
		{`$eval("x[0] & s")`, `"1a-b-c"`},
		{`$split(s, "-", items[0].qty)`, `["a","b"]`},
		// Not a value.
		{`1/0`, `not-a-number`},
		{`[1, {"a": 0/0}]`, `not-a-number`},
		{`$now`, `function-result`},
		{`{"f": [function($x) { $x }]}`, `function-result`},
		{`/a/`, `function-result`},
		// Errors keep JSONata's codes.
		{`s + 1`, `T2001`},
		{`n + 1`, `T2001`},
		{`$nosuch(1)`, `T1006`},
		{`$error("mine")`, `D3137`},
	}
	for _, tt := range tests {
		if got := eval(t, tt.src, sample); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

// What $error and $assert are given is the message, of which the beginning is kept.
func TestLongMessages(t *testing.T) {
	for _, src := range []string{`$error($pad("é", 1000000, "é"))`, `$assert(false, $pad("é", 1000000, "é"))`, `1 + $error($pad("é", 1000000, "é"))`, `$eval("$error($pad('é', 1000000, 'é'))")`} {
		p, fault := Compile(src)
		if fault != nil {
			t.Fatal(fault)
		}
		_, err := p.Eval(t.Context(), NewScope(nil, Limits{}))
		if err == nil {
			t.Fatalf("%s: no error", src)
		}
		if m := err.Error(); len(m) > 4096 || !utf8.ValidString(m) || !strings.Contains(m, "ééé… (the first") || !strings.HasSuffix(m, "of 2000000 bytes)") {
			t.Errorf("%s: %d bytes, which end in %q", src, len(m), m[max(0, len(m)-60):])
		}
	}
}

// However a function or a number that is not finite comes into a result, it does
// not leave.
func TestWhatIsNoValue(t *testing.T) {
	for code, sources := range map[string][]string{
		"function-result": {
			`$split(?, ",")`, `$trim ~> $uppercase`, `|a|{"b":1}|`, `$append([1], $sum)`, `$map(x, function($v) { $sum })`, `$each(o, function() { /a/ })`,
			`{"a": [[[$trim]]]}`, `$lookup({"f": $sum}, "f")`, `$spread({"f": $sum})`, `$merge([{"f": $sum}])`, `x.$sum`, `x ~> $map(function($v) { function() { $v } })`,
			`($f := function() { $f }; $f())`, `$filter([$sum], function() { true })`, `$eval("$sum")`, `items{name: $sum}`, `o ~> |$|{"f": $sum}|`,
		},
		"not-a-number": {
			`0/0`, `1e308 * 10`, `$reduce([1e308, 1e308], function($a, $b) { $a + $b })`, `$sum([1e308, 1e308])`, `$max([1/0])`, `$average([1e308, 1e308])`, `$round(1/0)`, `$map(x, function($v) { $v / 0 })`, `{"a": $floor(1/0)}`,
			`$eval("1/0")`, `items{name: qty / 0}`, `o ~> |$|{"n": 1/0}|`,
		},
		"D1001": {`1e308 * 10 + 1`, `-(1/0)`},
		"D3001": {`$string(1/0)`, `1/0 & ""`},
		"D3061": {`$power(10, 400)`},
	} {
		for _, src := range sources {
			if got := eval(t, src, sample); got != code {
				t.Errorf("%s is %s, want %s", src, got, code)
			}
		}
	}
	for _, src := range []string{`{"var": "$sum"}`, `{"if": [true, [{"var": "$trim"}]]}`} {
		rule, faults := CompileRule(decode(t, src))
		if faults != nil {
			t.Fatal(faults[0])
		}
		if v, err := rule.Eval(t.Context(), NewScopeWith(decode(t, sample), nil, Limits{})); codeOf(err) != "function-result" {
			t.Errorf("%s is %v, %v", src, v, err)
		}
	}
}

func TestEvalOverAnyContext(t *testing.T) {
	for _, tt := range []struct{ src, context, want string }{
		{`$ + 1`, `5`, `6`},
		{`a`, `[{"a":1},{"a":2}]`, `[1,2]`},
		{`$.a.b`, `[{"a":{"b":1}},{"a":{"b":2}}]`, `[1,2]`},
		{`$`, `null`, `null`},
		{`$uppercase($)`, `"a"`, `"A"`},
	} {
		if got := eval(t, tt.src, tt.context); got != tt.want {
			t.Errorf("%s over %s is %s, want %s", tt.src, tt.context, got, tt.want)
		}
	}
}

// A path is followed without gnata; a block around it is not, and must agree.
func TestPlainPathAgrees(t *testing.T) {
	for _, src := range []string{"o", "o.a", "o.a.y", "o.b.c", "x", "y", "x.a", "items", "items.name", "items.qty.a", "n", "n.a", "s", "s.t", "none", "none.a", "$.o.a", "$.items.name", " o.a "} {
		want := eval(t, "("+src+")", sample)
		if got := eval(t, src, sample); got != want {
			t.Errorf("%s is %s, but (%s) is %s", src, got, src, want)
		}
	}
}

func TestMessages(t *testing.T) {
	for _, tt := range []struct{ src, message, hint string }{
		{`$length(o)`, "$length: argument 1 must be a string, got an object", ""},
		{`$length(n)`, "$length: argument 1 must be a string, got null", ""},
		{`$split(x, ",")`, "$split: argument 1 must be a string, got an array", ""},
		{`{big: 1}`, "a key of an object must be a string, got 9007199254740993", ""},
		{`s + 1`, `the left operand of the "+" operator must evaluate to a number, got a string`, "join text with &"},
		{`[1, 2 * n]`, `the right operand of the "*" operator must evaluate to a number, got null`, "give a default"},
		{`x < s`, `the operands of the "<" operator must be numbers or strings, got an array and a string`, "only numbers and strings"},
		{`s < big`, `the operands of the "<" operator must be both numbers or both strings, got a string and 9007199254740993`, "convert one side"},
		{`$sum(s)`, "$sum: argument 1 must be an array of numbers, got a string", "$number"},
		{`$uppercase(price)`, "$uppercase: argument 1 must be a string, got 1.10", "$string"},
		{`$replace($uppercase, /a/, "b")`, "$replace: argument 1 must be a string, got a function", "$string"},
		{`$substring(x, 1)`, "$substring: argument 1 must be a string, got an array", "$string"},
		{`[1..s]`, `what a range goes to must be a whole number, got a string`, "$number"},
		{`[1.5..3]`, `what a range goes from must be a whole number, got 1.5`, "$number"},
		{`$eval("1 +")`, `in $eval: expected a value after "+", but the expression ends here`, ""},
		{`(s; -s)`, "the operand of the unary - operator must evaluate to a number, got a string", ""},
		{`($f := s; $f(1))`, "what is called is not a function: a string", ""},
		{`$error("the order is empty")`, "the order is empty", ""},
		{`$nodeExecution("a")`, "$nodeExecution takes two arguments, a node id in quotes and which execution; got 1", ""},
		{`$executionCount(o)`, `$executionCount takes a node id in quotes, such as $executionCount("list"); got an object`, ""},
		{`$previousNode(0)`, "$previousNode counts executions back from 1; got 0", ""},
		{`$match(s, /a**/)`, "the regular expression /a**/ is not valid: nothing to repeat", ""},
		{`{"t": $now}`, "the result is or contains a function, which is not a value", "$now()"},
	} {
		_, err := evalError(t, tt.src, sample)
		if err == nil {
			t.Errorf("%s: no error", tt.src)
			continue
		}
		if err.Message != tt.message || !strings.Contains(err.Hint, tt.hint) {
			t.Errorf("%s\n got %q, hint %q\nwant %q, hint with %q", tt.src, err.Message, err.Hint, tt.message, tt.hint)
		}
		if err.Start < 0 || err.End > len(tt.src) || err.Start >= err.End {
			t.Errorf("%s: the place [%d, %d) is not in it", tt.src, err.Start, err.End)
		}
	}
}

// An error is placed where there is no doubt what it is about.
func TestErrorPlaces(t *testing.T) {
	for _, tt := range []struct{ src, at string }{
		{`{"a": 1 + 2 - 3, "b": s * 2}`, `s`},
		{`{"a": 1 + 2, "b": s + 2}`, `s`},
		{`{"a": 1 + (big + s) + 2}`, `s`},
		{`x[0] = 1 ? $sum(s) : $sum(o)`, `s`},
		{`x[0] = 2 ? $sum(s) : $sum(s)`, `s`},
		{`x[0] = 2 ? s + 1 : [1, s + 1]`, `s`},
		{`($y := s; [1 + $y, 2 + $y])`, `$y`},
		{`(s + 1 ~> $string) & (1 + 1)`, `s`},
		{`{"a": [1, {"b": 1 / (big - big)}]}`, `1 / (big - big)`},
		{`items.(qty + name) & (1 + 1)`, `name`},
		{`"é" & $split(x, ",")`, `x`},
		{`[1, $uppercas(s)]`, `$uppercas`},
		{`[1, $previousNode(0)]`, `$previousNode(0)`},
	} {
		_, err := evalError(t, tt.src, sample)
		if err == nil {
			t.Fatalf("%s: no error", tt.src)
		}
		if got := tt.src[err.Start:err.End]; got != tt.at {
			t.Errorf("%s: at %s, want %s (%v)", tt.src, got, tt.at, err)
		}
		if err.Code == "T1006" && (err.Message != "there is no function $uppercas" || err.Hint != "did you mean $uppercase?") {
			t.Errorf("%q, %q", err.Message, err.Hint)
		}
	}
}

// FuzzEval: whatever compiles ends in time, as JSON or an error, and twice the
// same.
func FuzzEval(f *testing.F) {
	for _, src := range []string{
		`x[$ > 1][]`, `items{name: qty}`, `$map(x, function($v, $i) { $v & $i })`, `($f := function($n) { $n = 0 ? [] : [$f($n - 1)] }; $f(9))`,
		`o ~> |$|{"c": 1}, ["a"]|`, `items^(>qty).name`, `$replace(s, /(a)|-/, "$1")`, `**.name`, `items@$i#$n.{"i": $i.name, "n": $n, "p": %}`, `$eval("s & n")`, `x ~> $sum ~> $string`,
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		p, fault := Compile(src)
		if fault != nil {
			return
		}
		var first string
		for range 2 {
			s := NewScopeWith(decode(t, sample), nil, Limits{Timeout: 200 * time.Millisecond})
			s.SetNow(time.Unix(1, 0))
			s.setSeed(1)
			v, err := p.Eval(t.Context(), s)
			if err != nil {
				e := asError(err)
				if e.Message == "" || e.Start < 0 || e.End > len(src) {
					t.Fatalf("%+v", e)
				}
				return
			}
			b, err := Encode(v)
			if err != nil {
				t.Fatal(err)
			}
			if first != "" && first != string(b) {
				t.Fatalf("%s and then %s", first, b)
			}
			first = string(b)
		}
	})
}

// One expression, many times: the same bytes.
func TestDeterminism(t *testing.T) {
	const src = `{"k": $keys($), "v": $.*, "s": $spread(o), "e": $each(o, function($v, $k) { $k }), "d": **.name,
		"m": $merge([o, items]), "g": items{name: qty}, "t": $string($), "r": $match(s, /[a-c]/), "x": (s ~> /b/).match}`
	want := eval(t, src, sample)
	if len(want) < 300 {
		t.Fatal(want)
	}
	for range 1000 {
		if got := eval(t, src, sample); got != want {
			t.Fatalf("got %s\nand then %s", want, got)
		}
	}
}
