package expr

import (
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// odd reports whether path n does what is not modelled: bound positions and
// elements, parents.
func (in *inferrer) odd(n *jsonata.Node) bool {
	return in.ast.Parents || slices.ContainsFunc(n.Args, (*jsonata.Node).Binds)
}

// oddPath evaluates the parts of such a path that do not depend on its steps.
func (in *inferrer) oddPath(n *jsonata.Node) {
	in.quiet++
	defer func() { in.quiet-- }()
	defer in.open(n)()
	in.scope.vars = map[string]types.Type{}
	for _, step := range n.Args {
		for _, v := range []*jsonata.Node{step.Focus, step.Index} {
			if v != nil {
				in.scope.vars[v.Text] = types.Unknown()
			}
		}
		for _, stage := range step.Stages {
			if stage.Kind == jsonata.KindIndex {
				in.scope.vars[stage.Text] = types.Unknown()
			}
		}
	}
	for _, step := range n.Args {
		switch step.Kind {
		case jsonata.KindName, jsonata.KindSort, jsonata.KindParent:
		default:
			in.bare(step, types.Unknown())
		}
		for _, stage := range step.Stages {
			in.unknownContext(stage)
		}
	}
	if n.Group != nil {
		in.unknownContext(n.Group.Args...)
	}
}

// callable reports what is called and is certainly no function.
func (in *inferrer) callable(n *jsonata.Node, s types.Type) {
	if s.Only(types.Undefined) || s.Kinds == 0 || s.Has(types.Function) {
		return
	}
	in.report(faultAt(n, typeOperand, "only a function can be called, not "+article(s.Without(types.Undefined).String()), "a function of JSONata begins with $: $uppercase(…), or value ~> $uppercase"))
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
	if takes += " arguments"; takes == "1 arguments" {
		takes = "one argument"
	}
	e := faultAt(call, typeArgument, "$"+name+" takes "+takes+", not "+strconv.Itoa(len(given)), "add the missing arguments")
	switch {
	case more:
		extra := given[len(params)]
		e.Start, e.End, e.Hint = extra.Start, given[len(given)-1].End, "remove the extra arguments"
	case len(given) == 0:
		e.Hint = "add the value that it works on"
	}
	in.report(e)
}
