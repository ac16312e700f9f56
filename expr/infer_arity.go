package expr

import "strconv"

// callable reports what is called and is certainly no function.
func (in *inferrer) callable(n *Node, s Shape) {
	if s.Kinds == 0 || s.Has(ShapeFunction|ShapeUndefined) {
		return
	}
	in.report(&Error{
		Code: typeOperand, Message: "only a function can be called, not " + article(s.String()),
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

// needsAll are the functions that fail without all they need, and do not take the
// context for it.
var needsAll = map[string]bool{"append": true, "average": true, "exists": true, "join": true, "max": true, "min": true, "sum": true}

// arity reports a call of a built-in function with more or fewer arguments than it
// takes. given includes what "~>" passes.
func (in *inferrer) arity(name string, call *Node, given []*Node) {
	params, _ := signatureOf(builtins[name])
	takes := strconv.Itoa(len(params))
	if least := required(params); least < len(params) {
		takes = strconv.Itoa(least) + " to " + takes
	}
	e := &Error{Code: typeArgument, Message: "$" + name + " takes " + takes + " arguments, not " + strconv.Itoa(len(given)), Start: call.Start, End: call.End}
	if takes == "1" {
		e.Message = "$" + name + " takes one argument, not " + strconv.Itoa(len(given))
	}
	switch {
	case len(given) > len(params) && refusesMore[name]:
		extra := given[len(params)]
		e.Start, e.End, e.Hint = extra.Start, given[len(given)-1].End, "remove what is too many"
	case len(given) < required(params) && needsAll[name]:
		e.Hint = "give it what it works on"
	default:
		return
	}
	in.report(e)
}
