package jsonata

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Numbers keep all their digits where nothing is computed with them, whether they come from
// data or are written in the expression, and all of them count when they are compared.
func TestDigits(t *testing.T) {
	input := `{"a": 9007199254740993, "b": 9007199254740992, "ids": [{"id": 1234567890123456789}, {"id": 1234567890123456788}], "price": 1.10}`
	for src, want := range map[string]string{
		`9007199254740993`:           `9007199254740993`,
		`[-9007199254740993]`:        `[-9007199254740993]`,
		`- -9007199254740993`:        `9007199254740993`,
		`1.10`:                       `1.1`,
		`price`:                      `1.10`,
		`0.12345678901234567891`:     `0.12345678901234567891`,
		`0.10000000000000000`:        `0.1`,
		`1e21`:                       `1e+21`,
		`"#" & 12345678901234567891`: `"#12345678901234567891"`,
		`a = 9007199254740993`:       `true`,
		`a = 9007199254740992`:       `false`,
		`b = 9007199254740993`:       `false`,
		`0.12345678901234567890 = 0.12345678901234567891`:                               `true`, // decimals are compared as doubles
		`1.0000000000000000e-400 ? "t" : "f"`:                                           `"f"`,
		`$string([12345678901234567890E5]) & 12345678901234567890E5`:                    `"[1.2345678901234568e+24]1.2345678901234568e+24"`,
		`$count($distinct([0.1, 0.1000000000000000055511151231257827]))`:                `1`,
		`$count($distinct([9007199254740992, 9007199254740991 + 1, 9007199254740993]))`: `2`,
		`$count($distinct([[a], [b], [9007199254740992.0], [-0], [0]]))`:                `3`,
		`b = 9007199254740992.0`:                                                        `true`,
		`a = 9007199254740991 + 1`:                                                      `true`, // a computed number is a double
		`price = 1.1`:                                                                   `true`,
		`0.1 = 0.1000000000000000055511151231257827`:                                    `true`,
		`a != b`:                                      `true`,
		`[a > b, a >= b, a < b, a <= b]`:              `[true,true,false,false]`,
		`[b > a, b >= a, b < a, b <= a]`:              `[false,false,true,true]`,
		`-9007199254740993 < -9007199254740992`:       `true`,
		`a in [9007199254740992]`:                     `false`,
		`ids[id = 1234567890123456789].id`:            `1234567890123456789`,
		`ids^(id).id`:                                 `[1234567890123456788,1234567890123456789]`,
		`ids^(>id).id`:                                `[1234567890123456789,1234567890123456788]`,
		`$sort(ids.id)`:                               `[1234567890123456788,1234567890123456789]`,
		`[$max(ids.id), $min(ids.id), $max([b, a])]`:  `[1234567890123456789,1234567890123456788,9007199254740993]`,
		`$count($distinct([a, b, 9007199254740993]))`: `2`,
		`[$formatBase(a), $formatBase(a, 16)]`:        `["9007199254740993","20000000000001"]`,
		`$formatBase(-12345678901234567891, 36)`:      `"-2lsohxawjui8j"`,
		`$number("9007199254740993") = a`:             `true`,
		`a + 0`:                                       `9007199254740992`,
		`[1, 2, 3][9007199254740993]`:                 `undefined`,
	} {
		if got := outcomeOf(t, src, input); got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}

func TestCompareDigits(t *testing.T) {
	ordered := []json.Number{
		"-10000000000000000000000001", "-10000000000000000000000000", "-9007199254740993", "-9007199254740992",
		"9007199254740992", "9007199254740993", "99999999999999991611392", "100000000000000000000000", "100000000000000000000001",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			want := 0
			switch {
			case i < j:
				want = -1
			case i > j:
				want = 1
			}
			if got := CompareDigits(a, b); got != want {
				t.Errorf("%s and %s: %d, want %d", a, b, got, want)
			}
		}
	}
}

// Whatever reads a number with very many digits counts its work.
func TestLongNumbersAreCounted(t *testing.T) {
	digits := strings.Repeat("7", 1<<20)
	input := mustDecode(t, fmt.Appendf(nil, `{"a": %s, "b": 0.%s, "c": 0.%s1}`, digits, digits, strings.Repeat("0", 1<<20)))
	for _, work := range []string{
		`$$.a = $$.b`, `$$.a < $$.b`, `$$.b + 1`, `-$$.b`, `$$.b = $$.b + 0`, `$string($$.b)`, `$$.b & ""`, `$distinct([$$.b])`, `$abs($$.b)`, `$$.b in [$$.c]`, `$sum([$$.b, $$.c])`, `$max([$$.b, $$.c])`,
		`$sort([$$.b, $$.c])`, `$sort([2, 1], function() { $$.c })`, `$round($$.b, 1)`, `$boolean($$.c)`, `$$.c ? 1 : 2`, `["x"][$$.b]`, `$formatBase($$.b)`, `$fromMillis($$.b)`, `$substring("x", $$.b)`, `$join([$$.b.$string()])`,
	} {
		_, err := compile(t, "[1..1000000].("+work+"; 0)").Eval(t.Context(), input, WithLimits(Limits{Timeout: -1}))
		if codeOf(err) != "too-much-work" && codeOf(err) != "too-much-memory" {
			t.Errorf("%s ends with %v", work, err)
		}
	}
}

// Equal numbers have equal texts, however they are spelled. What a float64 would lose stays.
func TestEqualNumbersHaveEqualTexts(t *testing.T) {
	for text, spellings := range map[string]string{
		"1.5":                       "1.5 1.50 15e-1 0.15E1 1.500000000000000000000",
		"1":                         "1 1.0 1.00000000000000000000 10e-1",
		"100":                       "100 1e2 100.0 1E+2",
		"0":                         "0 -0 0.0 -0.0 0e5",
		"-2.25":                     "-2.25 -2.250 -225e-2",
		"0.000001":                  "0.000001 1e-6 0.0000010",
		"1.2e-7":                    "0.00000012 1.2e-7 12E-8",
		"1e+21":                     "1000000000000000000000 1e21 1e+21 1000000000000000000000.0",
		"1e+23":                     "1e23 99999999999999991611392 99999999999999991611392.0",
		"9007199254740993":          "9007199254740993 9007199254740993.0 9.007199254740993e15",
		"12345678901234567890123":   "12345678901234567890123 1234567890123456789012.3e1",
		"0.12345678901234567891":    "0.12345678901234567891 0.123456789012345678910 12345678901234567891e-20",
		"0.30000000000000004":       "0.30000000000000004 0.300000000000000040",
		"1e+400":                    "1e400 10e399",
		"-1.5e-400":                 "-1.5e-400 -15e-401",
		"1e99999999999999999999999": "1e99999999999999999999999",
	} {
		for n := range strings.FieldsSeq(spellings) {
			input := `{"n": ` + n + `}`
			for src, want := range map[string]string{
				`$string(n)`:             `"` + text + `"`,
				`"" & n`:                 `"` + text + `"`,
				`$string([n])`:           `"[` + text + `]"`,
				`$join([n.$string()])`:   `"` + text + `"`,
				`$keys({$string(n): 1})`: `"` + text + `"`,
				`$lookup({"` + text + `": "x"}, $string(n))`: `"x"`,
				`n`: n, // what is passed on keeps its spelling
			} {
				if got := outcomeOf(t, src, input); got != want {
					t.Errorf("%s of %s is %s, want %s", src, n, got, want)
				}
			}
		}
	}
	grouped := outcomeOf(t, `items{$string(p): $count($)}`, `{"items": [{"p": 1.5}, {"p": 1.50}, {"p": 15e-1}]}`)
	if grouped != `{"1.5":3}` {
		t.Errorf("grouped by a number: %s", grouped)
	}
}
