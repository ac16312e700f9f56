package expr

import "testing"

// Behind a predicate or a block, "/" divides: it does not begin a regular
// expression.
func TestDivisionBehindBrackets(t *testing.T) {
	for src, want := range map[string]string{
		`$.a[0] / 2`:             "2",
		`a[0]/2`:                 "2",
		`(1; 6) / 3 / 2`:         "1",
		`a[1] / a[0] * 2`:        "4",
		`$x := a[1] / 2`:         "4",
		`{"q": -a[$ > 4] / 2}.q`: "-4",
		`a[0] & "/" & a[1] / 4`:  `"4/2"`,
		`$map(a, function($v) { $v })[1] / 8 = 1`: "true",
	} {
		p, err := Compile(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		v, fault := p.Eval(t.Context(), NewScopeOf(decode(t, `{"a":[4,8]}`), nil, Limits{}))
		if fault != nil {
			t.Errorf("%s: %v", src, fault)
			continue
		}
		if got, _ := Encode(v); string(got) != want {
			t.Errorf("%s gives %s, want %s", src, got, want)
		}
	}
}
