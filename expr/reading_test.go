package expr

import "testing"

// What the reference implementation gives, where gnata reads the text
// otherwise. TestReference compares such texts at random.
var readings = []struct{ src, want string }{
	// "?:" and "??" bind tighter than "and", "~>" looser than "!=", from the left.
	{`false and true ?: 42`, `false`},
	{`false and none ?? 42`, `false`},
	{`true or false ? 1 : 2`, `1`},
	{`a[0] or none ?: 0 ? 1 : 2`, `true`},
	{`4 = a[0] ?: 7`, `true`},
	{`0 != "a" ~> $uppercase()`, `T0410`},
	{`2 in a ~> $string`, `"false"`},
	{`1 + 2 = 3 ~> $not`, `false`},
	{`a ~> $sum = 12`, `true`},
	{`none ~> $count ~> $string`, `"0"`},
	{`none ~> $lookup("x") ~> $exists`, `false`},
	{`[true ? 1 : 9..3]`, `[1,2,3]`},
	{`[none ?? 2..a[0]]`, `[2,3,4]`},
	{`[$x := 2..4]`, `[2,3,4]`},
	{`o ~> |$|{"b": true ? 5 : 6}|`, `{"b":5}`},
	{`o ~> |$|none ?: {"c": 2}|`, `{"b":1,"c":2}`},
	// Ranges.
	{`[1..0]`, `[]`},
	{`$count([1..0])`, `0`},
	{`[1..0] ~> $count`, `0`},
	{`[none..3] ~> $append(1)`, `[1]`},
	{`$append([3..none], [2..2])`, `[2]`},
	{`[a[0]..a[1], [1..2], 0]`, `[4,5,6,7,8,[1,2],0]`},
	{`a.[1..2]`, `[[1,2],[1,2]]`},
	{`[[1..2]][0]`, `[1,2]`},
	{`[1..3][1]`, `2`},
	{`[1..a[0]][$ > 2]`, `[3,4]`},
	{`[/* from */ -1 /* to */ .. /* it */ 1]`, `[-1,0,1]`},
	{`($r := [1..3]; $r[0] + $r[-1])`, `4`},
	{`($r := [2..2]; $r)`, `[2]`},
	{`none ?: [1..2]`, `[1,2]`},
	{`$map([1..3], function($v) { [1..$v] })`, `[[1],[1,2],[1,2,3]]`},
	{`{"r": [1..2], "s": $sum([1..4])}`, `{"r":[1,2],"s":10}`},
	{`items.([n..%.a[0]])`, `[1,2,3,4,2,3,4,3,4]`},
	{`items.n.[%.n..%.%.o.b]`, `1`},
	{`[1.."3"]`, `T2004`},
	{`[o..3]`, `T2003`},
	{`[1..2.5]`, `T2004`},
	{`[0..10000000]`, `D2014`},
	{`[0..1e300]`, `D2014`},
	// The context is the first argument where the others fit only so.
	{`("a,b").$split(",")`, `["a","b"]`},
	{`("a,b").$split("x,y", ",")`, `["x","y"]`},
	{`("a,b").$split(",", 1)`, `["a"]`},
	{`("abc").($substring(1) & $substring(0, 1) & $length())`, `"bca3"`},
	{`items.t.$pad(3, "-")`, `["x--","y--","x--"]`},
	{`(items.{"t": $uppercase(t), "l": $lookup("n")})[1]`, `{"t":"Y","l":2}`},
	{`a.$formatBase(2)`, `["2","2"]`},
	{`a.($formatBase() & $power(2))`, `["416","864"]`},
	{`("a-b").$replace("-", "+")`, `"a+b"`},
	{`("a-b").$replace("-", "+", 0)`, `"a-b"`},
	{`("a1").$match(/\d/).match`, `"1"`},
	{`o.$each(function($v, $k) { $k & $v })`, `"b1"`},
	{`o.$sift(function($v) { $v = 1 })`, `{"b":1}`},
	{`o.$trim()`, `T0411`},
	{`none.$split(",")`, `undefined`},
	{`$formatBase(2.5) & $formatBase(-3.5, 2)`, `"2-100"`},
	// A quoted step is a name.
	{`"o"."b"[0]`, `1`},
	{`o."b"["x" = "x"]`, `1`},
	{`"o"["b" = "b"].b`, `1`},
	{`o.'b'[0] + 1`, `2`},
	// A grouping is of the whole path, or of a step that is none.
	{`items{t: n}.n`, `{}`},
	{`items[n > 1]{t: n}.{"t": t, "n": n * 2}`, `{"y":4,"x":6}`},
	{`$map(items, function($i) { $i }){t: n}.{"all": x}`, `{"all":[1,3]}`},
	{`(items){t: $sum(n)}.x`, `4`},
	{`none{t: n}`, `{}`},
	{`none.t{t: n} & "!"`, `"{}!"`},
	{`items[n = 9]{t: n} = {}`, `true`},
	// The wildcard gives the fields of objects, one by one.
	{`items.*`, `["x",1,"y",2,"x",3]`},
	{`a.*`, `undefined`},
	{`items[n > 1].*[$ != "y"]`, `[2,"x",3]`},
	{`{"r": [[1, [2]], 3]}.*`, `[1,2,3]`},
	{`$.items.*[0]`, `["x","y","x"]`},
	{`o.* ~> $count`, `1`},
	// Behind a predicate or a block, "/" divides: it begins no regular expression.
	{`$.a[0] / 2`, `2`},
	{`a[0]/2`, `2`},
	{`(1; 6) / 3 / 2`, `1`},
	{`a[1] / a[0] * 2`, `4`},
	{`$x := a[1] / 2`, `4`},
	{`{"q": -a[$ > 4] / 2}.q`, `-4`},
	{`a[0] & "/" & a[1] / 4`, `"4/2"`},
	{`$map(a, function($v) { $v })[1] / 8 = 1`, `true`},
}

const readingsContext = `{"a":[4,8],"o":{"b":1},"items":[{"t":"x","n":1},{"t":"y","n":2},{"t":"x","n":3}]}`

func TestReadings(t *testing.T) {
	for _, tt := range readings {
		if got := eval(t, tt.src, readingsContext); got != tt.want {
			t.Errorf("%s gives %s, want %s", tt.src, got, tt.want)
		}
	}
}

// The table is the reference's, where it is at hand.
func TestReadingsAreTheReferences(t *testing.T) {
	var sources []string
	for _, tt := range readings {
		sources = append(sources, tt.src)
	}
	for i, want := range askReference(t, readingsContext, sources) {
		switch want.Kind {
		case "undef":
			want.Result = "undefined"
		case "error":
			want.Result = want.Error[:5]
		}
		if got := readings[i].want; got != want.Result {
			t.Errorf("%s gives %s, not %s", sources[i], want.Result, got)
		}
	}
}

// Errors are placed at the operand or function that causes them.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ src, at string }{
		{`false or none ?: s.t & "é" * 2`, `"é"`},
		{`items{t: n}.{"k": "ü"."t"[0] = 1 ~> $uppercase()}`, `$uppercase()`},
		{`"items"."t"[0] = "x" ~> $uppercase()`, `$uppercase()`},
		{`items.*[0] & $nosuch(1) & "x"`, `$nosuch`},
	} {
		_, err := evalError(t, tt.src, readingsContext)
		if err == nil {
			t.Errorf("%s: no error", tt.src)
			continue
		}
		if got := tt.src[err.Start:err.End]; got != tt.at {
			t.Errorf("%s: at %s, want %s (%v)", tt.src, got, tt.at, err)
		}
	}
}
