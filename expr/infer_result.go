package expr

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// resultOf is what a built-in function returns, when it returns.
func (in *inferrer) resultOf(name string, nodes []*jsonata.Node, args []types.Type, result string) types.Type {
	first := types.Type{}
	if len(args) > 0 {
		first = args[0]
	}
	if first.Only(types.Function) { // where the context was meant
		return types.Unknown()
	}
	items := first.Without(types.Array | types.Undefined).Or(first.Items())
	switch name {
	case "count", "length", "millis", jsonata.ViaExecutionCount:
		return types.Of(types.Integer)
	case "exists":
		return types.Of(types.Boolean)
	case "boolean", "not":
		return types.Of(types.Boolean)
	case "max", "min":
		s := types.Of(numeric(items))
		if first.SureItem() {
			return s
		}
		return s.With(types.Undefined)
	case "average", "toMillis":
		return types.Of(types.Number | types.Undefined)
	case "sum":
		return types.Of(numeric(items) | types.Integer)
	case "floor", "ceil":
		return types.Of(types.Integer)
	case "round":
		if len(args) == 1 {
			return types.Of(types.Integer)
		}
		return types.Of(types.Number)
	case "abs":
		return types.Of(numeric(first))
	case "number":
		if first.Only(types.Integer | types.Boolean) {
			return types.Of(types.Integer)
		}
		return types.Of(types.Number)
	case "keys":
		return sequence(types.Of(types.String))
	case "sort", "reverse", "shuffle", "filter":
		return sequence(items).Or(first)
	case "distinct", "single":
		return first.Or(sequence(items))
	case "append":
		if len(args) == 2 {
			other := args[1].Without(types.Array | types.Undefined).Or(args[1].Items())
			return types.ArrayOf(items.Or(other)).Or(first).Or(args[1])
		}
	case "merge":
		if s, ok := in.overlaid(nodes); ok {
			return s
		}
		if items.Only(types.Object) {
			return in.merged(first, items)
		}
	case "lookup":
		if len(nodes) == 2 && nodes[1] != nil && nodes[1].Kind == jsonata.KindString && len(nodes[1].Stages) == 0 {
			s := in.fieldType(nodes[1].Text, first, 0)
			if !first.Has(types.Array) {
				return s
			}
			return s.Or(sequence(s.Without(types.Array).Or(s.Items())))
		}
	case jsonata.ViaNodeExecution, jsonata.ViaNodeExecutions:
		if len(nodes) > 0 && nodes[0] != nil && nodes[0].Kind == jsonata.KindString && len(nodes[0].Stages) == 0 {
			s := in.fieldType(nodes[0].Text, in.root, 0)
			if name == jsonata.ViaNodeExecutions {
				return sequence(s).Or(types.ArrayOf(s))
			}
			if in.ran(nodes[0].Text) && (len(nodes) < 2 || nodes[1] != nil && nodes[1].Kind == jsonata.KindNumber && (nodes[1].Number == 0 || nodes[1].Number == -1)) {
				return s.Without(types.Undefined)
			}
			return s.Without(types.Undefined).Or(types.Type{Kinds: types.Null | types.Undefined, OnlyPastEnd: true})
		}
	case "split":
		return sequence(types.Of(types.String)).Or(types.ArrayOf(types.Of(types.String)))
	}
	switch result {
	case "s":
		return types.Of(types.String)
	case "n":
		return types.Of(types.Number)
	case "b":
		return types.Of(types.Boolean)
	}
	return types.Unknown()
}

// overlaid is the object that $merge makes of those in an array constructor: each
// field is that of the last that has it.
func (in *inferrer) overlaid(nodes []*jsonata.Node) (types.Type, bool) {
	if len(nodes) != 1 || nodes[0] == nil || nodes[0].Kind != jsonata.KindArray || len(nodes[0].Stages) > 0 || nodes[0].Group != nil {
		return types.Type{}, false
	}
	all := types.ObjectOf(true)
	for _, item := range nodes[0].Args {
		s, ok := in.shapes[item]
		if !ok {
			return types.Type{}, false
		}
		fields := slices.Clone(s.Fields)
		for i, f := range fields {
			if before, listed := all.Field(f.Name); f.Optional && (listed || !all.Closed) {
				fields[i].Type = f.Type.Or(before.Without(types.Undefined))
				fields[i].Optional = before.Has(types.Undefined)
			}
		}
		for _, f := range all.Fields {
			if _, listed := s.Field(f.Name); !listed {
				if !s.Closed { // it may have the field, too
					f.Type = types.Unknown().Without(types.Undefined)
				}
				fields = append(fields, f)
			}
		}
		all = types.ObjectOf(all.Closed && s.Closed, fields...).Bound()
	}
	return all, true
}

// merged is the object that $merge makes of objects of a shape, or of one.
func (in *inferrer) merged(all, item types.Type) types.Type {
	if !all.Has(types.Array) {
		return item
	}
	fields := make([]types.Field, len(item.Fields))
	for i, f := range item.Fields {
		f.Optional = true
		fields[i] = f
	}
	return types.ObjectOf(item.Closed, fields...).Bound()
}
