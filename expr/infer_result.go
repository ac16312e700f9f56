package expr

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// builtinResult is what a built-in function returns, when it returns.
func (in *inferrer) builtinResult(b *jsonata.Builtin, nodes []*jsonata.Node, args []types.Type) types.Type {
	first := types.Type{}
	if len(args) > 0 {
		first = args[0]
	}
	if first.Only(types.Function) { // where the context was meant
		return types.Unknown()
	}
	items := first.Each()
	switch b.Result {
	case jsonata.ResultString:
		return types.Of(types.String)
	case jsonata.ResultNumber:
		return types.Of(types.Number)
	case jsonata.ResultInteger:
		return types.Of(types.Integer)
	case jsonata.ResultBoolean:
		return types.Of(types.Boolean)
	case jsonata.ResultNumberOrNothing:
		return types.Of(types.Number | types.Undefined)
	case jsonata.ResultSameNumber:
		return types.Of(numeric(first))
	case jsonata.ResultRounded:
		if len(args) == 1 {
			return types.Of(types.Integer)
		}
		return types.Of(types.Number)
	case jsonata.ResultConverted:
		if first.Only(types.Integer | types.Boolean) {
			return types.Of(types.Integer)
		}
		return types.Of(types.Number)
	case jsonata.ResultSum:
		return types.Of(numeric(items) | types.Integer)
	case jsonata.ResultExtreme:
		s := types.Of(numeric(items))
		if first.SureItem() {
			return s
		}
		return s.With(types.Undefined)
	case jsonata.ResultStrings:
		return types.ArrayOf(types.Of(types.String))
	case jsonata.ResultKeys:
		return sequence(types.Of(types.String))
	case jsonata.ResultSplit:
		return sequence(types.Of(types.String)).Or(types.ArrayOf(types.Of(types.String)))
	case jsonata.ResultItems:
		return sequence(items).Or(first)
	case jsonata.ResultSome:
		return first.Or(sequence(items))
	case jsonata.ResultAppended:
		if len(args) == 2 {
			other := args[1].Each()
			return types.ArrayOf(items.Or(other)).Or(first).Or(args[1])
		}
	case jsonata.ResultMerged:
		if s, ok := in.overlaid(nodes); ok {
			return s
		}
		if items.Only(types.Object) {
			return in.merged(first, items)
		}
	case jsonata.ResultMember:
		return in.member(nodes, first)
	case jsonata.ResultOutput, jsonata.ResultOutputs:
		return in.output(b.Result, nodes)
	}
	for sc := in.scope; sc != nil && b.Name == "previousNode" && len(nodes) == 0; sc = sc.outer {
		if s, ok := sc.vars[PreviousNode]; ok {
			return s
		}
	}
	return types.Unknown()
}

// text is the string that an argument is as written, if it is one.
func text(nodes []*jsonata.Node, i int) (string, bool) {
	if i >= len(nodes) || nodes[i] == nil || nodes[i].Kind != jsonata.KindString || len(nodes[i].Stages) > 0 {
		return "", false
	}
	return nodes[i].Text, true
}

// member is the field of an object that a literal names.
func (in *inferrer) member(nodes []*jsonata.Node, object types.Type) types.Type {
	key, ok := text(nodes, 1)
	if !ok || len(nodes) != 2 {
		return types.Unknown()
	}
	s := in.fieldType(key, object, 0)
	if !object.Has(types.Array) {
		return s
	}
	return s.Or(sequence(s.Without(types.Array).Or(s.Items())))
}

// output is one output of the node that a literal names, or all of them.
func (in *inferrer) output(result jsonata.Result, nodes []*jsonata.Node) types.Type {
	id, ok := text(nodes, 0)
	if !ok {
		return types.Unknown()
	}
	s := in.fieldType(id, in.root, 0)
	if result == jsonata.ResultOutputs {
		return sequence(s).Or(types.ArrayOf(s))
	}
	if in.ran(id) && (len(nodes) < 2 || nodes[1] != nil && nodes[1].Kind == jsonata.KindNumber && (nodes[1].Number == 0 || nodes[1].Number == -1)) {
		return s.Without(types.Undefined)
	}
	return s.Without(types.Undefined).Or(types.Type{Kinds: types.Null | types.Undefined, OnlyPastEnd: true})
}

// overlaid is the object that $merge makes of those in an array constructor: each
// field is that of the last that has it.
func (in *inferrer) overlaid(nodes []*jsonata.Node) (types.Type, bool) {
	if len(nodes) != 1 || nodes[0] == nil || !nodes[0].Bare(jsonata.KindArray) {
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
