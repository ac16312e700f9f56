package jsonata

import "testing"

// Where jsonata-js 2.2.2 ends with an internal error of JavaScript, there is an error here,
// too; and the cases beside them, in which it has a value.
func TestAgreementOfCrashes(t *testing.T) {
	for src, want := range map[string]string{
		`{} ~> /x/`:                        `not-a-string`,
		`[{"a": 1}] ~> /x/`:                `not-a-string`,
		`($ ~> /Object/).match`:            `"Object"`,
		`($ ~> |$|{}| ~> /Object/).match`:  `"Object"`,
		`($clone($) ~> /Object/).match`:    `"Object"`,
		`$merge([$]) ~> /x/`:               `not-a-string`,
		`$spread($) ~> /x/`:                `not-a-string`,
		`$ ~> |n|{"z": 1}|`:                `not-an-object`,
		`$ ~> |s|{"z": 1}|`:                `not-an-object`,
		`{"q": null} ~> |q|{"z": 1}|`:      `not-an-object`,
		`($ ~> |n|{}|).n`:                  `1`,
		`($ ~> |nothing|{"z": 1}|).n`:      `1`,
		`($ ~> |n|{"z": nothing}|).n`:      `1`,
		`[1, 2][5].x`:                      `undefined`,
		`[1, 2][5].x^(n)[]`:                `undefined`,
		`[1, 2][5].x[]`:                    `not-an-array`,
		`[null][0].x`:                      `not-an-array`,
		`[1, 2][0].x#$i`:                   `not-an-array`,
		`[1, 2][0].x[]`:                    `undefined`,
		`[1, 2][0]^($).x@$v`:               `not-an-array`,
		`[1, 2][0]^($)^(>$).x@$v.$v`:       `not-an-array`,
		`["ab"][0]^($).x@$v`:               `not-an-array`,
		`[1, 2][5]^($).x@$v`:               `undefined`,
		`[1, 2][0]^($).x`:                  `undefined`,
		`[1, 2][0]^($)[true].x@$v`:         `undefined`,
		`[""][0].x`:                        `""`,
		`[""][0].x[]`:                      `not-an-array`,
		`$formatInteger(1, nothing)`:       `T0410`,
		`$formatInteger(nothing, nothing)`: `undefined`,
		`$parseInteger("1", nothing)`:      `T0410`,
		`$split("abc", nothing)`:           `T0410`,
		`$split("abc", nothing, 0)`:        `[]`,
		`$replace("abc", nothing, "x")`:    `T0410`,
		`$replace("abc", nothing, "x", 0)`: `"abc"`,
		`$match("abc", nothing)`:           `T0410`,
		// Here jsonata-js calls a method that the function does not have.
		`function($x) { $map($x, $string) }([1, 2])`:                                       `["1","2"]`,
		`function($x) { $sort($x, function($l, $r) { $l < $r }) }([1, 2])`:                 `[2,1]`,
		`$map(?, $string)([1, 2])`:                                                         `["1","2"]`,
		`function($x) { $replace($x, /b/, function($m) { "<" & $m.match & ">" }) }("abc")`: `"a<b>c"`,
	} {
		if got := outcomeOf(t, src, `{"s": "x", "n": 1}`); got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}
