package jsonata

import "strings"

func (g grammar) list(depth int) string {
	if depth <= 0 {
		return g.pick("a", "b", "c", "[]", "[1, 2]", "[1..3]", `["x", "yy"]`, "c[]", "**", "[a, b]", "$v")
	}
	list, any, fn := func() string { return g.some(g.list, depth-1) }, func() string { return g.expr(depth - 1) }, func(params ...string) string { return g.function(depth-1, params...) }
	switch g.IntN(15) {
	case 0, 1:
		return "[" + any() + g.pick("", ", "+any(), ", "+any()+", [1]") + "]"
	case 2:
		return "[" + g.pick("0", "1", "-1", "n") + ".." + g.pick("2", "3", "n", g.some(g.number, depth-1)+" % 9") + "]"
	case 3:
		return "$map(" + list() + ", " + fn("$x", "$i", "$all") + ")"
	case 4:
		return "$filter(" + list() + ", " + fn("$x", "$i", "$all") + ")"
	case 5:
		return "$sort(" + list() + g.pick("", ", function($l, $r) { $l > $r }", ", function($l, $r) { $l.n < $r.n }") + ")"
	case 6:
		return g.pick("$reverse", "$distinct", "$keys", "$spread", "$zip", "$append") + "(" + list() + g.pick("", ", "+list()) + ")"
	case 7:
		return "$append(" + any() + ", " + list() + ")"
	case 8:
		return "$zip(" + list() + ", " + list() + ")"
	case 9:
		return "$split(" + g.some(g.text, depth-1) + ", " + g.pick(`","`, `""`, `" "`, g.regex()) + g.pick("", "", ", 1", ", 2", ", 1.5") + ")"
	case 10:
		return "$match(" + g.some(g.text, depth-1) + ", " + g.regex() + g.pick("", "", ", 1") + ")" + g.pick("", ".match", ".groups")
	case 11:
		return "$each(" + g.some(g.object, depth-1) + ", " + fn("$x", "$k") + ")"
	case 12:
		return list() + "^(" + g.pick("<", ">", "") + g.pick("$", "n", "t", "$string()", "n, >t") + ")"
	case 13:
		return list() + "[" + any() + "]" + g.pick("", "[]", "[0]")
	}
	return "(" + list() + ")." + g.pick("($)", "[$]", "{\"k\": $}", "n", "$string()", "*", "("+any()+")")
}

func (g grammar) object(depth int) string {
	if depth <= 0 {
		return g.pick("{}", "a", "b", `{"k": n}`, `{"n": 1, "t": "x"}`, "$", "$v")
	}
	any, obj := func() string { return g.expr(depth - 1) }, func() string { return g.some(g.object, depth-1) }
	switch g.IntN(7) {
	case 0, 1:
		return "{" + g.pick(`"k"`, `"k" & n`, "t", `"n"`) + ": " + any() + g.pick("", `, "m": `+any()) + "}"
	case 2:
		return "$merge(" + g.pick("["+obj()+", "+obj()+"]", any()) + ")"
	case 3:
		return "$sift(" + obj() + ", " + g.function(depth-1, "$x", "$k") + ")"
	case 4:
		return g.some(g.list, depth-1) + "{" + g.pick("t", `"k" & n`, `"k"`, `"k" & $string(t)`, "$type($)") + ": " + any() + g.pick("", `, "m" & t: `+any()) + "}"
	case 5:
		return "(" + obj() + " ~> " + g.transform(depth-1) + ")"
	}
	return "$lookup(" + obj() + ", " + g.pick(`"a"`, `"n"`, g.some(g.text, depth-1)) + ")"
}

func (g grammar) transform(depth int) string {
	return "|" + g.pick("$", "a", "b", "**", "*", "a.b", "c[0]") + "|" + g.pick(`{"z": `+g.expr(depth)+"}", g.some(g.object, depth), g.expr(depth)) + g.pick("", `, "a"`, `, ["n", "t"]`, ", "+g.expr(depth)) + "|"
}

// function makes a function: one that is written, a native or a partial one.
func (g grammar) function(depth int, params ...string) string {
	switch g.IntN(9) {
	case 0:
		return g.pick("$string", "$uppercase", "$sum", "$type", "$boolean", "$count", "$not", "$length", "$keys", "$f", "$substring", "$append")
	case 1:
		return g.pick("$append(?, "+g.expr(depth-1)+")", "$substring(?, 1)", "$f(?, 1)", `$join(?, "-")`, "$power(?, 2)", "$f(?)")
	case 2:
		return "(" + g.function(depth-1, params...) + " ~> " + g.function(depth-1, params...) + ")"
	}
	signature := ""
	n := g.IntN(len(params) + 1)
	if n == 1 && g.IntN(4) == 0 {
		signature = g.pick("<n>", "<s-:s>", "<x>", "<n?:n>", "<a<n>>", "<j>", "<(sn)>", "<o>")
	}
	body := g.pick(g.expr(depth), "$x", g.pick("$x + 1", "$x > 1", "$x & $x", "$x.n", "$i", "$k", "$f($x)"))
	return g.pick("function", "function", "λ") + "(" + strings.Join(params[:n], ", ") + ")" + signature + "{ " + body + " }"
}

// statements makes a block that binds variables.
func (g grammar) statements(depth int) string {
	x := func() string { return g.expr(g.IntN(depth + 1)) }
	switch g.IntN(6) {
	case 0:
		return "(" + x() + ")" + g.pick("", "[0]", "[-1]", "[n > 1]", "[]", "."+g.pick("a", "b", "n", "{\"k\": $}", "($)", "[$]", "*"))
	case 1:
		return "($f := " + g.function(depth, "$x", "$i") + "; " + g.pick("$f("+x()+")", "$f("+x()+", "+x()+")", x(), "$map("+x()+", $f)", x()+".$f($)", x()+" ~> $f") + ")"
	case 2:
		return "($f := function($x) { $x <= 0 ? " + x() + " : " + g.pick("$f($x - 1)", "1 + $f($x - 1)", "[$f($x - 1), $x]", "($f($x - 1))") + " }; $f(" + g.pick("3", "n", "2.5") + "))"
	case 3:
		return "(" + g.pick("$v", "$w") + " := " + x() + "; " + x() + ")"
	}
	return "($v := " + x() + "; $w := " + x() + "; " + x() + ")"
}

// odd makes what is written seldom.
func (g grammar) odd(depth int) string {
	x := func() string { return g.expr(depth) }
	switch g.IntN(13) {
	case 12:
		return g.partial(depth - 1)
	case 11:
		return g.kept(depth)
	case 10:
		return g.pick("$contains("+g.some(g.text, depth)+", "+g.regex()+")", "$match("+g.some(g.text, depth)+", "+g.regex()+", 2)", "$split("+g.some(g.text, depth)+", "+g.regex()+g.pick(", 2", ", 3")+")", "$replace("+g.some(g.text, depth)+", "+g.regex()+`, "-", `+g.pick("1", "2")+")", g.regex()+"("+x()+")", x()) +
			g.pick(" ?: ", " ?? ") + x()
	case 9: // functions as arguments
		f := func() string { return g.pick("$f", "$g", "$sum", "$string", g.function(depth-1, "$x", "$i")) }
		body := g.pick("$f = "+f(), "$f(?, 1)", "a.$f()", "[$f, "+f()+"] ~> $distinct", "$map("+x()+", $f)", "$f(?)("+x()+")", `$replace("x", "x", $f)`, "$f ~> "+f(), x())
		return "($g := function($f" + g.pick("", ", $x") + ") { " + g.pick(body, "("+body+")") + " }; $g(" + f() + g.pick("", ", "+f()) + "))"
	case 0:
		return g.group(x() + " ?? " + x())
	case 1:
		return g.group(x() + " ?: " + x())
	case 2:
		return "$eval(" + g.pick(`"a"`, `"n + 1"`, `"[1,2].($ * 2)"`, `"$sum(**.n)"`, `"$v"`, `"(1"`, `"$string()"`, `"$uppercase(1)"`, `"$v := n"`, `"($v := n; $v)"`, `"$w := $v"`, g.some(g.text, depth)) + g.pick("", ", "+x()) + ")"
	case 3:
		return "$reduce(" + g.some(g.list, depth) + ", function($l, $r" + g.pick("", ", $i", ", $i, $all") + ") { " + g.pick("$l + $r", "$l & $r", "$append($l, $r)", x()) + " }" + g.pick("", ", "+x()) + ")"
	case 4:
		return "$single(" + g.some(g.list, depth) + g.pick("", ", "+g.function(depth, "$x", "$i")) + ")"
	case 5:
		return g.pick("$error("+x()+")", "$assert("+g.some(g.test, depth)+`, "no")`)
	case 6:
		return x() + " " + g.pick("+", "-", "*", "/", "%", "&", "=", "!=", "<", "<=", ">", ">=", "and", "or", "in", "~>", "??", "?:") + " " + x()
	case 7:
		return g.pick("$sum", "$count", "$string", "$number", "$boolean", "$keys", "$spread", "$merge", "$reverse", "$distinct", "$exists", "$type", "$length", "$uppercase", "$trim", "$abs", "$zip", "$each", "$sift") + "(" + g.pick(x(), "", x()+", "+x()) + ")"
	}
	return "$clone(" + g.some(g.object, depth) + ")"
}

// apply makes a chain of functions.
func (g grammar) apply(depth int) string {
	x := g.expr(g.IntN(depth + 1))
	return x + " ~> " + g.pick("$sum", "$count", "$string", "$uppercase()", "$append("+g.expr(depth-1)+")", "$substring(?, 1)", g.function(depth, "$x"), "$trim ~> $length", "$string(){\"k\": 1}", "$append(1)[0]",
		"$map("+g.function(depth, "$x", "$i")+")", "$filter("+g.function(depth, "$x", "$i")+")", g.transform(depth), g.regex(), "($string ~> $length)")
}

// kept makes what keeps an array with [], and then looks for what that leaves in it.
func (g grammar) kept(depth int) string {
	array := g.pick("a", "b", "c", "a[0]", "b[0]", "a.b", "c[0]", "a[1]", "$v", "$v[0]", "**[0]", "*[0]", g.list(depth-1))
	return "($v := " + g.list(depth-1) + "; " + array + g.pick("[]", "[][0]", "[].a", "[].b", "[].n", "[0][]", ".b[]") +
		"; " + g.pick("a", "b", "c", "$v", "a.b", "[[a], b]", "$", array) + g.pick(".*", ".*.*", "[*]", "^(*)", `.$eval("*")`, `.$keys()`, ".*[]", "[0].*") + ")"
}

// path makes a path with what can qualify its steps.
func (g grammar) path(depth int) string {
	var b strings.Builder
	b.WriteString(g.pick("a", "b", "c", "$", "$$", "*", "**", "[a, b]", "[*]", "[$]", "(a)", "$v", "(a; b)", "`n`", "\"a\"", "a.b"))
	steps := 1 + g.IntN(4)
	for i := range steps {
		if i > 0 {
			b.WriteString("." + g.pick("a", "b", "c", "n", "t", "*", "$", "{\"k\": n}", "[n, t]", "(n)", "$string()", "%", "%.n", "(b; n)", "$sum(n)", "%.%.t", "{\"p\": %.n, \"v\": $v}", "(%.n + 1)", "[$w, $v]", "$v", "$w",
				"("+g.expr(g.IntN(depth))+")", "$f($)", "`b`", "\"n\"", "**", "function($x){ $x }", "[%]"))
		}
		for range 1 + g.IntN(2) {
			switch g.IntN(13) {
			case 0:
				b.WriteString("[" + g.expr(g.IntN(depth)) + "]")
			case 1:
				b.WriteString("[]")
			case 2:
				b.WriteString("^(" + g.pick("n", ">n", "t, n", "$", "%.n", "$v.n", ">$w") + ")" + g.pick("", "", "", "[0]", "[v.n = 1]", "[w]", "[$v.n > 1]", "^(v.n)", "[`@`.n = 1]"))
			case 3:
				b.WriteString("@" + g.pick("$v", "$w"))
			case 4:
				b.WriteString("#" + g.pick("$w", "$i"))
			case 5:
				b.WriteString("[" + g.pick("n = $v.n", "$w > 0", "%.n > 1", "$i = 0", "t", "0", "-1", "[0, 1]", "[0..1]") + "]")
			case 6:
				if i == steps-1 {
					b.WriteString("{" + g.pick("t", `"k" & n`, `"k"`, `"k" & $w`) + ": " + g.pick(g.expr(g.IntN(depth)), "$v", "$w", "%.n") + g.pick("", "", `, "z": n`, `, "z": `+g.expr(g.IntN(depth))) + "}")
				}
			}
		}
	}
	return b.String()
}
