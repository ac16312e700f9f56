package jsonata

import "testing"

// What jsonata-js 2.2.2 gives, where the documentation of JSONata leaves it open.
func TestAgreement(t *testing.T) {
	for src, want := range map[string]string{
		`list ~> $append(1)[0]`:                          `[1,2,3,1]`,
		`n ~> $string(){"k": 1}`:                         `"1"`,
		`"ab" ~> /b/ ~> $type`:                           `"object"`,
		`$replace("xyz", /z*/, "-", 1)`:                  `D1004`,
		`"a"[true].$string()`:                            `undefined`,
		`($map([1, 2], $keys) ~> $count)`:                `2`,
		`($map([1], $keys))`:                             `undefined`,
		`$map($map([1, 2], $keys), function($x) { $x })`: `undefined`,
		`$map([1], $keys ~> $count)`:                     `0`,
		`*@$v[%.n > 1].$v`:                               `undefined`,
		`*[]#$i.$`:                                       `["x",1,1,2,3]`,
		`$substring("abc", nothing, 1)`:                  `""`,
		`$substring("abc", 0/0)`:                         `"abc"`,
		`$substring("abc", 0/0, 1)`:                      `""`,
		`$lookup({"": 1}, nothing)`:                      `undefined`,
		`$count($distinct([$sum, $max, $sum]))`:          `2`,
		`$substring("abc", -1.5, 2)`:                     `"c"`,
		`s / (n + "x")`:                                  `T2002`,
		`[] * $toMillis(1.5)`:                            `T0410`,
		`nothing ~> $substring`:                          `T0411`,
		`$parseInteger("-two", "w")`:                     `not-a-number`,
		`["ab"]^($).(($)[0])`:                            `"ab"`,
		`[3, 1]^($)#$i`:                                  `[1,3]`,
		`[3, 1]^($w)#$w`:                                 `[3,1]`,
		`$formatInteger(1234, "00:00:00.000 AM")`:        `"00:00:01.234 AM"`,
		`$formatInteger(0/0, "w")`:                       `D1001`,
		`$formatInteger(1/0, "I")`:                       `D1001`,
		`$formatInteger(1/0, "0")`:                       `"Infinity"`,
		`$formatNumber(1/0, "0")`:                        `"Infinity"`,
		`$formatNumber(1/0, "0.0")`:                      `"NaN.0"`,
		`$fromMillis(0/0, "[y]")`:                        `D3132`,
		`$."7a"`:                                         `undefined`,
		`$.7a`:                                           `S0201`,
		`$parseInteger("xiv", "I")`:                      `not-a-number`,
		`$parseInteger(" -12x", "0")`:                    `-12`,
		`$parseInteger("0x1F", "0")`:                     `31`,
		`$parseInteger("5", "0;o")`:                      `not-a-number`,
		`$map([1, 2], function($i) { $map([1, 2], function($x) { $x }) }).*`: `[1,2,1,2]`,
		`$eval("*", $map([1, 2], $string))`:                                  `["1","2"]`,
		`$round(3, 1.5)`:                                                     `not-a-number`,
		`$round(3, 1e21)`:                                                    `not-a-number`,
		`$round(3, 330)`:                                                     `not-a-number`,
		`$round(1e300, 10)`:                                                  `not-a-number`,
		`$round(3, 0/0)`:                                                     `3`,
		`$round(-3, -330)`:                                                   `0`,
		`$round(0, 330)`:                                                     `0`,
		`$round(1/0, 1) = $round(1/0, 1)`:                                    `false`,
		`$base64decode("YWJj!=ZA")`:                                          `"abc"`,
		`$power(139.42260322278744, 10)`:                                     `2.77544019652191e+21`,
		`$power(32.63518254881426, -6.644941336541557)`:                      `8.742688810626965e-11`,
		`$power(1.0000001, 123456789012)`:                                    `D3061`,
		`$power(0.99999999, 12345678901)`:                                    `2.417671227214001e-54`,
		`$power(2, -1074.5)`:                                                 `5e-324`,
		`$power(-1.1, 33)`:                                                   `-23.225154419887872`,
		`1 ~> /1/ ~> $lookup("match")`:                                       `"1"`,
		`$contains("[object Object]", /t O/)`:                                `true`,
		`$replace(?, "1", 2)("a1")`:                                          `T0410`,
		`$substring(?, ?)("abc")`:                                            `"abc"`,
		`function($x)<n>{ $type($x) }(?)("a")`:                               `"string"`,
		`$clone("x")`:                                                        `T0410`,
		`$clone([0.1 + 0.2, 1/3])`:                                           `[0.3,0.333333333333333]`,
		`$number("0x1F")`:                                                    `31`,
		`$number("0x1y")`:                                                    `not-a-number`,
		`$number("00b1") = 1`:                                                `false`,
		`$number(" 0o17")`:                                                   `15`,
		`$number("0b0")`:                                                     `0`,
		`$map([1, 2], function() { $lookup([$], "n") })`:                     `[[1],[1]]`,
		`$lookup([$], "n")`:                                                  `1`,
		`[{"n": 1}] ~> $eval("$@$w.n.%", ?)`:                                 `{"n":1}`,
		`$formatNumber(3.9663291484811743e36, "0.00")`:                       `"3.966329148481174e+36"`,
		`$formatNumber(2.92159504470276e24, "0,00,0")`:                       `"0,00,2.92159504470276e+2"`,
		`$spread(nothing[true ~> $string][])`:                                `undefined`,
		`$map(1, function($x) { ($f := function() { $x }; $map("", $f)) })`: `[1]`,
		`$sift({})`:                                                           `undefined`,
		`$sift({"a": 1})`:                                                     `T0410`,
		`$toMillis("2024-02-30")`:                                             `1709251200000`,
		`$toMillis("2024-13-01")`:                                             `not-a-number`,
		`$fromMillis(0/0, "[Y]-[M01] [P]")`:                                   `"NaN-NaN am"`,
		`($f := function() { $uppercase() }; s.$f())`:                         `"X"`,
		`($f := function() { ($string())[0] }; n.$f())`:                       `"{\"s\":\"x\",\"n\":1,\"list\":[1,2,3]}"`,
		`($f := function() { ($string(n))[1] }; $f())`:                        `undefined`,
		`($f := function() { ($g())[1] }; $g := function() { [1, 2] }; $f())`: `2`,
		`($f := function() { $eval("$x") }; function($x) { $f() }(3))`:        `undefined`,
		`$power(84419.746, 3)`:                                                `601633656331202.5`,
		`$power(7 * 12345.678, 3)`:                                            `645414854371429.6`,
		`$power(3, -40)`:                                                      `8.225263339969959e-20`,
		`$fromMillis(-1.5)`:                                                   `"1969-12-31T23:59:59.999Z"`,
		`$type(1/0)`:                                                          `D1001`,
		`$substring("abc", -0.1)`:                                             `"abc"`,
		`n.$string()[] ~> $map(function($x) { $x })`:                          `"1"`,
		`n[] ~> $map(function($x) { $x })`:                                    `[1]`,
		`$map([1, 2], $keys)^($)`:                                             `[[],[]]`,
		`$spread([nothing, n][[0, 1]])`:                                       `1`,
		`[1, ""][1].$string()`:                                                `""`,
		`$count(function() { (list)[%.n > 1] }())`:                            `0`,
		`$count(function($x) { $x ? (list)[%.n = 1] : 2 }(true))`:             `3`,
		`(list)[%.n > 1] ~> $count`:                                           `0`,
		`(list)[%.n = 1] ~> $sum`:                                             `6`,
	} {
		x, err := Compile(src)
		var v Value
		if err == nil {
			v, err = x.Eval(t.Context(), mustDecode(t, []byte(`{"s": "x", "n": 1, "list": [1, 2, 3]}`)))
		}
		got := codeOf(err)
		if err == nil {
			b, _ := Encode(v)
			if got = string(b); v == nil {
				got = "undefined"
			}
		}
		if got != want {
			t.Errorf("%s is %s (%v), want %s", src, got, err, want)
		}
	}
}

// The text of what is the input as a whole, where it is an array.
func TestAgreementOfArrayInput(t *testing.T) {
	for src, want := range map[string]string{
		`"x" & $$@$v#$i`:       `"x[{\"a\":1}]"`,
		`"x" & $@$v#$i & "y"`:  `"x[{\"a\":1}]y"`,
		`"x" & $$@$v`:          `"x[{\"a\":1}]"`,
		`$string($$@$v#$i)`:    `"[{\"a\":1}]"`,
		`"x" & $$#$i`:          `"x{\"a\":1}"`,
		`$$@$v#$i`:             `[[{"a":1}]]`,
		`$join([$string($$)])`: `"[{\"a\":1}]"`,
	} {
		if got := outcomeOf(t, src, `[{"a": 1}]`); got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}
