package jsonata

import (
	"strings"
	"testing"
)

// Each row is an expression, its input, and what jsonata-js 2.2.2 returns; nothing stands for
// undefined.
func TestPaths(t *testing.T) {
	for _, test := range []struct{ src, input, want string }{
		{`$[0].b`, `[{"b":[5]}]`, `[5]`},
		{`$[0].b`, `[{"b":[]}]`, `[]`},
		{`$[v>0].b`, `[{"v":1},{"v":2}]`, ``},
		{`$[v>0].b`, `[{"v":1,"b":[5]},{"v":2}]`, `[5]`},
		{`($o := {"a": $.[1,2]}; $o.a{$string($): $})`, `{}`, `{"1":1,"2":2}`},
		{`$.{"a": $.[{"b":[5]}]}.a.b`, `{}`, `5`},
		{`($o := {"a": $.[{"b":[5]}]}; $o.a.b)`, `{}`, `5`},
		{`($f := function(){{"a": $.[{"b":[5]}]}.a}; $f().b)`, `{}`, `5`},
		{`a.b[0].c`, `{"a":{"b":[{"c":[]},{"c":1}]}}`, `[]`},
		{`a.b[-1].c`, `{"a":{"b":[{"c":[]},{"c":1}]}}`, `1`},
		{`a.b[0]`, `{"a":{"b":[[],1]}}`, `[]`},
		{`a.b[0].c`, `{"a":{"b":[[{"c":1},{"c":2}]]}}`, `[1,2]`},
		{`a.b[0][1]`, `{"a":{"b":[[{"c":1},{"c":2}]]}}`, `{"c":2}`},
		{`a.b[2].c`, `{"a":{"b":[{"c":1}]}}`, ``},
		{`a.b[0].c`, `{"a":{"b":{"c":7}}}`, `7`},
		{`a.b[1].c`, `{"a":{"b":{"c":7}}}`, ``},
		{`a.b[0]`, `{"a":[{"b":[1,2]},{"b":[3]}]}`, `[1,3]`},
		{`a.b[c>1].c`, `{"a":{"b":[{"c":1},{"c":2}]}}`, `2`},
		{`a.b^(c)`, `{"a":{"b":[5]}}`, `5`},
		{`a.b^(c).c`, `{"a":{"b":{"c":[1]}}}`, `[1]`},
		{`a.b^(>c).c`, `{"a":{"b":[{"c":1},{"c":2}]}}`, `[2,1]`},
		{`a.b{c: d}`, `{"a":{"b":[{"c":"x","d":1},{"c":"x","d":2}]}}`, `{"x":[1,2]}`},
		{`a.b{"k": $}`, `{"a":{}}`, `{}`},
		{`a[0].b`, `[{"a":[{"b":1}]},{"a":[{"b":2}]}]`, `1`},
		{`$.a[0].b`, `[{"a":[{"b":1}]},{"a":[{"b":2}]}]`, `[1,2]`},
		{`a.(b)`, `{"a":{"b":[[]]}}`, `[[]]`},
		{`a.[b]`, `{"a":{"b":1}}`, `[1]`},
		{`a.[b].c`, `{"a":[{"b":{"c":1}},{"b":{"c":2}}]}`, `[1,2]`},
		{`a.b[0].c`, `{"a":{"b":[null,{"c":1}]}}`, ``},
		{`a.b[0]`, `{"a":{"b":[null,1]}}`, `null`},
		{`a.b.$count($)`, `{"a":{"b":[1,2]}}`, `[1,1]`},
		{`$[0].a.b`, `[]`, ``},
		{`$.a{"n": $count($)}`, `{"a":[1,2]}`, `{"n":2}`},
		{`($x := [1,2]; $x[0].b)`, `{}`, ``},
		{`$lookup($, "a").b.c`, `{"a":[{"b":{"c":1}},{"b":[{"c":2}]}]}`, `[1,2]`},
		{`"a".b[0]`, `{"a":{"b":[3,4]}}`, `3`},
		{`$$.a[0].b`, `[{"a":{"b":1}},{"a":{"b":2}}]`, `[1,2]`},
		{`n.[m]^(m)[-1].{"k": m}`, `{"n":1}`, `[]`},
		{`n.[m]^(m)[-1].k`, `{"n":1}`, `[]`},
		{`n.[m][-1].k`, `{"n":1}`, ``},
	} {
		v, err := compile(t, test.src).Eval(t.Context(), mustDecode(t, []byte(test.input)))
		if err != nil {
			t.Errorf("%s of %s: %v", test.src, test.input, err)
			continue
		}
		got, err := Encode(v)
		if v == nil {
			got = nil
		}
		if string(got) != test.want || err != nil {
			t.Errorf("%s of %s is %s (%v), want %s", test.src, test.input, got, err, test.want)
		}
	}
}

func TestPathsCountTheirWork(t *testing.T) {
	for _, test := range []struct{ src, code string }{
		{`($b := [1..100000]; $l := [1..1000].{"b": $b}; $l.b.($))`, "too-much-memory"},
		{`($b := [1..100000]; $l := [1..1000].{"b": $b}; $l.b)`, "too-much-memory"},
		{`$map([1..20000], function($i) { $` + strings.Repeat(".$", 5000) + ` })`, "too-much-work"},
	} {
		_, err := compile(t, test.src).Eval(t.Context(), objectOf(nil, nil), WithLimits(Limits{MaxMemory: 32 << 20}))
		if codeOf(err) != test.code {
			t.Errorf("%.80s ends with %v, want %s", test.src, err, test.code)
		}
	}
}
