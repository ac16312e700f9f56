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
		`$substring("abc", -1.5, 2)`:                     `"c"`,
		`s / (n + "x")`:                                  `T2002`,
		`[] * $toMillis(1.5)`:                            `T0410`,
		`nothing ~> $substring`:                          `T0411`,
		`$parseInteger("-two", "w")`:                     `D3030`,
		`$base64encode("😀")`:                             `"PQA="`,
		`["ab"]^($).(($)[0])`:                            `"ab"`,
		`[3, 1]^($)#$i`:                                  `[1,3]`,
		`[3, 1]^($w)#$w`:                                 `[3,1]`,
		`$formatInteger(1234, "00:00:00.000 AM")`:        `"00:00:01.234 AM"`,
		`$formatInteger(0/0, "w")`:                       `D1001`,
		`$formatInteger(1/0, "I")`:                       `D1001`,
		`$formatInteger(1/0, "0")`:                       `"Infinity"`,
		`$formatBase(0/0, 2)`:                            `"NaN"`,
		`$formatBase(-1/0, 10)`:                          `"-Infinity"`,
		`$formatNumber(1/0, "0")`:                        `"Infinity"`,
		`$formatNumber(1/0, "0.0")`:                      `"NaN.0"`,
		`$fromMillis(0/0, "[y]")`:                        `D3132`,
		`$."7a"`:                                         `undefined`,
		`$.7a`:                                           `S0201`,
		`$power(84419.746, 3)`:                           `601633656331202.5`,
		`$power(7 * 12345.678, 3)`:                       `645414854371429.6`,
		`$power(3, -40)`:                                 `8.225263339969959e-20`,
		`$fromMillis(-1.5)`:                              `"1969-12-31T23:59:59.999Z"`,
		`$type(1/0)`:                                     `D1001`,
		`$substring("abc", -0.1)`:                        `"abc"`,
		`n.$string()[] ~> $map(function($x) { $x })`:     `"1"`,
		`n[] ~> $map(function($x) { $x })`:               `[1]`,
		`$map([1, 2], $keys)^($)`:                        `[[],[]]`,
		`$spread([nothing, n][[0, 1]])`:                  `1`,
		`[1, ""][1].$string()`:                           `""`,
		`(list)[%.n > 1] ~> $count`:                      `0`,
		`(list)[%.n = 1] ~> $sum`:                        `6`,
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
