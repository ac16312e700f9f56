package expr

import (
	"slices"
)

// resultOf is what a built-in function returns, when it returns.
func (in *inferrer) resultOf(name string, nodes []*Node, args []Shape, result string) Shape {
	first := Shape{}
	if len(args) > 0 {
		first = args[0]
	}
	if first.Only(ShapeFunction) { // where the context was meant
		return Unknown()
	}
	items := first.Without(ShapeArray | ShapeUndefined).Or(first.Items())
	switch name {
	case "count", "length", "millis", viaExecutionCount:
		return ShapeOf(ShapeInteger)
	case "exists":
		return ShapeOf(ShapeBoolean)
	case "boolean", "not":
		return ShapeOf(ShapeBoolean)
	case "max", "min":
		s := ShapeOf(numeric(items))
		if first.nonempty() {
			return s
		}
		return s.With(ShapeUndefined)
	case "average", "toMillis":
		return ShapeOf(ShapeNumber | ShapeUndefined)
	case "sum":
		return ShapeOf(numeric(items) | ShapeInteger)
	case "floor", "ceil":
		return ShapeOf(ShapeInteger)
	case "round":
		if len(args) == 1 {
			return ShapeOf(ShapeInteger)
		}
		return ShapeOf(ShapeNumber)
	case "abs":
		return ShapeOf(numeric(first))
	case "number":
		if first.Only(ShapeInteger | ShapeBoolean) {
			return ShapeOf(ShapeInteger)
		}
		return ShapeOf(ShapeNumber)
	case "keys":
		return sequence(ShapeOf(ShapeString))
	case "sort", "reverse", "shuffle", "filter":
		return sequence(items).Or(first)
	case "distinct", "single":
		return first.Or(sequence(items))
	case "append":
		if len(args) == 2 {
			other := args[1].Without(ShapeArray | ShapeUndefined).Or(args[1].Items())
			return ArrayOf(items.Or(other)).Or(first).Or(args[1])
		}
	case "merge":
		if s, ok := in.overlaid(nodes); ok {
			return s
		}
		if items.Only(ShapeObject) {
			return in.merged(first, items)
		}
	case "lookup":
		if len(nodes) == 2 && nodes[1] != nil && nodes[1].Kind == KindString && len(nodes[1].Stages) == 0 {
			s := in.lookup(nodes[1].Text, first, 0)
			if !first.Has(ShapeArray) {
				return s
			}
			return s.Or(sequence(s.Without(ShapeArray).Or(s.Items())))
		}
	case viaNodeExecution, viaNodeExecutions:
		if len(nodes) > 0 && nodes[0] != nil && nodes[0].Kind == KindString && len(nodes[0].Stages) == 0 {
			s := in.lookup(nodes[0].Text, in.root, 0)
			if name == viaNodeExecutions {
				return sequence(s).Or(ArrayOf(s))
			}
			if in.ran(nodes[0].Text) && (len(nodes) < 2 || nodes[1] != nil && nodes[1].Kind == KindNumber && (nodes[1].Number == 0 || nodes[1].Number == -1)) {
				return s.Without(ShapeUndefined)
			}
			return s.Without(ShapeUndefined).Or(Shape{Kinds: ShapeNull | ShapeUndefined, Missed: true})
		}
	case "split":
		return sequence(ShapeOf(ShapeString)).Or(ArrayOf(ShapeOf(ShapeString)))
	}
	switch result {
	case "s":
		return ShapeOf(ShapeString)
	case "n":
		return ShapeOf(ShapeNumber)
	case "b":
		return ShapeOf(ShapeBoolean)
	}
	return Unknown()
}

// overlaid is the object that $merge makes of those in an array constructor: each
// field is that of the last that has it.
func (in *inferrer) overlaid(nodes []*Node) (Shape, bool) {
	if len(nodes) != 1 || nodes[0] == nil || nodes[0].Kind != KindArray || len(nodes[0].Stages) > 0 || nodes[0].Group != nil {
		return Shape{}, false
	}
	all := ObjectOf(true)
	for _, item := range nodes[0].Args {
		s, ok := in.shapes[item]
		if !ok {
			return Shape{}, false
		}
		fields := slices.Clone(s.Fields)
		for i, f := range fields {
			if before, listed := all.Field(f.Name); f.Optional && (listed || !all.Strict) {
				fields[i].Shape = f.Shape.Or(before.Without(ShapeUndefined))
				fields[i].Optional = before.Has(ShapeUndefined)
			}
		}
		for _, f := range all.Fields {
			if _, listed := s.Field(f.Name); !listed {
				if !s.Strict { // it may have the field, too
					f.Shape = Unknown().Without(ShapeUndefined)
				}
				fields = append(fields, f)
			}
		}
		all = ObjectOf(all.Strict && s.Strict, fields...)
	}
	return all, true
}

// merged is the object that $merge makes of objects of a shape, or of one.
func (in *inferrer) merged(all, item Shape) Shape {
	if !all.Has(ShapeArray) {
		return item
	}
	fields := make([]ShapeField, len(item.Fields))
	for i, f := range item.Fields {
		f.Optional = true
		fields[i] = f
	}
	return ObjectOf(item.Strict, fields...)
}
