package jsonata

import "testing"

// What jsonata-js 2.2.2 gives where a character beyond U+FFFF is two UTF-16 units, of which
// one can be alone.
func TestAgreementOfHalves(t *testing.T) {
	for src, want := range map[string]string{
		`$split("a😀b", "")`:                                   `["a","\ud83d","\ude00","b"]`,
		`$join($split("a😀b", ""))`:                            `"a😀b"`,
		`$join($reverse($split("a😀b", "")))`:                  `"b\ude00\ud83da"`,
		`"\ud83d" & "\ude00"`:                                 `"😀"`,
		`"\ud83d" & "" & "\ude00" & "x"`:                      `"😀x"`,
		`"\ude00" & "\ud83d"`:                                 `"\ude00\ud83d"`,
		`"😀" = "\ud83d\ude00"`:                                `true`,
		`"😀" in $split("😀", "")`:                              `false`,
		`$length("a\ud83d😀")`:                                 `3`,
		`$substring("a\ud83db", 1, 1)`:                        `"\ud83d"`,
		`$string("\ud83d")`:                                   `"\ud83d"`,
		`$string(["\ud83d"])`:                                 `"[\"\\ud83d\"]"`,
		`$contains("😀", "\ud83d")`:                            `true`,
		`$substringBefore("a😀b", "\ude00")`:                   `"a\ud83d"`,
		`$substringAfter("a😀b", "\ud83d")`:                    `"\ude00b"`,
		`$replace("a😀b", "\ude00", "\ude01")`:                 `"a😁b"`,
		`$split("a😀b", "\ude00")`:                             `["a\ud83d","b"]`,
		`$match("a😀b", /./).match`:                            `["a","\ud83d","\ude00","b"]`,
		`$match("😀😀", /😀+/).index`:                            `[0,2]`,
		`$match("😀😀", /(😀)+/).match`:                          `"😀😀"`,
		`$match("a😀b", /[a-😀]/).index`:                        `[0,1,2,3]`,
		`$match("a😀b", /[^\ud83d]+/).match`:                   `["a","\ude00b"]`,
		`$match("\ud83dA", /[\u0000-\uffff]+/).match`:         `"\ud83dA"`,
		`$match("😀", /^.$/)`:                                  `undefined`,
		`$match("😀", /(?<=.)./).match`:                        `"\ude00"`,
		`/./("😀", 1).match`:                                   `"\ude00"`,
		`$replace("a😀b", /\W/, "-")`:                          `"a--b"`,
		`$replace("a😀b", /\ude00/, "\ude01")`:                 `"a😁b"`,
		`$uppercase("\ud83dß") & $lowercase("A\ud83dB")`:      `"\ud83dSSa\ud83db"`,
		`$pad("\ud83d", 4, "\ude00")`:                         `"😀\ude00\ude00"`,
		`$pad("x", 4, "\ude00\ud83d")`:                        `"x\ude00😀😀"`,
		`$trim(" \ud83d  \ude00 ")`:                           `"\ud83d \ude00"`,
		`$sort(["\ud83d", "😀", "\ude00", "z", "\ud83dé"])`:    `["z","\ud83d","\ud83dé","😀","\ude00"]`,
		`"\ud83d\uffff" < "😀"`:                                `false`,
		`$distinct(["\ud83d", "\ude00", "\ud83d", "\ufffd"])`: `["\ud83d","\ude00","�"]`,
		`{"\ud83d": 1, "\ude00": 2}."\ud83d"`:                 `1`,
		`$encodeUrl("\ud83d")`:                                `D3140`,
		`$encodeUrl("\ufffd")`:                                `"%EF%BF%BD"`,
		`$decodeUrl("\ud83d%20")`:                             `"\ud83d "`,
		`$decodeUrl("%ED%A0%BD")`:                             `D3140`,
		`$base64encode("\ud83d")`:                             `"PQ=="`,
		`$eval("'\ud83d'")`:                                   `"\ud83d"`,
		`$formatInteger(-1002, "😀" & half & 1)`:               `"-100😀\ud83d2"`,
		`$parseInteger("1" & half & "2", "😀" & half & "1")`:   `12`,
		`$toMillis(half & "2020", half & "[Y]")`:              `1577836800000`,
		`half`:                                                `"\ud83d"`,
		`$length(private)`:                                    `1`,
		`private`:                                             "\"\U0010D83D\"",
		`$split(private, /x/)`:                                "[\"\U0010D83D\"]",
		`$parseJson('"' & half & 'x\\ude00"')`:                `"\ud83dx\ude00"`,
		`$keys($)[-1]`:                                        `"\ud83d"`,
	} {
		if got := outcomeOf(t, src, "{\"half\": \"\\ud83d\", \"private\": \"\U0010D83D\", \"\\uD83D\": \"key\"}"); got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}
