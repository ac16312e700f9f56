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

// leastGiven is how many arguments a function needs, without the context that can stand
// for the first.
func leastGiven(b *jsonata.Builtin) int {
	n := b.Required()
	if p := b.Params(); n > 0 && p[0].Context {
		n--
	}
	return n
}

// arity reports a call of a built-in function with more or fewer arguments than it
// takes. given includes what "~>" passes.
func (in *inferrer) arity(b *jsonata.Builtin, call *jsonata.Node, given []*jsonata.Node) {
	params, name := b.Params(), b.Name
	more := len(given) > len(params) && !b.Many()
	if !more && len(given) >= leastGiven(b) {
		return
	}
	takes := strconv.Itoa(len(params))
	if least := b.Required(); least < len(params) {
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
