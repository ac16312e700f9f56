package torture

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// expressionAttack evaluates JSONata that takes or makes much.
func expressionAttack(r *rand.Rand) attack {
	return attack{tool: "evaluate", args: map[string]any{"expression": expression(r, 0)}, limit: evalLimit, counted: true}
}

// expression is well typed, so that most of them are evaluated, but for one in ten.
func expression(r *rand.Rand, depth int) string {
	switch r.IntN(10) {
	case 0:
		return pick(r, strings.Repeat("(", size(r, 20_000))+"1", strings.Repeat("[", size(r, 3000))+"1"+strings.Repeat("]", size(r, 3000)), "a.b.c +", `$sum("x")`)
	case 1, 2, 3:
		return listExpression(r, depth)
	case 4, 5:
		return numberExpression(r, depth)
	}
	return textExpression(r, depth)
}

func listExpression(r *rand.Rand, depth int) string {
	if depth > 3 {
		return pick(r, "[1..100]", `["x", "y"]`)
	}
	sub := func() string { return listExpression(r, depth+1) }
	switch r.IntN(10) {
	case 0:
		return fmt.Sprintf("[1..%d]", size(r, 1_000_000_000))
	case 1:
		return fmt.Sprintf("[1..%d].[1..%d]", size(r, 100_000), size(r, 100_000))
	case 2:
		return fmt.Sprintf("$reduce([1..%d], function($a, $b){$append($a, $a)}, [1])", 2+r.IntN(60))
	case 3:
		return fmt.Sprintf("$sort([1..%d], function($l, $r){$random() > 0.5})", size(r, 1_000_000))
	case 4:
		return "$map(" + sub() + ", function($v){$map(" + sub() + ", function($w){$v})})"
	case 5:
		return "$zip(" + sub() + ", " + sub() + ")"
	case 6:
		return "$distinct(" + sub() + ")"
	case 7:
		return "$reverse($shuffle(" + sub() + "))"
	case 8:
		return "$split(" + textExpression(r, depth+1) + `, "a")`
	}
	return "$append(" + sub() + ", " + sub() + ")"
}

func textExpression(r *rand.Rand, depth int) string {
	if depth > 3 {
		return pick(r, `$pad("", 10000, "ab")`, `"x"`, `"ab"`)
	}
	n := size(r, 1_000_000_000)
	sub := func() string { return textExpression(r, depth+1) }
	switch r.IntN(10) {
	case 0:
		return fmt.Sprintf("$pad(%s, %d)", sub(), n)
	case 1:
		return fmt.Sprintf("$formatInteger(%d, %q)", n, pick(r, "I", "i", "w", "A", "0000"))
	case 2:
		return fmt.Sprintf("$reduce([1..%d], function($a, $b){$a & $a}, \"ab\")", 2+r.IntN(60))
	case 3:
		return "$eval(" + fmt.Sprintf("%q", sub()) + ")"
	case 4:
		return fmt.Sprintf("$replace(%s, /a/, %q)", sub(), strings.Repeat("$0", size(r, 10_000)))
	case 5:
		return "$join(" + listExpression(r, depth+1) + ".$string(), " + sub() + ")"
	case 6:
		return "$string(" + listExpression(r, depth+1) + ")"
	case 7:
		return fmt.Sprintf("$error(%s)", sub())
	case 8:
		return "$uppercase($base64encode(" + sub() + "))"
	}
	return sub() + " & " + sub()
}

func numberExpression(r *rand.Rand, depth int) string {
	n := size(r, 1_000_000_000)
	switch r.IntN(6) {
	case 0:
		return "($f := function($x){$f($x) + $f($x)}; $f(1))"
	case 1:
		return fmt.Sprintf("($f := function($x){$x > %d ? $x : $f($x + 1)}; $f(1))", n)
	case 2:
		return fmt.Sprintf("$count($match($pad(\"\", 20000, \"ab\"), /(a+)+b%s/))", strings.Repeat("(a|ab)*", r.IntN(30)))
	case 3:
		return "$sum($map(" + listExpression(r, depth+1) + ", function($v){$count($string($v))}))"
	case 4:
		return fmt.Sprintf("$power(%d, %d) * 1e300 * 1e300", n, n)
	}
	return "$length(" + textExpression(r, depth+1) + ")"
}

// ruleAttack runs a switch whose rule is deep, wide or reads much.
func ruleAttack(r *rand.Rand) attack {
	rule := rule(r, 0)
	graph := graphOf(`{"type":"object"}`, `{"id":"entry","type":"entry","next":"s"},{"id":"s","type":"switch","conditions":[{"rule":`+rule+`,"next":"exit"}],"next":"exit"},{"id":"exit","type":"exit","result":1}`)
	return attack{tool: "run_graph", args: map[string]any{"graph": graph, "timeout_ms": runLimit.Milliseconds()}, limit: validateLimit + runLimit}
}

// rule keeps the forms of the operators, so that most of them are evaluated.
func rule(r *rand.Rand, depth int) string {
	if depth > 5 {
		return pick(r, "1", `"x"`, `{"var":"$.entry"}`, "null", "1e308")
	}
	sub := func() string { return rule(r, depth+1) }
	list := func() string {
		return pick(r, fmt.Sprintf(`{"var":"[1..%d]"}`, size(r, 10_000_000)), list(size(r, 20_000), strconv.Itoa), `{"merge":[`+sub()+`,`+sub()+`]}`)
	}
	switch r.IntN(9) {
	case 0:
		n := size(r, 150)
		return strings.Repeat(`{"!":[`, n) + "1" + strings.Repeat("]}", n)
	case 1:
		return `{"` + pick(r, "and", "or", "cat", "merge") + `":` + list() + `}`
	case 2:
		return `{"` + pick(r, "map", "filter", "all", "some", "none") + `":[` + list() + `,{"==":[{"var":""},` + sub() + `]}]}`
	case 3:
		return `{"reduce":[` + list() + `,{"+":[{"var":"current"},{"var":"accumulator"}]},0]}`
	case 4:
		return fmt.Sprintf(`{"var":%q}`, numberExpression(r, 2))
	case 5:
		return `{"if":[` + sub() + `,` + sub() + `,` + sub() + `]}`
	case 6:
		return `{"in":[` + sub() + `,` + list() + `]}`
	case 7:
		return pick(r, `{"unknown":[1]}`, `{"+":`+sub()+`}`, strings.Repeat(`{"!":`, size(r, 5000)))
	}
	return `{"` + pick(r, "==", "===", "<", ">=", "!=") + `":[` + sub() + `,` + sub() + `]}`
}
