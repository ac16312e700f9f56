package expr

// binary evaluates an operation.
func (in *inferrer) binary(n *Node, ctx Shape) Shape {
	l := in.value(n.Args[0], ctx)
	var r Shape
	if n.Text == "and" || n.Text == "or" {
		defer in.guarded(n.Args[0], n.Text == "and")()
		in.perhaps(n.Args[1], ctx)
		return ShapeOf(ShapeBoolean)
	}
	r = in.value(n.Args[1], ctx)
	undefined := l.only(ShapeUndefined).Or(r.only(ShapeUndefined))
	switch n.Text {
	case "+", "-", "*", "/", "%":
		for i, s := range [...]Shape{l, r} {
			if !certain(s, ShapeNumber) {
				in.operand(n.Args[i], s, ShapeNumber, quote(n.Text)+" takes numbers")
			}
		}
		if n.Text == "/" || n.Text == "%" {
			if numeric(l) != 0 && numeric(r) != 0 {
				return undefined.With(ShapeNumber)
			}
			return undefined
		}
		return undefined.With(numeric(l) | numeric(r))
	case "&":
		return ShapeOf(ShapeString)
	case "<", "<=", ">", ">=":
		in.comparison(n, l, r)
		return undefined.With(ShapeBoolean)
	}
	return ShapeOf(ShapeBoolean)
}

// comparison reports what "<" and its like cannot compare.
func (in *inferrer) comparison(n *Node, l, r Shape) {
	const comparable = ShapeNumber | ShapeString
	for i, s := range [...]Shape{l, r} {
		if !certain(s, comparable) {
			in.operand(n.Args[i], s, comparable, quote(n.Text)+" compares numbers or strings")
		}
	}
	l, r = l.Without(ShapeUndefined), r.Without(ShapeUndefined)
	if !l.Only(comparable) || !r.Only(comparable) {
		return
	}
	e := &Error{Hint: "convert one side with $number(…) or $string(…)", Start: n.Start, End: n.End}
	switch both := l.Kinds & r.Kinds; {
	case both&ShapeString == 0 && (!l.Has(ShapeNumber) || !r.Has(ShapeNumber)):
		e.Code, e.Message = typeOperand, quote(n.Text)+" cannot compare "+article(l.String())+" with "+article(r.String())
		in.report(e)
	case (l.Kinds|r.Kinds)&ShapeString != 0 && (l.Kinds|r.Kinds)&ShapeNumber != 0:
		e.Code, e.Message = typeMaybe, quote(n.Text)+" may have to compare a string with a number: "+article(l.String())+" with "+article(r.String())
		in.report(e)
	}
}

// certain reports whether a value is of the kinds k or nothing, or is not known.
func certain(s Shape, k ShapeKind) bool {
	s = s.Without(ShapeUndefined)
	return s.Kinds == 0 || s.Only(k) || s.IsOpen()
}

// operand reports an operand that is never of the kinds k, or not always. Nothing
// makes the operation's value nothing.
func (in *inferrer) operand(n *Node, s Shape, k ShapeKind, takes string) {
	if certain(s, k) {
		return
	}
	s = s.Without(ShapeUndefined)
	e := &Error{Code: typeOperand, Message: takes + ", not " + article(s.String()), Start: n.Start, End: n.End}
	if s.Has(k) {
		e.Code, e.Message = typeMaybe, takes+", and this may be "+article(s.Without(k).String())
		e.Hint = alternatives(s, k)
		if s.Without(k).Only(ShapeArray) {
			e.Edits = n.FirstOfAll()
		}
		in.report(e)
		return
	}
	switch {
	case k == ShapeNumber && s.Only(ShapeString):
		e.Hint = `convert it with $number(…); strings are joined with "&"`
	case k&ShapeNumber != 0 && s.Only(ShapeArray):
		e.Hint = "reduce it to one number: $count(…), $sum(…) or [0]"
	case k == ShapeString && s.Only(shapeScalars):
		e.Hint = "convert it with $string(…)"
		e.Edits = []Edit{{Start: n.Start, End: n.Start, New: "$string("}, {Start: n.End, End: n.End, New: ")"}}
	}
	in.report(e)
}
