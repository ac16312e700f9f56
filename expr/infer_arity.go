package expr

import (
	"strconv"

	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// callable reports what is called and is certainly no function.
func (in *inferrer) callable(n *jsonata.Node, s types.Type) {
	if s.Only(types.Undefined) || s.Kinds == 0 || s.Has(types.Function) {
		return
	}
	in.report(&jsonata.Error{
		Code: typeOperand, Message: "only a function can be called, not " + article(s.Without(types.Undefined).String()),
		Hint: "a function of JSONata begins with $: $uppercase(…), or value ~> $uppercase", Start: n.Start, End: n.End,
	})
}

// refusesMore are the functions that fail on arguments beyond those they take; the
// others ignore them.
var refusesMore = map[string]bool{
	"assert": true, "average": true, "boolean": true, "count": true, "error": true, "exists": true, "length": true, "lowercase": true,
	"max": true, "min": true, "number": true, "string": true, "substring": true, "substringAfter": true, "substringBefore": true,
	"sum": true, "uppercase": true,
}

// forgiving are the functions that give nothing where they get too little.
var forgiving = map[string]bool{"count": true, "distinct": true, "merge": true, "reverse": true, "shuffle": true, "sift": true, "single": true, "sort": true, "type": true, "zip": true}

// leastGiven is with how many arguments a function begins to work, the context
// counted where it takes it.
func leastGiven(name string, params []param) int {
	n := required(params)
	if n > 0 && params[0].context {
		n--
	}
	switch name {
	case "map", "filter", "reduce":
		return 1 // over the context
	}
	if forgiving[name] {
		return 0
	}
	return n
}

// arity reports a call of a built-in function with more or fewer arguments than it
// takes. given includes what "~>" passes.
func (in *inferrer) arity(name string, call *jsonata.Node, given []*jsonata.Node, shapes []types.Type) {
	params, _ := signatureOf(name)
	more := len(given) > len(params) && refusesMore[name]
	idle := (name == "map" || name == "filter") && len(given) == 1 && !shapes[0].Has(types.Function|types.Undefined)
	if !more && !idle && len(given) >= leastGiven(name, params) {
		return
	}
	takes := strconv.Itoa(len(params))
	if least := required(params); least < len(params) {
		takes = strconv.Itoa(least) + " to " + takes
	}
	e := &jsonata.Error{Code: typeArgument, Message: "$" + name + " takes " + takes + " arguments, not " + strconv.Itoa(len(given)), Start: call.Start, End: call.End}
	if takes == "1" {
		e.Message = "$" + name + " takes one argument, not " + strconv.Itoa(len(given))
	}
	switch {
	case more:
		extra := given[len(params)]
		e.Start, e.End, e.Hint = extra.Start, given[len(given)-1].End, "remove the extra arguments"
	case len(given) > 0:
		e.Hint = "add the missing arguments"
	default:
		e.Hint = "add the value that it works on"
	}
	in.report(e)
}
