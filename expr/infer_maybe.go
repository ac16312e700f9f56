package expr

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// mayFail reports an argument that may not have the parameter's type.
func (in *inferrer) mayFail(takes string, p param, node *jsonata.Node, s types.Type) {
	wrong := s.Without(p.kinds)
	if p.elem != 0 {
		items := s.Without(types.Array).Or(s.Items()).Without(types.Undefined)
		if items.IsOpen() {
			return
		}
		if wrong = items.Without(p.elem); wrong.Kinds != 0 && s.Has(types.Array) {
			takes += ", and an item"
		}
	}
	if s.IsOpen() || wrong.Kinds == 0 {
		return
	}
	e := faultAt(node, typeMaybe, takes+", and this may be "+article(wrong.String()), alternatives(s, p.kinds))
	if wrong.Only(types.Array) {
		e.Edits = node.FirstOfAll()
	}
	in.report(e)
}

// alternatives says what to do with a value that is of the kinds k or others.
func alternatives(s types.Type, k types.Kind) string {
	rest := s.Without(k | types.Undefined)
	switch {
	case rest.Only(types.Array):
		return "a path over several items gives one value or an array of them: pick one with (…)[0], or process each item"
	case rest.Only(types.Null):
		return "test first: x = null ? … : …"
	case k&types.String != 0 && rest.Only(types.Scalar):
		return "convert it with $string(…)"
	}
	return "test first: $type(x) = " + strconv.Quote(k.Name()) + " ? … : …"
}

// functions reports a function in the expression's value: JSON has none.
func (in *inferrer) functions(s types.Type) {
	at := in.ast.Root
	for range types.MaxDepth {
		for s.Only(types.Array) && s.Elem != nil {
			s = *s.Elem
		}
		if s.IsOpen() {
			return
		}
		if s.Has(types.Function) {
			e := faultAt(at, typeFunction, "this is a function, not a value", "call it: $f(…)")
			if !s.Only(types.Function) {
				e.Code, e.Message = typeMaybe, "this may be a function, which is not a value"
			}
			in.report(e)
			return
		}
		i := slices.IndexFunc(s.Fields, func(f types.Field) bool { return f.Type.HoldsFunction(0) })
		if i < 0 || !s.Has(types.Object) {
			return
		}
		at, s = at.Member(s.Fields[i].Name), s.Fields[i].Type
	}
}

// settle orders what was found, and drops the doubts about what is certainly wrong.
func (in *inferrer) settle() {
	if len(in.found) < 2 {
		return
	}
	found := slices.Clone(in.found)
	in.found = slices.DeleteFunc(in.found, func(e *jsonata.Error) bool {
		return e.Code == typeMaybe && slices.ContainsFunc(found, func(f *jsonata.Error) bool {
			return f.Code != typeMaybe && f.Code != typeUndeclaredField && f.Start >= e.Start && f.End <= e.End
		})
	})
	slices.SortStableFunc(in.found, func(a, b *jsonata.Error) int { return cmp.Compare(a.Start, b.Start) })
}

// sortable reports items that $sort cannot compare without a function.
func (in *inferrer) sortable(node *jsonata.Node, s types.Type) {
	items := s.Each()
	p := param{kinds: types.Any, elem: types.Number | types.String, words: "an array of numbers or of strings"}
	in.argument("sort", 0, p, node, s)
	if items.Only(p.elem) && items.Has(types.Number) && items.Has(types.String) {
		in.report(faultAt(node, typeMaybe, "$sort takes numbers or strings, and here both may be", "say how to compare: $sort(x, function($a, $b) { $string($a) > $string($b) })"))
	}
}
