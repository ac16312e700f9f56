package expr

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
)

// focusCalls are calls without the argument that the context can stand for, by
// context; and such with it, which the context must not change.
var focusCalls = []struct{ contexts, calls string }{
	{`("a,b") | s | strings | (strings)[0] | none`, `
		$string() $substring(1) $substring(0, 1) $substring("xyz", 1) $substring("xyz", 1, 1) $substringBefore(",") $substringAfter(",") $substringBefore("x,y", ",")
		$lowercase() $uppercase() $length() $trim() $pad(5) $pad(-5, "#") $pad("x", 3) $match(/,/) $match("x,", /,/) $match(/[a-z]/, 1) $contains(",") $contains(/b/)
		$contains("x", ",") $replace(",", "-") $replace(/[ab]/, "x") $replace("b", "c", 1) $replace("x,y", ",", "") $split(",") $split(/,/) $split(",", 1) $split("x,y", ",")
		$base64encode() $encodeUrlComponent() $encodeUrl() $decodeUrl() $decodeUrlComponent() $boolean() $not() $keys() $spread()
		$length("abc") $uppercase("abc") $trim(" x ") $string(1) $number() $eval("$") $each(function($v) { $v }) $abs() $substring() $split() $contains() $pad() $replace(",")
		$uppercase(none) $substring(none, 1) $split(none, ",") $contains(none, ",")`},
	{`("12")`, `$number() $parseInteger("0") $lookup("a")`},
	{`("MMXX")`, `$parseInteger("I")`},
	{`("YSxi")`, `$base64decode()`},
	{`("2020-01-02T03:04:05.000Z")`, `$toMillis() $toMillis("2020-01-02T03:04:05.000Z")`},
	{`12.5 | n | numbers | -3 | 4`, `
		$string() $number() $floor() $ceil() $round() $round(1) $round(1.26, 1) $abs() $sqrt() $sqrt(4) $power(2) $power(2, 3) $formatNumber("#0.00") $formatNumber(7, "#0.00") $formatNumber("#0,0", {"decimal-separator": ","})
		$formatBase() $formatBase(2) $formatBase(5, 2) $formatInteger("w") $formatInteger("000") $formatInteger(7, "w") $fromMillis() $fromMillis(0, "[Y]") $boolean() $not() $uppercase() $split(",") $floor(1.5) $abs(-1)`},
	{`o | objects`, `
		$keys() $spread() $lookup("a") $lookup({"a": 9}, "a") $each(function($v, $k) { $k & $v }) $each({"z": 9}, function($v, $k) { $k & $v }) $sift(function($v) { $v > 1 }) $sift({"z": 9}, function($v) { $v > 1 })
		$string() $boolean() $not() $uppercase() $keys({"q": 1}) $clone() $floor()`},
	{`true | null | $uppercase`, `$string() $boolean() $not() $number() $keys() $spread() $type($) $length() $lookup("a") $substringBefore("a")`},
}

const focusContext = `{"s":"x,y","strings":["a,b","c,d,e"],"n":7,"numbers":[1.5,2.5],"o":{"a":1,"b":2},"objects":[{"a":1},{"a":2,"b":3}]}`

// focusSources are the calls in every place that has a context of its own.
func focusSources() (sources []string) {
	for _, group := range focusCalls {
		for context := range strings.SplitSeq(group.contexts, "|") {
			context = strings.TrimSpace(context)
			for _, call := range splitCalls(group.calls) {
				name, given, _ := strings.Cut(call, "(")
				sources = append(sources,
					context+"."+call, context+`.{"r": `+call+`}`, context+".("+call+")", "("+context+")[("+call+") = "+context+"]",
					context+".["+call+"]", context+".(true ? "+call+")", context+".($f := "+name+"; $f("+given+")",
				)
			}
		}
	}
	return sources
}

// splitCalls splits at the blanks that are in no brackets and no quotes.
func splitCalls(text string) []string {
	depth, quoted := 0, false
	return strings.FieldsFunc(text, func(r rune) bool {
		switch {
		case r == '"':
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("({", r):
			depth++
		case strings.ContainsRune(")}", r):
			depth--
		}
		return depth == 0 && !quoted && strings.ContainsRune(" \t\n", r)
	})
}

// The context stands for an argument where it does in the reference.
func TestFocus(t *testing.T) {
	sources := focusSources()
	for i, want := range askReference(t, focusContext, sources) {
		c := conformance.Case{Expr: sources[i], Data: json.RawMessage(focusContext), HasData: true, Bindings: json.RawMessage(`{}`), Kind: want.Kind, Result: json.RawMessage(want.Result), Code: want.Error}
		got := ask(t, c)
		if strings.HasPrefix(got.Error, "function-result") || strings.HasPrefix(sources[i], "(none)[") {
			continue // functions cannot be results here; a predicate of nothing is not evaluated
		}
		if d := differs(c, got); d != "" {
			t.Errorf("%s\n\t%s", sources[i], d)
		}
	}
}
