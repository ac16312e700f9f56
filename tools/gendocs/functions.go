package main

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// functionsPage lists the functions of expressions, one table for each area.
func functionsPage() string {
	w := newPage("Functions of expressions", "`?` marks an argument that may be left out. Where \"takes `$`\" says yes, the first argument may be left out too: the function then takes the current item, as in `$.orders.items.product.$uppercase()`. "+
		"If an optional argument of the same type follows, a single argument counts as the first: `$formatBase(2)` is `\"2\"`. A call counts at least two steps of the [limits](../expressions.md#limits), and more in proportion to what the last column names. Functions with ⁺ are not in JSONata 2.1.")
	w.line("Tests evaluate all examples. `missing` is a field that is not there. A result such as `D3030` is the code of an error. In the examples of the run, the node `add` has returned 1, 3 and 6.\n")
	w.line("The array that `$map`, `$filter`, `$each`, `$keys`, `$spread`, `$match` or a path returns is the item itself if it has only one, and undefined if it has none: `$keys({\"a\": 1})` is `\"a\"`. Write `[…]` around the expression to get a list in any case.\n")
	var area jsonata.Area
	for _, b := range jsonata.Builtins() {
		if b.Area != area {
			if area != "" {
				w.line("")
			}
			area = b.Area
			w.head(string(area), "returns", "type", "takes `$`", "steps", "examples")
		}
		name := "`$" + b.Name + "(" + b.Args + ")`"
		if b.Own && area != jsonata.AreaRun {
			name += " ⁺"
		}
		doc := b.Doc
		if b.Varies {
			doc += "; the same when a run is resumed or replayed"
		}
		w.row(name, doc, b.Result.String(), yesNo(len(b.Params()) > 0 && b.Params()[0].Context), b.Cost.String(), examples(b.Examples))
	}
	w.line("\n## Operators\n")
	w.head("operator", "returns", "examples")
	for _, o := range jsonata.Operators() {
		w.row("`"+o.Form+"`", o.Doc, examples(o.Examples))
	}
	w.line("\n## Operators of JSON Logic\n")
	w.line("The examples are evaluated over `%s`. Where the text of `var` is an expression, and where a path, is on the page of [expressions](../expressions.md#json-logic).\n", expr.RuleSample)
	w.head("operator", "examples")
	for _, name := range expr.RuleOperators() {
		w.row("`"+name+"`", examples(expr.RuleExamples(name)))
	}
	return w.page()
}

// examples shows each example as code.
func examples(of jsonata.Examples) string { return "`" + strings.Join(of.List(), "` · `") + "`" }
