package expr

import (
	"maps"
	"slices"

	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// array evaluates an array constructor, which flattens its items one level,
// except for arrays constructed in place.
func (in *inferrer) array(n *jsonata.Node, ctx types.Type) types.Type {
	elem := types.Type{}
	var some []types.Type
	full := false
	for _, item := range n.Args {
		if item.Kind == jsonata.KindRange {
			for _, end := range item.Args {
				in.operand(end, in.value(end, ctx), types.Integer|types.Fraction, `".." takes integers`)
			}
			elem = elem.With(types.Integer)
			continue
		}
		s := in.value(item, ctx)
		if s.Only(types.Object) { // for $merge
			if in.shapes == nil {
				in.shapes = map[*jsonata.Node]types.Type{}
			}
			in.shapes[item] = s
		}
		if !item.Bare(jsonata.KindArray) {
			elem = elem.Or(s.Without(types.Undefined | types.Array)).Or(s.Items())
		}
		if item.Kind == jsonata.KindArray {
			elem = elem.Or(s.Without(types.Undefined))
		}
		if !s.Has(types.Array) {
			some = append(some, s)
		}
		full = full || s.SureItem() && s.Kinds != 0
	}
	s := types.ArrayWith(elem, some).Bound()
	s.NonEmpty = full
	return s
}

// object evaluates an object constructor.
func (in *inferrer) object(n *jsonata.Node, ctx types.Type) types.Type {
	if ctx.Has(types.Array) { // it is evaluated over the items
		ctx = types.Unknown()
		defer in.elsewhere()()
	}
	return in.pairs(n, ctx, ctx)
}

// group evaluates "{…}" after a value: the keys for each item, the values for
// the items of a key together.
func (in *inferrer) group(n *jsonata.Node, s types.Type) types.Type {
	defer in.elsewhere()()
	item := s.Without(types.Array).Or(s.Items())
	out := in.pairs(n, item, item.Or(types.ArrayOf(item)))
	if s.Has(types.Array) { // over an empty one, the evaluator makes an empty object
		for i := range out.Fields {
			out.Fields[i].Optional = true
		}
	}
	return out.Or(s.Limit(types.Undefined)) // of nothing, an object by the reference, nothing by the evaluator
}

// pairs evaluates keys in the context of one item, and values in that of all items
// of a key.
func (in *inferrer) pairs(n *jsonata.Node, each, ctx types.Type) types.Type {
	strict := true
	fields := map[string]types.Field{}
	for i := 0; i < len(n.Args); i += 2 {
		key := n.Args[i]
		name := in.value(key, each)
		s := in.value(n.Args[i+1], ctx)
		in.operand(key, name, types.String, "a key is a string")
		f := types.Field{Name: key.Text, Type: s.Without(types.Undefined), Optional: s.Has(types.Undefined), OnlyPastEnd: s.OnlyPastEnd}
		if s.Kinds == types.Undefined {
			continue
		}
		if !key.Bare(jsonata.KindString) {
			strict = false
			continue
		}
		fields[f.Name] = f
	}
	if !strict { // a computed key may be any, so none is certain to keep its value
		clear(fields)
	}
	return types.ObjectOf(strict, slices.Collect(maps.Values(fields))...).Bound()
}

// filter evaluates one predicate over s.
func (in *inferrer) filter(stage *jsonata.Node, s types.Type) types.Type {
	if stage.Kind == jsonata.KindIndex {
		return types.Unknown()
	}
	item := s.Each()
	if s.Kinds&^types.Undefined == 0 {
		item = types.Type{}
	}
	end := in.elsewhere()
	by := in.perhaps(stage, item)
	end()
	if stage.Kind == jsonata.KindNumber && len(stage.Stages) == 0 {
		if (stage.Number == 0 || stage.Number == -1) && s.SureItem() {
			return item
		}
		return item.Or(missed(s))
	}
	if stage.Kind == jsonata.KindVariable && by.IsOpen() {
		return types.Unknown() // a place, or a condition
	}
	if by.Without(types.Undefined).Only(types.Number) { // one place, and not a list of them
		return item.Or(missed(s))
	}
	return sequence(item)
}

// missed is what an index gives of s where it finds nothing.
func missed(s types.Type) types.Type {
	return types.Type{Kinds: types.Undefined, OnlyPastEnd: s.OnlyPastEnd || !s.Has(types.Undefined)}
}

// sequence returns what a sequence of items of a shape becomes: nothing, the
// item itself, or an array.
func sequence(item types.Type) types.Type {
	item = item.Without(types.Undefined)
	if item.Kinds == 0 {
		return types.Of(types.Undefined)
	}
	many := types.ArrayOf(item)
	many.NonEmpty = true
	return item.Or(many).With(types.Undefined)
}

// sequenceType is sequence for what gives one item for each.
func sequenceType(item types.Type, certain bool) types.Type {
	s := sequence(item)
	if certain && item.SureItem() && item.Kinds != 0 {
		s = s.Without(types.Undefined)
	}
	return s
}

// asArray returns what "[]" makes of a value: a sequence of one stays an array.
func asArray(s types.Type) types.Type {
	item := s.Each()
	return types.ArrayOf(item).Or(s.Limit(types.Undefined)).Or(s.Without(types.Undefined))
}
