package expr

// callback evaluates the lambda of $map, $filter, $single, $sort or $reduce for what it is
// called with.
func (in *inferrer) callback(name string, lambda *Node, args []Shape, ctx Shape) Shape {
	list := args[0]
	item := list.Without(ShapeArray | ShapeUndefined).Or(list.Items())
	if name == "reduce" {
		return in.reduce(lambda, args, item, ctx)
	}
	given := []Shape{item, ShapeOf(ShapeInteger), ArrayOf(item)}
	if name == "sort" {
		given = []Shape{item, item}
	}
	out := in.apply1(lambda, ctx, given)
	switch {
	case name == "sort":
		return sequence(item).Or(list)
	case list.Kinds == ShapeUndefined:
		return list
	case name == "filter":
		return sequence(item)
	case name == "single":
		return item.Or(list.only(ShapeUndefined))
	}
	return sequenceOf(out, list.nonempty())
}

// reduceRounds bounds the rounds to what an accumulator can be.
const reduceRounds = 4

// reduce follows the accumulator of $reduce to a fixed point: it begins as the
// initial value, or as the first item.
func (in *inferrer) reduce(lambda *Node, args []Shape, item, ctx Shape) Shape {
	if len(lambda.Args) < 3 {
		in.report(&Error{Code: typeArgument, Message: "the function that $reduce takes has two parameters", Hint: "write function($sum, $item) { … }", Start: lambda.Start, End: lambda.End})
	}
	acc := item
	if len(args) > 2 {
		acc = args[2]
	}
	step := func(acc Shape) Shape {
		return in.apply1(lambda, ctx, []Shape{acc, item, ShapeOf(ShapeInteger), ArrayOf(item)})
	}
	in.quiet++
	for round := 0; ; round++ {
		next := acc.Or(step(acc))
		if next.Equal(acc) {
			break
		}
		if acc = next; round == reduceRounds {
			acc = Unknown()
			break
		}
	}
	in.quiet--
	step(acc)
	if len(args) > 2 {
		return acc.Or(args[0].only(ShapeUndefined))
	}
	if args[0].nonempty() {
		return acc
	}
	return acc.With(ShapeUndefined) // of no items, nothing
}
