package jsonata

import (
	"sync"
	"testing"
)

// Evaluations share what they are given, so a transform changes nothing but copies.
func TestTransformsChangeCopiesOnly(t *testing.T) {
	const input = `{"a":{"b":1},"c":{"d":1}}`
	for source, want := range map[string]string{
		`$ ~> |a|{"x":1}|`:                                       `{"a":{"b":1,"x":1},"c":{"d":1}}`,
		`$ ~> |a|{"x":1},"b"|`:                                   `{"a":{"x":1},"c":{"d":1}}`,
		`$ ~> |$$.a|{"x":1}|`:                                    input,
		`$ ~> |$$.a|{},"b"|`:                                     input,
		`$.c ~> |$$.a|{"x":1}|`:                                  `{"d":1}`,
		`($b := $.a; $.c ~> |$b|{"x":1}|; $b)`:                   `{"b":1}`,
		`($b := $clone($.a); $.c ~> |$b|{"x":1}|; $b)`:           `{"b":1,"x":1}`,
		`($clone := function($x){$x}; $ ~> |a|{"x":1}|)`:         `{"a":{"b":1,"x":1},"c":{"d":1}}`,
		`($clone := function($x){[$x, $x.c]}; $ ~> |c|{"x":1}|)`: `[{"a":{"b":1},"c":{"d":1,"x":1}},{"d":1}]`,
		`($f := |$|{"x": 1}|; $f($.a) ~> |$|{"y": $$.c}|)`:       `{"b":1,"x":1,"y":{"d":1}}`,
		`$.a ~> |$|{"x": $$.c}| ~> |x|{"y":2}|`:                  `{"b":1,"x":{"d":1,"y":2}}`,
	} {
		in, err := Decode([]byte(input))
		if err != nil {
			t.Fatal(err)
		}
		x, err := Compile(source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		v, err := x.Eval(t.Context(), in)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got := encoded(t, v); got != want {
			t.Errorf("%s: got %s, want %s", source, got, want)
		}
		if got := encoded(t, in); got != input {
			t.Errorf("%s: its input became %s", source, got)
		}
	}
}

// What an evaluation gave is a value for others: a later one of the same evaluator does
// not change it.
func TestTransformsDoNotChangeEarlierResults(t *testing.T) {
	var e Evaluator
	in, err := Decode([]byte(`{"a":{"b":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	first, err := e.Eval(t.Context(), mustCompile(t, `$ ~> |a|{"x":1}|`), in)
	if err != nil {
		t.Fatal(err)
	}
	before := encoded(t, first)
	if _, err := e.Eval(t.Context(), mustCompile(t, `{} ~> |$$.a|{"x":2}|`), first); err != nil {
		t.Fatal(err)
	}
	if after := encoded(t, first); after != before {
		t.Errorf("the first result became %s, was %s", after, before)
	}
}

func TestTransformsOfSharedValues(t *testing.T) {
	in, err := Decode([]byte(`{"a":{"b":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	x := mustCompile(t, `($clone := function($x){$x}; $ ~> |a|{"x":$count([1..100])}| ~> |$$.a|{"y":1}|)`)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if v, err := x.Eval(t.Context(), in); err != nil || encoded(t, v) != `{"a":{"b":1,"x":100}}` {
				t.Errorf("got %v, %v", v, err)
			}
		})
	}
	all.Wait()
}

func mustCompile(t *testing.T, source string) *Expr {
	t.Helper()
	x, err := Compile(source)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return x
}

func encoded(t *testing.T, v Value) string {
	t.Helper()
	b, err := Encode(v)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}
