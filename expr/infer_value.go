package expr

import (
	"maps"
	"slices"
)

// array evaluates an array constructor, which flattens its items one level,
// except for arrays constructed in place.
func (in *inferrer) array(n *Node, ctx Shape) Shape {
	elem := Shape{}
	var some []Shape
	for _, item := range n.Args {
		if item.Kind == KindRange {
			for _, end := range item.Args {
				in.operand(end, in.value(end, ctx), ShapeInteger|ShapeFraction, `".." takes integers`)
			}
			elem = elem.With(ShapeInteger)
			continue
		}
		s := in.value(item, ctx)
		if item.Kind != KindArray || len(item.Stages) > 0 || item.Group != nil {
			elem = elem.Or(s.Without(ShapeUndefined | ShapeArray)).Or(s.Items())
		}
		if item.Kind == KindArray {
			elem = elem.Or(s.Without(ShapeUndefined))
		}
		if !s.Has(ShapeArray) {
			some = append(some, s)
		}
	}
	return ArrayWith(elem, some)
}

// object evaluates an object constructor.
func (in *inferrer) object(n *Node, ctx Shape) Shape {
	if ctx.Has(ShapeArray) { // it is evaluated over the items
		ctx = Unknown()
	}
	return in.pairs(n, ctx)
}

// group evaluates "{…}" after a value: the keys for each item, the values for
// the items of a key together.
func (in *inferrer) group(n *Node, s Shape) Shape {
	item := s.Without(ShapeArray).Or(s.Items())
	out := in.pairs(n, item.Or(ArrayOf(item)))
	if s.Has(ShapeArray) { // over an empty one, the evaluator makes an empty object
		for i := range out.Fields {
			out.Fields[i].Optional = true
		}
	}
	return out.Or(s.only(ShapeUndefined)) // of nothing, an object by the reference, nothing by the evaluator
}

func (in *inferrer) pairs(n *Node, ctx Shape) Shape {
	strict := true
	fields := map[string]ShapeField{}
	for i := 0; i < len(n.Args); i += 2 {
		key := n.Args[i]
		name := in.value(key, ctx)
		s := in.value(n.Args[i+1], ctx)
		in.operand(key, name, ShapeString, "a key is a string")
		f := ShapeField{Name: key.Text, Shape: s.Without(ShapeUndefined), Optional: s.Has(ShapeUndefined)}
		if s.Kinds == ShapeUndefined {
			continue
		}
		if key.Kind != KindString || len(key.Stages) > 0 || key.Group != nil {
			strict = false
			continue
		}
		fields[f.Name] = f
	}
	if !strict { // a computed key may be any, so none is certain to keep its value
		clear(fields)
	}
	return ObjectOf(strict, slices.Collect(maps.Values(fields))...)
}

// filter evaluates one predicate over s.
func (in *inferrer) filter(stage *Node, s Shape) Shape {
	if stage.Kind == KindIndex {
		return Unknown()
	}
	item := s.Without(ShapeUndefined | ShapeArray).Or(s.Items())
	if s.Kinds&^ShapeUndefined == 0 {
		item = Shape{}
	}
	in.perhaps(stage, item)
	if stage.Kind == KindNumber && len(stage.Stages) == 0 {
		return item.With(ShapeUndefined)
	}
	return sequence(item)
}

// sequence returns what a sequence of items of a shape becomes: nothing, the
// item itself, or an array.
func sequence(item Shape) Shape {
	item = item.Without(ShapeUndefined)
	if item.Kinds == 0 {
		return ShapeOf(ShapeUndefined)
	}
	return item.Or(ArrayOf(item)).With(ShapeUndefined)
}

// asArray returns what "[]" makes of a value: a sequence of one stays an array.
func asArray(s Shape) Shape {
	item := s.Without(ShapeArray | ShapeUndefined).Or(s.Items())
	return ArrayOf(item).Or(s.only(ShapeUndefined)).Or(s.Without(ShapeUndefined))
}
