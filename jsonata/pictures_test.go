package jsonata

import (
	"strings"
	"testing"
)

// Pictures in which jsonata-js finds another part, or a time where none is.
func TestPictures(t *testing.T) {
	for source, want := range map[string]string{
		`$formatNumber(0, "#e")`:                                         `"0e"`,
		`$formatNumber(13, "e00e")`:                                      `"e13e"`,
		`$formatNumber(1234, "x0.0e0")`:                                  `"x1.2e3"`,
		`$formatNumber(1234, "0e")`:                                      `"1234e"`,
		`$formatNumber(1234, "0ee0")`:                                    `D3093`,
		`$formatInteger(21, "x00#9 ")`:                                   `"021 "`,
		`$formatInteger(112, "1.0;o")`:                                   `"1.1.2th"`,
		`$parseInteger("-٧", "٠")`:                                       `-7`,
		`$formatNumber(1.5, "0.0#,")`:                                    `"1.5"`,
		`$toMillis("Jan", "[MN]")`:                                       `undefined`,
		`$toMillis("Jan 2020", "[MNn] [Y]")`:                             `undefined`,
		`$toMillis("Foo 2020", "[MNn] [Y]")`:                             `undefined`,
		`$toMillis("jan 2020", "[MN,3-3] [Y]")`:                          `1577836800000`,
		`$toMillis("JANUARY 2020", "[MNn] [Y]")`:                         `1577836800000`,
		`$toMillis("wednesday, 1 January 2020", "[FNn], [D] [MNn] [Y]")`: `1577836800000`,
		`$toMillis("someday, 1 January 2020", "[FNn], [D] [MNn] [Y]")`:   `undefined`,
		`$toMillis("2020-01-01 1 Pm", "[Y]-[M]-[D] [h] [P]")`:            `1577883600000`,
		`$toMillis("2020-01-01 1 xm", "[Y]-[M]-[D] [h] [P]")`:            `undefined`,
		`$parseInteger($formatInteger(999999, "I"), "I")`:                `999999`,
		`$parseInteger("\ufeff12", "0") + $parseInteger("\u00a01", "0")`: `13`,
		`$parseInteger("\u00851", "0")`:                                  `not-a-number`,
		`$toMillis($pad("", 1001, "1"), "[Y]")`:                          `too-big`,
		`$parseInteger("12", $pad("0", 1001, "0"))`:                      `too-big`,
		`$formatNumber(1, $pad("0", 1001, "0"))`:                         `too-big`,
		`$formatInteger(1, $pad("0", 1001, "0"))`:                        `too-big`,
		`$fromMillis(0, $pad("", 1001, "x"))`:                            `too-big`,
		`$toMillis("2020", $pad("[Y]", 1001, "x"))`:                      `too-big`,
		`$parseInteger($join([1..200000].("M")), "I") = 200000 * 1000`:   `true`,
	} {
		if got := outcomeOf(t, source, "{}"); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
	_, err := compile(t, `$toMillis($pad("", 1001, "1"), "[Y]")`).Eval(t.Context(), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "the text of a time is longer than 1000 bytes") {
		t.Error(err)
	}
}
