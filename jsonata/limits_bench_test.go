//go:build linux

package jsonata

import (
	"cmp"
	"runtime"
	"strings"
	"testing"
)

// littles are expressions that do little, over the input of [smallInput].
var littles = []string{
	`$string(n)`, `$string(o)`, `$length(s)`, `$length(g)`, `$substring(s, 1, 2)`, `$substring(g, 1, 2)`, `$substringBefore(s, "c")`, `$substringAfter(s, "c")`, `$uppercase(s)`,
	`$uppercase(g)`, `$lowercase(s)`, `$trim(w)`, `$pad(s, 20)`, `$pad(g, -20, "äö")`, `$contains(s, "c")`, `$contains(s, /c/)`, `$contains(s, /(?=c)c/)`, `$contains(g, /[a-zß]+c/i)`,
	`$split(w, " ")`, `$split(s, "")`, `$split(w, /\s+/)`, `$join(l)`, `$join(l, ",")`, `$match(s, /[a-z]/)`, `$match(s, /([a-z])([a-z])/)`, `$match(s, "b")`, `$replace(s, "b", "x")`,
	`$replace(s, /b/, "x")`, `$replace(s, /(b)/, "$1$1")`, `$replace(s, /b/, function($m){"x"})`, `$lines(s)`, `$parseJson("1")`, `$parseJson(j)`, `$parseCsv("a,b\n1,2")`, `$eval("1")`,
	`$eval("1+1")`, `$eval("{\"a\": 1}.a")`, `$base64encode(s)`, `$base64decode("YWJj")`, `$encodeUrl(g)`, `$encodeUrlComponent(g)`, `$decodeUrl("a%20b")`, `$decodeUrlComponent("a%20b")`,
	`$number("12.5")`, `$number("0x1F")`, `$abs(n)`, `$floor(n)`, `$ceil(n)`, `$round(n)`, `$round(n, 1)`, `$power(n, 2)`, `$power(1.0001, 0.5)`, `$power(1.1, 1000)`, `$sqrt(n)`, `$random()`,
	`$sum(a)`, `$average(a)`, `$max(a)`, `$min(a)`, `$formatNumber(n, "#,##0.00")`, `$formatNumber(n, "0,0e0", {"decimal-separator": ","})`, `$formatBase(n, 2)`, `$formatBase(n)`,
	`$formatInteger(42, "w")`, `$formatInteger(1999, "I")`, `$formatInteger(42, "#,##0")`, `$formatInteger(42, "a")`, `$parseInteger("forty-two", "w")`, `$parseInteger("XLII", "I")`,
	`$parseInteger("42", "#0")`, `$count(a)`, `$append(a, 1)`, `$sort(a)`, `$sort(a, function($l,$r){$l<$r})`, `$sort(l)`, `$reverse(a)`, `$shuffle(a)`, `$distinct(a)`, `$distinct([o, o])`,
	`$zip(a, a)`, `$flatten([a, [a]])`, `$map(a, $string)`, `$map(a, function($v){$v})`, `$filter(a, function($v){true})`, `$single(a, function($v){$v=1})`,
	`$reduce(a, function($x,$y){$x+$y})`, `$keys(o)`, `$lookup(o, "b")`, `$merge([o, o])`, `$spread(o)`, `$each(o, function($v){$v})`, `$sift(o, function($v){true})`, `$boolean(a)`, `$not(a)`,
	`$exists(a)`, `$type(a)`, `$clone(o)`, `$assert(true, "x")`, `$now()`, `$now("[Y]-[M]")`, `$millis()`, `$fromMillis(1e12)`,
	`$fromMillis(1e12, "[FNn], [D1o] [MNn] [Y] [H01]:[m01]", "+0200")`, `$toMillis("2024-01-02T03:04:05Z")`, `$toMillis("2 January 2024", "[D] [MNn] [Y]")`, `n + 1`, `n = 1`, `n in a`, `s & s`,
	`s & n`, `a[0]`, `a[$ > 1]`, `o.b`, `o.*`, `o.**`, `{"a": n}`, `[n, n]`, `[1..5]`, `a^($)`, `a^(>$)`, `o ~> |$|{"b": 2}|`, `a{$string($): $}`, `(function($x){$x})(n)`, `n ? 1 : 2`,
	`n ?? 1`, `a.($ + 1)`, `a@$v.$v`, `a#$i.$i`, `a.{"x": $}`, `a.%.n`, `-n`, `n % 2`, `s = s`, `a = a`, `o = o`, `s < "z"`, `($x := n; $x)`, `a ~> $sum`, `$sum ~> $string`,
	`$substring(?, 1)(s)`, `"a"`, `1`, `s ~> /b/`, `$f(3)`, `a[-1]`, `objs.b`, `objs[b=2]`, `objs^(b)`, `objs{$string(b): $}`, `objs.b.c`, `$string(objs)`, `objs ~> |$|{},"b"|`,
	`$replace(t, "b", "xyz")`, `$replace(t, /b/, "xyz")`, `$split(t, "b")`, `$split(t, /b/)`, `$match(t, /b/)`, `$uppercase(gt)`, `$length(gt)`, `$pad(gt, 2000)`, `$substring(gt, 100)`,
	`$split(gt, "")`, `$substringBefore(gt, "x")`, `$contains(gt, "x")`, `$contains(gt, /x/)`, `$contains(gt, /x/i)`, `$match(gt, /./)`, `$replace(gt, "é", "")`, `$contains(t, /(a|b)*c/)`,
	`$contains(t, /(?=x)(a|b)*c/)`, `$contains(t, /a{1,200}x/)`, `$contains(t, /^(\w+\s?)*$/)`, `$string(t)`, `$string(gt)`, `$trim(gt)`, `gt & gt`, `gt = gt`, `gt < gt`, `$distinct([gt, t])`,
	`$join([gt, t])`, `$base64encode(gt)`, `$encodeUrl(gt)`, `$eval(t2)`, `$parseJson(t3)`, `$number(t4)`, `$lines(t)`, `$formatInteger(1e15, "w")`, `$formatNumber(1e15, "#,##0.00000")`,
	`$formatBase(1e15, 36)`, `$lookup(objs, "b")`, `$keys(objs)`, `$merge(objs)`, `$spread(objs)`, `$contains(t5, /é/)`,
}

// smallInput has values of each type, and texts of 300 to 20,000 bytes.
func smallInput() Value {
	objects := make([]any, 50)
	for i := range objects {
		objects[i] = objectFrom([]string{"b", "c"}, []any{2.0, []any{1.0, 2.0}}, nil)
	}
	return objectFrom(
		[]string{"n", "s", "g", "w", "l", "a", "o", "j", "objs", "t", "gt", "t2", "t3", "t4", "t5"},
		[]any{
			12.5, "abcdefghij", "äöüßéàèìòù", " a b  c d ",
			[]any{"a", "b", "c"},
			[]any{3.0, 1.0, 2.0},
			objectFrom([]string{"b", "c"}, []any{1.0, []any{1.0, 2.0}}, nil), `{"a":[1,2,{"b":null}]}`, objects,
			strings.Repeat("ab ", 500), strings.Repeat("é", 700), strings.Repeat("1+", 300) + "1", "[" + strings.Repeat("1,", 300) + "1]", strings.Repeat("1", 300), strings.Repeat("é", 10_000),
		}, nil,
	)
}

// BenchmarkLimits measures the processor time in which an expression that is evaluated
// again and again reaches a limit, that of steps or that of memory. See "Limits" in
// docs/expressions.md.
func BenchmarkLimits(b *testing.B) {
	for _, group := range []struct {
		name    string
		sources []string
		before  string
		after   string
		input   Value
	}{
		{"small", littles, "($x := $$; $f := function($n) { $n = 0 ? 0 : $f($n - 1) }; $reduce([1..3000], function($done, $i) { $reduce([1..3000], function($made, $j) { ($x.(", "); 0) }) }))", smallInput()},
		{"large", large, "($x := $$; [1..1000].($x.(", ")))", largeInput()},
	} {
		for _, src := range group.sources {
			b.Run(group.name+"/"+src, func(b *testing.B) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				x := compile(b, group.before+src+group.after)
				runtime.GC()
				began := threadTime()
				e := Evaluator{Limits: Limits{Timeout: -1}}
				_, err := e.Eval(b.Context(), x, group.input)
				took := threadTime() - began
				steps, _ := e.Used()
				b.ReportMetric(took.Seconds()*1e3, "cpu-ms")
				b.ReportMetric(float64(steps)/1e6, "Msteps")
				b.ReportMetric(0, "ns/op")
				if code := codeOf(err); code != "too-much-work" && code != "too-much-memory" {
					b.Logf("ends by %s", cmp.Or(code, "its end"))
				}
			})
		}
	}
}
