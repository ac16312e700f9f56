package expr

import (
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// callsBack reports whether the lambda given to a function is evaluated for what it is
// called with: items of the first argument.
func callsBack(b *jsonata.Builtin) bool {
	return b.Callback != jsonata.CallbackNone && b.Callback != jsonata.CallbackField
}

// callback evaluates the lambda of $map, $filter, $single, $sort or $reduce for what it is
// called with.
func (in *inferrer) callback(b *jsonata.Builtin, lambda *jsonata.Node, args []types.Type, ctx types.Type) types.Type {
	list := args[0]
	item := list.Each()
	if b.Callback == jsonata.CallbackReduce {
		return in.reduce(lambda, args, item, ctx)
	}
	given := []types.Type{item, types.Of(types.Integer), types.ArrayOf(item)}
	if b.Callback == jsonata.CallbackPair {
		given = []types.Type{item, item}
	}
	out := in.apply1(lambda, ctx, given)
	switch {
	case b.Callback == jsonata.CallbackPair:
		return sequence(item).Or(list)
	case list.Kinds == types.Undefined:
		return list
	case b.Result == jsonata.ResultItems:
		return sequence(item)
	case b.Result == jsonata.ResultSome:
		return item.Or(list.Limit(types.Undefined))
	}
	return sequenceType(out, list.SureItem())
}

// reduceRounds bounds the rounds to what an accumulator can be.
const reduceRounds = 4

// reduce follows the accumulator of $reduce to a fixed point: it begins as the
// initial value, or as the first item.
func (in *inferrer) reduce(lambda *jsonata.Node, args []types.Type, item, ctx types.Type) types.Type {
	if len(lambda.Args) < 3 {
		in.report(faultAt(lambda, typeArgument, "the function that $reduce takes has two parameters", "write function($sum, $item) { … }"))
	}
	acc := item
	if len(args) > 2 {
		acc = args[2]
	}
	step := func(acc types.Type) types.Type {
		return in.apply1(lambda, ctx, []types.Type{acc, item, types.Of(types.Integer), types.ArrayOf(item)})
	}
	in.quiet++
	for round := 0; ; round++ {
		next := acc.Or(step(acc))
		if next.Equal(acc) {
			break
		}
		if acc = next; round == reduceRounds {
			acc = types.Unknown()
			break
		}
	}
	in.quiet--
	step(acc)
	if len(args) > 2 {
		return acc.Or(args[0].Limit(types.Undefined))
	}
	if args[0].SureItem() {
		return acc
	}
	return acc.With(types.Undefined) // of no items, nothing
}

// A param is what an argument must be, and its words.
type param struct {
	kinds types.Kind
	elem  types.Kind // of an array's items; 0: anything
	words string
}

func newParam(p *jsonata.Param) param {
	kinds := p.Kinds
	if kinds != types.Any {
		kinds &^= types.Undefined
	}
	return param{kinds, p.Items, p.Words()}
}

// takesContext reports whether the context is the first argument of a call: there
// are too few, or they fit only so.
func takesContext(b *jsonata.Builtin, args []types.Type) bool {
	params := b.Params()
	if len(params) == 0 || !params[0].Context || len(args) >= len(params) {
		return false
	}
	if len(args) < b.Required() {
		return true
	}
	for i, a := range args {
		if !a.Has(params[i+1].Kinds | types.Undefined) {
			return false
		}
	}
	return !args[0].Has(params[0].Kinds | types.Undefined)
}
