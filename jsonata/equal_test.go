package jsonata

import "testing"

// An array is in another if it is one of its items itself, also where it has no items.
func TestEmptyArraysAreTold(t *testing.T) {
	for src, want := range map[string]bool{
		`$ in $map([1, 2], function() { $$ })`:                        true,
		`[] in $map([1, 2], function() { $$ })`:                       false,
		`($a := []; $a in $map([1, 2], function() { $a }))`:           true,
		`($a := []; $b := []; $a in $map([1, 2], function() { $b }))`: false,
	} {
		if v, err := compile(t, src).Eval(t.Context(), mustDecode(t, []byte(`[]`))); v != want || err != nil {
			t.Errorf("%s is %v, %v", src, v, err)
		}
	}
}
