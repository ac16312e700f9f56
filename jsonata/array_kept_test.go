package jsonata

import "testing"

// What "[]" finds has a property in jsonata-js that "*" finds. It does not outlast the
// evaluation, as the input belongs to others, too.
func TestKeptArrays(t *testing.T) {
	input := mustDecode(t, []byte(`{"a": [[1], [2]], "none": [[], []]}`))
	for _, c := range [][2]string{
		{`(a[0][]; a.*)`, `[1,true,2]`},
		{`a.*`, `[1,2]`},
		{`(a[0]; a.*)`, `[1,2]`},
		{`(none[0][]; none.*)`, `true`},
		{`(a[0].b[]; a.*)`, `[1,2]`},
		{`($v := $map([1, 2], $string); $v[]; $eval("*", $v))`, `["1","2",true,true]`},
		{`($v := $map([1, 2], $string); $eval("*", $v))`, `["1","2",true]`},
	} {
		x, err := Compile(c[0])
		if err != nil {
			t.Fatal(err)
		}
		v, err := x.Eval(t.Context(), input)
		got, _ := Encode(v)
		if err != nil || string(got) != c[1] {
			t.Errorf("%s is %s (%v), want %s", c[0], got, err, c[1])
		}
	}
}
