package expr

import (
	"cmp"
	"slices"
	"strconv"
)

// mayFail reports an argument of which not every value is of the parameter's kinds.
func (in *inferrer) mayFail(takes string, p param, node *Node, s Shape) {
	wrong := s.Without(p.kinds)
	if p.elem != 0 {
		items := s.Without(ShapeArray).Or(s.Items()).Without(ShapeUndefined)
		if items.IsOpen() {
			return
		}
		if wrong = items.Without(p.elem); wrong.Kinds != 0 && s.Has(ShapeArray) {
			takes += ", and an item"
		}
	}
	if s.IsOpen() || wrong.Kinds == 0 {
		return
	}
	e := &Error{
		Code: typeMaybe, Message: takes + ", and this may be " + article(wrong.String()), Hint: alternatives(s, p.kinds),
		Start: node.Start, End: node.End,
	}
	if wrong.Only(ShapeArray) {
		e.Edits = node.FirstOfAll()
	}
	in.report(e)
}

// FirstOfAll returns the edits that make of a path that ends in "[0]", which picks
// the first of each, one that picks the first of all; nil of anything else.
func (n *Node) FirstOfAll() []Edit {
	if n.Kind == KindBlock && len(n.Args) == 1 && len(n.Stages) == 0 {
		n = n.Args[0]
	}
	if n.Kind != KindPath || n.Group != nil || len(n.Args) < 2 {
		return nil
	}
	last := n.Args[len(n.Args)-1]
	if len(last.Stages) == 0 || last.Stages[len(last.Stages)-1].Kind != KindNumber || last.Stages[len(last.Stages)-1].Number != 0 {
		return nil
	}
	return []Edit{{Start: n.Start, End: n.Start, New: "("}, {Start: n.End, End: n.End, New: ")[0]"}}
}

// alternatives says what to do with a value that is of the kinds k or others.
func alternatives(s Shape, k ShapeKind) string {
	rest := s.Without(k | ShapeUndefined)
	switch {
	case rest.Only(ShapeArray):
		return "a path over several items gives one value or an array of them: pick one with (…)[0], or work on each"
	case rest.Only(ShapeNull):
		return "ask first: x = null ? … : …"
	case k&ShapeString != 0 && rest.Only(shapeScalars):
		return "convert it with $string(…)"
	}
	return "ask first: $type(x) = " + strconv.Quote(kindName(k)) + " ? … : …"
}

// kindName is what $type says of values of the kinds k, of the first of them.
func kindName(k ShapeKind) string {
	for _, w := range shapeWords {
		if k&w.kind != 0 {
			if w.kind == ShapeInteger || w.kind == ShapeFraction {
				return "number"
			}
			return w.word
		}
	}
	return "undefined"
}

// functions reports a function in the expression's value: JSON has none.
func (in *inferrer) functions(s Shape) {
	at := in.ast.Root
	for range maxShapeDepth {
		for s.Only(ShapeArray) && s.Elem != nil {
			s = *s.Elem
		}
		if s.IsOpen() {
			return
		}
		e := &Error{Code: typeFunction, Message: "this is a function, not a value", Hint: "call it: $f(…)", Start: at.Start, End: at.End}
		switch {
		case s.Only(ShapeFunction):
			in.report(e)
			return
		case s.Has(ShapeFunction):
			e.Code, e.Message = typeMaybe, "this may be a function, which is no value"
			in.report(e)
			return
		}
		i := slices.IndexFunc(s.Fields, func(f ShapeField) bool { return f.Shape.holdsFunction(0) })
		if i < 0 || !s.Has(ShapeObject) {
			return
		}
		at, s = at.member(s.Fields[i].Name), s.Fields[i].Shape
	}
}

// holdsFunction reports whether a function is known to be possible in s.
func (s Shape) holdsFunction(depth int) bool {
	if s.IsOpen() || depth > maxShapeDepth {
		return false
	}
	return s.Has(ShapeFunction) || s.Has(ShapeArray) && s.Elem != nil && s.Elem.holdsFunction(depth+1) ||
		slices.ContainsFunc(s.Fields, func(f ShapeField) bool { return f.Shape.holdsFunction(depth + 1) })
}

// SumOfNone returns the edits that make a sum, of what may be nothing, 0; nil of
// anything else.
func (n *Node) SumOfNone() []Edit {
	if name, ok := n.Callee(); !ok || name != "sum" || len(n.Args) != 2 || n.Kind != KindCall {
		return nil
	}
	return []Edit{{Start: n.Args[1].Start, End: n.Args[1].Start, New: "["}, {Start: n.Args[1].End, End: n.Args[1].End, New: "]"}}
}

// member is the value that an object constructor gives a key, or n itself.
func (n *Node) member(key string) *Node {
	for m := n; m != nil; m = m.result() {
		if m.Kind != KindObject || len(m.Stages) > 0 {
			continue
		}
		for i := 0; i+1 < len(m.Args); i += 2 {
			if m.Args[i].Kind == KindString && m.Args[i].Text == key {
				return m.Args[i+1]
			}
		}
	}
	return n
}

// result is the node that gives the value of n, a block, or nil.
func (n *Node) result() *Node {
	if n.Kind == KindBlock && len(n.Args) > 0 && len(n.Stages) == 0 && n.Group == nil {
		return n.Args[len(n.Args)-1]
	}
	return nil
}

// Member returns where the expression makes the value at a path of its result, as
// far as constructors tell, and how many steps of the path those are.
func (a *AST) Member(path []string) (at *Node, depth int) {
	at = a.Root
	for _, name := range path {
		next := at.member(name)
		if next == at {
			break
		}
		at = next
		depth++
	}
	return at, depth
}

// settle orders what was found, and drops the doubts about what is certainly wrong.
func (in *inferrer) settle() {
	if len(in.found) < 2 {
		return
	}
	found := slices.Clone(in.found)
	in.found = slices.DeleteFunc(in.found, func(e *Error) bool {
		return e.Code == typeMaybe && slices.ContainsFunc(found, func(f *Error) bool {
			return f.Code != typeMaybe && f.Code != typeUndeclaredField && f.Start >= e.Start && f.End <= e.End
		})
	})
	slices.SortStableFunc(in.found, func(a, b *Error) int { return cmp.Compare(a.Start, b.Start) })
}

// sortable reports items that $sort cannot compare without a function.
func (in *inferrer) sortable(node *Node, s Shape) {
	items := s.Without(ShapeArray | ShapeUndefined).Or(s.Items())
	p := param{kinds: shapeAll, elem: ShapeNumber | ShapeString, words: "an array of numbers or of strings"}
	in.argument("sort", 0, p, node, s)
	if items.Only(p.elem) && items.Has(ShapeNumber) && items.Has(ShapeString) {
		in.report(&Error{
			Code: typeMaybe, Message: "$sort takes numbers or strings, and here both may be", Hint: "say how to compare: $sort(x, function($a, $b) { $string($a) > $string($b) })",
			Start: node.Start, End: node.End,
		})
	}
}
