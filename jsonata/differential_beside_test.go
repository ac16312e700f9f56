package jsonata

// beside makes what is evaluated beside each other, some of it with an error: which of
// several errors counts, and what a variable is, follows from how long each takes.
func (g grammar) beside(depth int) string {
	part := func() string { return g.late(1+g.IntN(3), depth) }
	array := func() string { return "[" + part() + ", " + part() + g.pick("", ", "+part()) + "]" }
	object := func() string {
		return "{" + g.pick(`"k"`, `"k"`, g.late(1, 0)) + ": " + part() + `, "m": ` + part() + "}"
	}
	switch g.IntN(7) {
	case 0:
		return object()
	case 1:
		return g.some(g.list, depth) + g.pick(object(), "{\"k\" & $string(): "+part()+"}", "{t: "+part()+", \"m\" & n: "+part()+"}")
	case 2:
		return "($v := " + g.expr(0) + "; [" + g.bound(depth) + ", " + g.bound(depth) + g.pick("", ", "+g.bound(depth)) + "])"
	case 3:
		return "[" + array() + ", " + g.pick(object(), array(), part()) + "]"
	case 4:
		return "($f := function($x) { " + g.pick(array(), object()) + " }; $f(" + part() + "))"
	}
	return array()
}

// bound is a part that binds a variable, or that reads it late.
func (g grammar) bound(depth int) string {
	name := g.pick("$v", "$v", "$w")
	switch g.IntN(5) {
	case 0:
		return name + " := " + g.wrap(g.pick("1", "n", name+" + 1", `"y"`), depth)
	case 1:
		return `$eval("` + name + ` := 2")`
	case 2:
		return name
	}
	return g.wrap(g.wrap(name, depth), depth)
}

// late makes an expression that fails after a while, mostly.
func (g grammar) late(wraps, depth int) string {
	x := g.pick(`$error("e")`, `(1 + "x")`, `-"x"`, `$sum("x")`, "$f9()", `("a" < 1)`, "{n: 1}", `[1.."x"]`, `$number("y")`, "$assert(false)", "(1 ~> 2)", "n", "a", "1", g.expr(depth))
	for range g.IntN(wraps + 1) {
		x = g.wrap(x, depth)
	}
	return x
}

// wrap puts an expression into another one.
func (g grammar) wrap(x string, depth int) string {
	y := func() string { return g.expr(g.IntN(depth + 1)) }
	list := g.pick("[1, 2]", "[3, 1, 2]", "a", "b", "c", "$")
	fn := g.pick("function($x) { "+x+" }", "function($x, $i) { "+x+" }", "function($x) { ("+x+") }", "function($x) { $x ? "+x+" : 1 }", "function($x) { $string("+x+") }", "function($x)<x:x> { [$x, "+x+"] }")
	switch g.IntN(34) {
	case 0:
		return "(" + y() + "; " + x + ")"
	case 1:
		return g.pick("$map", "$filter", "$single", "$sort") + "(" + list + ", " + fn + ")"
	case 2:
		return list + "[" + x + "]"
	case 3:
		return list + ".(" + x + ")"
	case 4:
		return "a.b.(" + x + ")"
	case 5:
		return "[" + x + "]"
	case 6:
		return `{"k": ` + x + "}"
	case 7:
		return "(" + x + g.pick(" & ", " = ", " + ", " and ", " or ", " in ", " < ", " ?: ", " ?? ", " ~> ") + y() + ")"
	case 8:
		return "(" + y() + g.pick(" & ", " = ", " + ", " and ", " or ", " in ", " < ", " ?: ", " ?? ", " ~> ") + x + ")"
	case 9:
		return "(" + x + " ? " + y() + ")"
	case 10:
		return "(" + g.pick("true", "n", "a") + " ? " + x + " : " + x + ")"
	case 11:
		return "($g := " + fn + "; $g(" + y() + "))"
	case 12:
		return "(" + y() + " ~> " + fn + ")"
	case 13:
		return "(" + y() + " ~> $g9(" + x + "))"
	case 14:
		return list + "^(" + x + ")"
	case 15:
		return g.pick("$string", "$count", "$not", "$exists", "$type", "$keys", "$boolean") + "(" + x + ")"
	case 16:
		return `$replace("abcb", ` + g.regex() + ", " + fn + ")"
	case 17:
		return "$reduce(" + list + ", function($l, $r) { " + x + " })"
	case 18:
		return g.pick("$each", "$sift") + "(" + g.pick("$", "a", `{"p": 1, "q": 2}`) + ", " + fn + ")"
	case 19:
		return "($ ~> |" + g.pick("$", "a", "**") + "|{\"z\": " + x + "}" + g.pick("", ", "+x) + "|)"
	case 20:
		return "[1.." + x + "]"
	case 21:
		return "[" + x + "..3]"
	case 22:
		return "-" + g.pick("("+x+")", "$f9("+x+")")
	case 23:
		return "$append(" + y() + ", " + x + ")"
	case 24:
		return "($match(\"abcab\", " + g.regex() + "); " + x + ")"
	case 25:
		return g.pick("$contains", "$split", "$match") + `("a b c" & $string(` + x + "), " + g.regex() + ")"
	case 26:
		return "($string ~> " + fn + ")(" + y() + ")"
	case 27:
		return "($g := " + fn + "; $map(" + list + ", $g))"
	case 28:
		return "($g := function($k, $x) { $k($x) }; $g(" + fn + ", " + y() + "))"
	case 29:
		return `$eval("` + g.pick("n", "a.b", "[1, 2].($ * 2)", "(1", "-t", "$v", "[-t, 1 + t]") + `") & ` + x
	case 30:
		return "($g := function($x) { " + x + " }(?); $g(1))"
	case 31:
		return list + "@$w.(" + x + ")" + g.pick("", "[0]", "#$i", "^($)")
	case 32:
		return list + "{" + g.pick(`"k"`, `"k" & $string()`, x) + ": " + x + "}"
	}
	return x + g.pick("[0]", "[n > 1]", "", ".a", ".(a)")
}
