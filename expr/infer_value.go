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
	full := false
	for _, item := range n.Args {
		if item.Kind == KindRange {
			for _, end := range item.Args {
				in.operand(end, in.value(end, ctx), ShapeInteger|ShapeFraction, `".." takes integers`)
			}
			elem = elem.With(ShapeInteger)
			continue
		}
		s := in.value(item, ctx)
		if s.Only(ShapeObject) { // for $merge
			if in.shapes == nil {
				in.shapes = map[*Node]Shape{}
			}
			in.shapes[item] = s
		}
		if item.Kind != KindArray || len(item.Stages) > 0 || item.Group != nil {
			elem = elem.Or(s.Without(ShapeUndefined | ShapeArray)).Or(s.Items())
		}
		if item.Kind == KindArray {
			elem = elem.Or(s.Without(ShapeUndefined))
		}
		if !s.Has(ShapeArray) {
			some = append(some, s)
		}
		full = full || s.nonempty() && s.Kinds != 0
	}
	s := ArrayWith(elem, some)
	s.Full = full
	return s
}

// object evaluates an object constructor.
func (in *inferrer) object(n *Node, ctx Shape) Shape {
	if ctx.Has(ShapeArray) { // it is evaluated over the items
		ctx = Unknown()
		defer in.elsewhere()()
	}
	return in.pairs(n, ctx, ctx)
}

// group evaluates "{…}" after a value: the keys for each item, the values for
// the items of a key together.
func (in *inferrer) group(n *Node, s Shape) Shape {
	defer in.elsewhere()()
	item := s.Without(ShapeArray).Or(s.Items())
	out := in.pairs(n, item, item.Or(ArrayOf(item)))
	if s.Has(ShapeArray) { // over an empty one, the evaluator makes an empty object
		for i := range out.Fields {
			out.Fields[i].Optional = true
		}
	}
	return out.Or(s.only(ShapeUndefined)) // of nothing, an object by the reference, nothing by the evaluator
}

// pairs evaluates keys in the context of one item, and values in that of all items
// of a key.
func (in *inferrer) pairs(n *Node, each, ctx Shape) Shape {
	strict := true
	fields := map[string]ShapeField{}
	for i := 0; i < len(n.Args); i += 2 {
		key := n.Args[i]
		name := in.value(key, each)
		s := in.value(n.Args[i+1], ctx)
		in.operand(key, name, ShapeString, "a key is a string")
		f := ShapeField{Name: key.Text, Shape: s.Without(ShapeUndefined), Optional: s.Has(ShapeUndefined), Missed: s.Missed}
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
	end := in.elsewhere()
	by := in.perhaps(stage, item)
	end()
	if stage.Kind == KindNumber && len(stage.Stages) == 0 {
		if (stage.Number == 0 || stage.Number == -1) && s.nonempty() {
			return item
		}
		return item.Or(missed(s))
	}
	if stage.Kind == KindVariable && by.IsOpen() {
		return Unknown() // a place, or a condition
	}
	if by.Without(ShapeUndefined).Only(ShapeNumber) { // one place, and not a list of them
		return item.Or(missed(s))
	}
	return sequence(item)
}

// missed is what an index gives of s where it finds nothing.
func missed(s Shape) Shape {
	return Shape{Kinds: ShapeUndefined, Missed: s.Missed || !s.Has(ShapeUndefined)}
}

// sequence returns what a sequence of items of a shape becomes: nothing, the
// item itself, or an array.
func sequence(item Shape) Shape {
	item = item.Without(ShapeUndefined)
	if item.Kinds == 0 {
		return ShapeOf(ShapeUndefined)
	}
	many := ArrayOf(item)
	many.Full = true
	return item.Or(many).With(ShapeUndefined)
}

// sequenceOf is sequence for what gives items, of each of which there is one.
func sequenceOf(item Shape, certain bool) Shape {
	s := sequence(item)
	if certain && item.nonempty() && item.Kinds != 0 {
		s = s.Without(ShapeUndefined)
	}
	return s
}

// asArray returns what "[]" makes of a value: a sequence of one stays an array.
func asArray(s Shape) Shape {
	item := s.Without(ShapeArray | ShapeUndefined).Or(s.Items())
	return ArrayOf(item).Or(s.only(ShapeUndefined)).Or(s.Without(ShapeUndefined))
}
