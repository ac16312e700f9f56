package expr

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const sample = `{"x":[1,2],"y":[1],"o":{"b":1,"a":{"z":1,"y":2}},"s":"a-b-c","n":null,"big":9007199254740993,"price":1.10,
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

func evalError(t testing.TB, src, context string) (Value, *Error) {
	t.Helper()
	p, fault := Compile(src)
	if fault != nil {
		return nil, fault
	}
	v, err := p.Eval(t.Context(), NewScopeOf(decode(t, context), nil, Limits{}))
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
		{`$keys($)`, `["x","y","o","s","n","big","price","items"]`},
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
		{`$eval("x[0] & s")`, `"1a-b-c"`},
		{`$split(s, "-", items[0].qty)`, `["a","b"]`},
		// What is no value.
		{`1/0`, `not-a-number`},
		{`[1, {"a": 0/0}]`, `not-a-number`},
		{`$now`, `function-result`},
		{`{"f": [function($x) { $x }]}`, `function-result`},
		{`/a/`, `function-result`},
		// Errors keep JSONata's codes.
		{`s + 1`, `T2001`},
		{`n + 1`, `T2002`},
		{`$nosuch(1)`, `T1006`},
		{`$error("mine")`, `D3137`},
		{`$concat__("a")`, `reserved-name`},
	}
	for _, tt := range tests {
		if got := eval(t, tt.src, sample); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.src, got, tt.want)
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
			`-(1/0)`, `0/0`, `$sum([1e308, 1e308])`, `$max([1/0])`, `$average([1e308, 1e308])`, `$round(1/0)`, `$map(x, function($v) { $v / 0 })`, `{"a": $floor(1/0)}`,
			`$eval("1/0")`, `items{name: qty / 0}`, `o ~> |$|{"n": 1/0}|`,
		},
		"D1001": {`1e308 * 10`, `$reduce([1e308, 1e308], function($a, $b) { $a + $b })`},
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
		if v, err := rule.Eval(t.Context(), NewScopeOf(decode(t, sample), nil, Limits{})); codeOf(err) != "function-result" {
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
		{`$length(o)`, "$length: argument must be a string, got an object", ""},
		{`$length(n)`, "$length: argument must be a string, got null", ""},
		{`$split(x, ",")`, "$split: argument 1 must be a string, got an array", ""},
		{`{big: 1}`, "key expression must evaluate to a string, got a number", ""},
		{`s + 1`, `the left operand of the "+" operator must evaluate to a number, got a string`, "join text with &"},
		{`[1, 2 * n]`, `the right operand of the "*" operator must evaluate to a number, got null`, "give a default"},
		{`x < s`, `the operands of the "<" operator must be numbers or strings, got an array and a string`, "only numbers and strings"},
		{`s < big`, `the operands of the "<" operator must be both numbers or both strings, got a string and 9007199254740993`, "convert one side"},
		{`$sum(s)`, "$sum: argument must be an array of numbers, got a string", "$number"},
		{`$uppercase(price)`, "$uppercase: argument 1 does not match function signature, got 1.10", "$string"},
		{`$substring(x, 1)`, "$substring: argument 1 must be a string, got an array", "$string"},
		{`[1..s]`, `what a range goes to must be a whole number, got a string`, "$number"},
		{`[1.5..3]`, `what a range goes from must be a whole number, got 1.5`, "$number"},
		{`$eval("1 +")`, `in $eval: expected a value after "+", but the expression ends here`, ""},
		{`(s; -s)`, "the operand of the unary - operator must evaluate to a number, got a string", ""},
		{`($f := s; $f(1))`, "not a function: a string", ""},
		{`$error("the order is empty")`, "the order is empty", ""},
		{`$nodeExecution("a")`, "$nodeExecution takes two arguments, a node id in quotes and which execution; got 1", ""},
		{`$executionCount(o)`, `$executionCount takes a node id in quotes, such as $executionCount("list"); got an object`, ""},
		{`$previousNode(0)`, "$previousNode counts executions back from 1; got 0", ""},
		{`$match(s, /(?=a)/)`, "the regular expression /(?=a)/ is not valid: invalid or unsupported Perl syntax: `(?=`", "look-ahead"},
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
		{`{"a": 1 + 2 - 3, "b": s * 2}`, `s * 2`},
		{`{"a": 1 + 2, "b": s + 2}`, `s + 2`},
		{`{"a": 1 + (big + s) + 2}`, `big + s`},
		{`x[0] = 1 ? $sum(s) : $sum(o)`, `$sum(s)`},
		{`x[0] = 2 ? $sum(s) : $sum(s)`, `$sum(s)`},
		{`x[0] = 2 ? s + 1 : [1, s + 1]`, `s + 1`},
		{`($y := s; [1 + $y, 2 + $y])`, `($y := s; [1 + $y, 2 + $y])`},
		{`(s + 1 ~> $string) & (1 + 1)`, `s + 1`},
		{`{"a": [1, {"b": 1 / (big - big)}]}`, `1 / (big - big)`},
		{`items.(qty + name) & (1 + 1)`, `qty + name`},
		{`"é" & $split(x, ",")`, `$split(x, ",")`},
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
			s := NewScopeOf(decode(t, sample), nil, Limits{Timeout: 200 * time.Millisecond})
			s.SetNow(time.Unix(1, 0))
			s.SetSeed(1)
			start := time.Now()
			v, err := p.Eval(t.Context(), s)
			if took := time.Since(start); took > 5*time.Second {
				t.Fatalf("took %v", took)
			}
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

// fixedHistory is a run that executed these nodes, in this order.
type fixedHistory []struct {
	id  string
	out Value
}

func (h fixedHistory) Previous(n int) (Value, bool) {
	if n > len(h) {
		return nil, false
	}
	return h[len(h)-n].out, true
}

func (h fixedHistory) Executions(id string) []Value {
	var all []Value
	for _, e := range h {
		if e.id == id {
			all = append(all, e.out)
		}
	}
	return all
}

func (h fixedHistory) Count(id string) int { return len(h.Executions(id)) }

func (h fixedHistory) Execution(id string, i int) (Value, bool) {
	all := h.Executions(id)
	if i < 0 {
		i += len(all)
	}
	if i < 0 || i >= len(all) {
		return nil, false
	}
	return all[i], true
}

func history(t testing.TB, outputs ...string) fixedHistory {
	t.Helper()
	var h fixedHistory
	for _, o := range outputs {
		id, src, _ := strings.Cut(o, "=")
		h = append(h, fixedHistory{{id, decode(t, src)}}...)
	}
	return h
}

func TestHistoryFunctions(t *testing.T) {
	h := history(t, `a={"c":1}`, `b=2`, `a={"c":9007199254740993}`, `sw="b"`)
	s := NewScope(h, Limits{})
	s.Set("a", decode(t, `{"c":1}`))
	for src, want := range map[string]string{
		`$previousNode()`:                                      `"b"`,
		`$previousNode(2).c`:                                   `9007199254740993`,
		`$previousNode(9)`:                                     `null`,
		`$executionCount("a")`:                                 `2`,
		`$executionCount("none")`:                              `0`,
		`$nodeExecution("a", 0)`:                               `{"c":1}`,
		`$nodeExecution("a", -1).c`:                            `9007199254740993`,
		`$nodeExecution("a", 2)`:                               `null`,
		`$nodeExecution("a", -3)`:                              `null`,
		`$nodeExecutions("a").c`:                               `[1,9007199254740993]`,
		`$nodeExecutions("none")`:                              `[]`,
		`"a" ~> $executionCount`:                               `2`,
		`$map(["a", "b"], $executionCount)`:                    `[2,1]`,
		`$nodeExecution("a", $executionCount("a") - 1).c & ""`: `"9007199254740993"`,
	} {
		p, fault := Compile(src)
		if fault != nil {
			t.Fatal(fault)
		}
		v, err := p.Eval(t.Context(), s)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if b, _ := Encode(v); string(b) != want {
			t.Errorf("%s is %s, want %s", src, b, want)
		}
	}
}

func TestScope(t *testing.T) {
	s := NewScope(nil, Limits{})
	at := func(s *Scope, src string) string {
		t.Helper()
		p, fault := Compile(src)
		if fault != nil {
			t.Fatal(fault)
		}
		v, err := p.Eval(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	same := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	s.Set("z", 1.0)
	s.Set("a", 2.0)
	s.Bind("item", "outer")
	c := s.Child(nil)
	c.Set("z", 3.0)
	c.Bind("item", decode(t, `{"b":1,"a":2}`))
	c.Bind("index", 4.0)
	same(at(s, `$`), `{"z":1,"a":2}`)
	same(at(c, `$`), `{"z":3,"a":2}`)
	same(at(s, `$item & $index`), `"outer"`)
	same(at(c, `[$item, $index]`), `[{"b":1,"a":2},4]`)
	s.Set("z", nil)
	same(at(s, `$`), `{"a":2}`)

	s.SetNow(time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC))
	same(at(s, `$now()`), `"2026-01-02T03:04:05.006Z"`)
	same(at(s, `$now("[Y]-[M01]")`), `"2026-01"`)
	same(at(s, `$millis()`), `1767323045006`)
	same(at(s.Child(nil), `$millis()`), `1767323045006`)
	const drawn = `[$random(), $random(), $shuffle([1..50])]`
	s.SetSeed(1)
	once := at(s, drawn)
	s.SetSeed(1)
	same(at(s, drawn), once)
	s.SetSeed(2)
	if at(s, drawn) == once {
		t.Error("another seed draws the same")
	}
}

func TestEnding(t *testing.T) {
	p, fault := Compile(`$sum([1..1000].($x := $; [1..1000].($x * $)))`)
	if fault != nil {
		t.Fatal(fault)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	for _, tt := range []struct {
		ctx  context.Context
		l    Limits
		code string
	}{
		{cancelled, Limits{}, "cancelled"},
		{short, Limits{}, "timeout"},
		{t.Context(), Limits{Timeout: time.Millisecond}, "timeout"},
	} {
		_, err := p.Eval(tt.ctx, NewScope(nil, tt.l))
		if code := codeOf(err); code != tt.code {
			t.Errorf("got %v, want %s", err, tt.code)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		src  string
		l    Limits
		code string
	}{
		{`$pad("", 100)`, Limits{MaxResult: 99}, "too-big"},
		{`[1..30].("abcd")`, Limits{MaxResult: 100}, "too-big"},
		{`$append([1..10], [1..10])`, Limits{MaxItems: 19}, "too-big"},
		{`$split("a b c", " ")`, Limits{MaxItems: 2}, "too-big"},
		{`[1..10].[1..9]`, Limits{MaxRange: 99}, "too-big"},
		{`$count([1..10]) + $sum($eval("[1..90]"))`, Limits{MaxRange: 99}, "too-big"},
		{`[100000..100020]`, Limits{MaxResult: 99}, "too-big"},
		{`$eval("1 + 1")`, Limits{MaxBytes: 4}, "too-long"},
	} {
		p, fault := Compile(tt.src)
		if fault != nil {
			t.Fatal(fault)
		}
		_, err := p.Eval(t.Context(), NewScope(nil, tt.l))
		if code := codeOf(err); code != tt.code {
			t.Errorf("%s: got %v, want %s", tt.src, err, tt.code)
		}
		if _, err := p.Eval(t.Context(), NewScope(nil, Limits{})); err != nil {
			t.Errorf("%s within the default limits: %v", tt.src, err)
		}
	}
}

// One expression, many times: the same bytes.
func TestDeterminism(t *testing.T) {
	const src = `{"k": $keys($), "v": $.*, "s": $spread(o), "e": $each(o, function($v, $k) { $k }), "d": **.name,
		"m": $merge([o, items]), "g": items{name: qty}, "t": $string($), "r": $match(s, /[a-c]/), "x": s ~> /b/}`
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

// Eight runs of one expression, each with its own history and variables.
func TestConcurrentRuns(t *testing.T) {
	p, fault := Compile(`$count([1..100].($executionCount("a"))) & $item & $string($nodeExecution("a", -1)) & ($f := function($n) { $n = 0 ? "" : $item & $f($n - 1) }; $f(20))`)
	if fault != nil {
		t.Fatal(fault)
	}
	rule, faults := CompileRule(decode(t, `{"and": [{"==": [{"var": "$executionCount('a')"}, {"var": "want"}]}, {"some": [{"var": "list"}, {"==": [{"var": ""}, 3]}]}]}`))
	if faults != nil {
		t.Fatal(faults[0])
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name := string(rune('a' + i))
			s := NewScope(history(t, slices.Repeat([]string{`a="` + name + `"`}, i+1)...), Limits{Timeout: 20 * time.Second})
			s.Bind("item", name)
			s.Set("want", float64(i+1))
			s.Set("list", []any{1.0, 3.0})
			want := "100" + strings.Repeat(name, 22)
			for range 50 {
				v, err := p.Eval(t.Context(), s)
				if err != nil || v != want {
					t.Errorf("run %d: got %v, %v, want %s", i, v, err, want)
					return
				}
				if v, err := rule.Eval(t.Context(), s); err != nil || v != true {
					t.Errorf("run %d: the rule is %v, %v", i, v, err)
					return
				}
			}
		})
	}
	wg.Wait()
}
