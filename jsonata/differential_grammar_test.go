package jsonata

import (
	"math/rand/v2"
	"strings"
)

// A grammar makes random values, and random expressions over their fields. Most operands
// are of the type that is asked for; some are of any, as errors are compared as well.
type grammar struct{ *rand.Rand }

func (g grammar) pick(of ...string) string { return of[g.IntN(len(of))] }

// value makes JSON.
func (g grammar) value(depth int) string {
	switch n := g.IntN(10); {
	case depth == 0 || n < 4:
		return g.pick("0", "1", "2", "3", "-1.5", "10", "1e3", "0.1", "1.0", "1.50", "-0.0", "12E-1", `"x"`, `"yy"`, `""`, `"b a"`, `"12"`, `"é😀z"`, `"\ta\n"`, "true", "false", "null", bigDigits)
	case n < 7:
		var fields []string
		for _, name := range []string{"a", "b", "c", "n", "t"} {
			if g.IntN(2) == 0 {
				fields = append(fields, `"`+name+`":`+g.member(name, depth-1))
			}
		}
		return "{" + strings.Join(fields, ",") + "}"
	}
	var items []string
	for range g.IntN(4) {
		items = append(items, g.value(depth-1))
	}
	return "[" + strings.Join(items, ",") + "]"
}

// member makes the value of a field: n is often a number, and t a text.
func (g grammar) member(name string, depth int) string {
	switch {
	case name == "n" && g.IntN(3) > 0:
		return g.pick("0", "1", "2", "3", "-1.5", "10")
	case name == "t" && g.IntN(3) > 0:
		return g.pick(`"x"`, `"yy"`, `"b a"`, `"é😀z"`)
	}
	return g.value(depth)
}

// expr makes an expression.
func (g grammar) expr(depth int) string {
	if depth <= 0 {
		return g.leaf()
	}
	d := depth - 1
	switch g.IntN(14) {
	case 0, 1:
		return g.number(d)
	case 2, 3:
		return g.text(d)
	case 4:
		return g.test(d)
	case 5, 6:
		return g.list(d)
	case 7:
		return g.object(d)
	case 8, 9:
		return g.path(depth)
	case 10:
		return g.statements(d)
	case 11:
		return g.odd(d)
	case 12:
		return "(" + g.test(d) + " ? " + g.expr(d) + g.pick("", " : "+g.expr(d)) + ")"
	}
	return g.apply(d)
}

func (g grammar) leaf() string {
	return g.pick("1", "2", "0", "-1", "1.5", bigDigits, `"x"`, `"b"`, `""`, `"a😀b"`, "true", "false", "null", "a", "b", "c", "n", "t", "$", "$$", "$v", "$w", "$f", "a.b", "b.n", "c[0]", "n[-1]", "*", "a.*", "**.n", "[]", "{}", "nothing")
}

// some makes what is mostly what of makes, and else anything.
func (g grammar) some(of func(int) string, depth int) string {
	if depth <= 0 && g.IntN(3) == 0 || g.IntN(12) == 0 {
		return g.leaf()
	}
	if depth > 0 && g.IntN(14) == 0 {
		return g.expr(depth - 1)
	}
	return of(depth)
}

func (g grammar) number(depth int) string {
	if depth <= 0 {
		return g.pick("0", "1", "2", "3", "7", "-2", "2.5", "1e2", "n", "b.n", "$v", "12345.678")
	}
	num, text, list := func() string { return g.some(g.number, depth-1) }, func() string { return g.some(g.text, depth-1) }, func() string { return g.some(g.list, depth-1) }
	switch g.IntN(13) {
	case 0, 1, 2:
		return g.group(num() + " " + g.pick("+", "-", "*", "/", "%") + " " + num())
	case 3:
		return "-" + g.pick("n", "b.n", "1", "$v", "("+num()+")")
	case 4:
		return g.pick("$abs", "$floor", "$ceil", "$sqrt", "$round") + "(" + num() + ")"
	case 5:
		return "$round(" + num() + ", " + g.pick("1", "0", "-1", "2") + ")"
	case 6:
		return "$power(" + num() + ", " + g.pick("2", "3", "0", "-1", "0.5") + ")"
	case 7, 8:
		return g.pick("$sum", "$count", "$max", "$min", "$average") + "(" + list() + ")"
	case 9:
		return "$length(" + text() + ")"
	case 10:
		return "$number(" + g.pick(`"12"`, `"0x1F"`, `"1e3"`, `" 1"`, `"-0"`, `"0b11"`, text(), num()) + ")"
	case 11:
		return "$parseInteger(" + g.pick(`"12", "0"`, `"1,234", "#,##0"`, `"twelve", "w"`, `"XIV", "I"`, `"ab", "a"`, `"twenty-first", "w;o"`, "$formatInteger("+num()+`, "w"), "w"`, "$formatInteger("+num()+`, "I"), "I"`) + ")"
	}
	return "$toMillis(" + g.pick(`"1970-01-01"`, `"2024-02-29T12:30:45.123Z"`, `"2024-02"`, `"2024-W10"`, `"29/02/2024", "[D]/[M]/[Y]"`, `"2024-03-01T10:00:00+05:30"`,
		`"Tuesday, 3rd March 2020", "[FNn], [D1o] [MNn] [Y]"`, `"12:34 pm 2001-02-03", "[h]:[m] [P] [Y]-[M]-[D]"`, `"2020-060", "[Y]-[d001]"`, `"Jan", "[MN]"`, `"MARCH 2020", "[MN] [Y]"`, `"wednesday, 4 march 2020", "[FNn], [D] [MNn] [Y]"`, `"Foo 2020", "[MNn] [Y]"`, `"Sept 2020", "[MNn,3-3] [Y]"`, `"1:02 Am 2001-02-03", "[h]:[m] [P] [Y]-[M]-[D]"`, `"one 2 2001", "[M] [D] [Y]"`, `"2020-01-01 -05:30", "[Y]-[M]-[D] [Z]"`, `"2020-01-01 +0530", "[Y]-[M]-[D] [Z0001]"`, text()) + ")"
}

// picture makes a picture of pieces, in quotes.
func (g grammar) picture(of ...string) string {
	var b strings.Builder
	for range 1 + g.IntN(6) {
		b.WriteString(g.pick(of...))
	}
	return `"` + b.String() + `"`
}

// group puts an operator in parentheses, mostly.
func (g grammar) group(x string) string {
	if g.IntN(6) == 0 {
		return x
	}
	return "(" + x + ")"
}

func (g grammar) text(depth int) string {
	if depth <= 0 {
		return g.pick(`"\ud83d\ude00x"`, `"x"`, `"b"`, `""`, `"a b"`, `"é😀z"`, `"one,two"`, `'q"q'`, "t", "b.t", `"x1y22"`, `"\u00e9"`)
	}
	text, num, any := func() string { return g.some(g.text, depth-1) }, func() string { return g.some(g.number, depth-1) }, func() string { return g.expr(depth - 1) }
	switch g.IntN(15) {
	case 0, 1:
		return g.group(text() + " & " + any())
	case 2:
		return g.pick("$uppercase", "$lowercase", "$trim", "$base64encode", "$encodeUrlComponent", "$encodeUrl") + "(" + text() + ")"
	case 3:
		return "$string(" + any() + g.pick("", "", ", true") + ")"
	case 14:
		return "$join($split(" + text() + `, ""))`
	case 4:
		return "$substring(" + text() + ", " + g.pick("0", "1", "-1", "-2", "1.5", num()) + g.pick("", ", 1", ", 2", ", "+num()) + ")"
	case 5:
		return g.pick("$substringBefore", "$substringAfter") + "(" + text() + ", " + g.pick(`"x"`, `""`, `" "`, text()) + ")"
	case 6:
		return "$pad(" + text() + ", " + g.pick("3", "-4", "0", num()) + g.pick("", `, "#"`, `, "ab"`, `, "😀-"`, `, ""`) + ")"
	case 7:
		return "$replace(" + text() + ", " + g.pick(`"x"`, `" "`, g.regex(), g.regex()) + ", " + g.pick(`"z"`, `"$1$0"`, `"[$0]"`, `"$$"`, `"$12$"`, "function($m) { $uppercase($m.match) & $count($m.groups) }", g.function(depth-1, "$m"), text()) + g.pick("", "", ", 1", ", 0") + ")"
	case 8:
		return "$join(" + g.some(g.list, depth-1) + g.pick("", `, "-"`, ", "+text()) + ")"
	case 9:
		if g.pick("", "e") == "e" { // of a literal: jsonata-js does not end for an exponent of an infinity
			return "$formatNumber(" + g.pick("0", "12345.678", "-1e-7", "0.5") + ", " + g.pick(`"##0.0e0"`, `"0e00"`, g.picture("#", "0", "0", ",", ".", "e", "e", ";", "x", "9")) + ")"
		}
		return "$formatNumber(" + num() + ", " + g.pick(`"#,##0.00"`, `"0.0%"`, `"0‰"`, `"#;(#)"`, `"00.0#"`, `"#.##"`, `"0,00,0"`, `"a0b"`, `"#0.00;neg#0"`, `"¤0", {"zero-digit": "0"}`, g.picture("#", "0", "0", ",", ".", ";", "%", "-", "x", "¤", "9", "‰"), `"#.##0,00", {"decimal-separator": ",", "grouping-separator": "."}`) + ")"
	case 10:
		return "$formatInteger(" + num() + ", " + g.pick(`"0"`, `"#,##0"`, `"w"`, `"W"`, `"Ww"`, `"I"`, `"i"`, `"A"`, `"a"`, `"1;o"`, `"w;o"`, `"٠"`, `"001"`, `"#:##0"`, g.picture("#", "0", "0", ",", ".", ";o", "1", "9", "x", "٠", "w", "I", "a", ";"), text()) + ")"
	case 11:
		return "$formatBase(" + num() + g.pick("", ", 2", ", 16", ", 36", ", "+num()) + ")"
	case 12:
		return "$fromMillis(" + g.pick("0", "1521801216617", "-1", "951782400000", num()) + g.pick("", `, "[Y0001]-[M01]-[D01]"`, `, "[FNn], [D1o] [MNn] [YI]"`, `, "[h#1]:[m01]:[s].[f001] [PN]"`, `, "[Y]-[W01]-[F1]"`, `, "[dwo] [DW] [MNn,3-3] [Z]"`,
			`, "[H01][m]", "+0530"`, `, "[H]:[m] [Z] [Z0]", "-05:30"`, `, "[D] [H] [z]", "`+g.pick("UTC", "Z", "Etc/GMT+8", "nonsense", "+02:00", "-0030")+`"`, `, "[D1] [z] [Z01:01t]", "-0800"`, `, "[Xn] [x] [C] [w] [E]"`, `, "[Y,2-2] [[ ]] [y]"`, ", "+g.picture("[Y]", "[M01]", "[MNn]", "[MN]", "[D1o]", "[Dw]", "[H01]", "[h]", "[m]", "[P]", "[FNn]", "[f001]", "[Z]", "[z]", "[d001]", "[x]", "-", " ", "x", "[[", "[YI]", "[MA]", "[D#1]", "[Y,2-2]")) + ")"
	}
	return g.pick("$type", "$base64decode", "$decodeUrlComponent") + "(" + any() + ")"
}

// partial makes the call of a partial application.
func (g grammar) partial(depth int) string {
	name := g.pick("f", "append", "substring", "uppercase", "sort", "single", "map", "reduce", "contains", "split", "join", "power", "formatBase", "pad", "count", "reverse", "zip", "each", "lookup", "round", "type", "keys", "merge", "toMillis")
	var args, rest []string
	for range 1 + g.IntN(3) {
		if g.IntN(3) == 0 {
			args = append(args, g.expr(depth))
		} else {
			args = append(args, "?")
		}
	}
	for range g.IntN(3) {
		rest = append(rest, g.expr(depth))
	}
	return "$" + name + "(" + strings.Join(append(args, "?"), ", ") + ")(" + strings.Join(rest, ", ") + ")"
}

func (g grammar) regex() string {
	return "/" + g.pick("[a-y]", "x", "(x)|y", `\d+`, `(\w)(\d)?`, "^.", ".$", `\s`, "[^a-m]+", "(?:x|y)+?", "(a)(b)?", `\u00e9`, "z*", g.pick(`\ud83d`, "😀", `[\ude00-\uffff]`, "[a-😀]", "[^😀]", ".(?=.)", "(?<=.).", "(.)\\1", "😀+")) + "/" + g.pick("", "", "i", "m")
}

func (g grammar) test(depth int) string {
	if depth <= 0 {
		return g.pick("true", "false", "n", "a", "n > 1", `t = "x"`, "$exists(b)", "$v")
	}
	num, text, any := func() string { return g.some(g.number, depth-1) }, func() string { return g.some(g.text, depth-1) }, func() string { return g.expr(depth - 1) }
	switch g.IntN(9) {
	case 0:
		return g.group(num() + g.pick(" < ", " <= ", " > ", " >= ") + num())
	case 1:
		return g.group(text() + g.pick(" < ", " <= ", " > ", " >= ") + text())
	case 2:
		return g.group(any() + g.pick(" = ", " != ") + any())
	case 3, 4:
		return g.group(g.test(depth-1) + g.pick(" and ", " or ") + g.some(g.test, depth-1))
	case 5:
		return g.group(any() + " in " + g.some(g.list, depth-1))
	case 6:
		return "$contains(" + text() + ", " + g.pick(text(), g.regex()) + ")"
	case 7:
		return g.pick("$not", "$boolean", "$exists") + "(" + any() + ")"
	}
	return g.group("$type(" + any() + `) = "` + g.pick("string", "array", "object", "null", "number") + `"`)
}
