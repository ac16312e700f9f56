package expr

import (
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// A stream is what a path carries from step to step: items of one shape. few
// says that there is at most one, empty that there may be none.
type stream struct {
	item  types.Type
	few   bool
	empty bool
	// missed: only where an index finds nothing
	missed bool
}

// path evaluates the steps of n in turn, as sequences flatten.
func (in *inferrer) path(n *jsonata.Node, ctx types.Type) types.Type {
	if in.odd(n) {
		in.oddPath(n)
		return types.Unknown()
	}
	cur := stream{item: ctx, few: !ctx.Has(types.Array) || n.Args[0].Kind == jsonata.KindVariable, empty: !ctx.SureItem()}
	if !cur.few {
		cur.item = ctx.Without(types.Array).Or(ctx.Items())
	}
	s := ctx
	keys := in.prefixes(n)
	many, vague := !cur.few, false
	loose := false      // it begins with a single value that a predicate takes out of such an array: the reference does not step from it
	mayBeEmpty := false // it begins with an array that is written out and may be empty: then that is its value
	for i, step := range n.Args {
		switch {
		case step.Kind == jsonata.KindSort:
			end := in.elsewhere()
			for _, term := range step.Args {
				in.perhaps(term.Args[0], cur.item)
			}
			end()
			s = sequence(cur.item).Or(s) // an empty array stays one
			cur.few, many = false, true
			continue
		case step.Kind == jsonata.KindArray && i == 0: // evaluated once, whatever the context
			s = in.value(step, ctx)
			cur.few = true
			mayBeEmpty = len(n.Args) > 1 && !s.NonEmpty
			loose = len(n.Args) > 1 && len(step.Stages) > 0 && s.Kinds&^types.Array != 0
		case step.Kind == jsonata.KindName:
			atRoot := i == 0 || i == 1 && n.Args[0].Kind == jsonata.KindVariable && len(n.Args[0].Stages) == 0
			s = in.name(step, cur.item, s, n, i, atRoot)
			for _, stage := range step.Stages {
				s = in.filter(stage, s)
			}
		default:
			group, keep := step.Group, step.KeepArray
			if i > 0 || !cur.few {
				end := in.elsewhere()
				s = in.bare(step, cur.item)
				end()
			} else {
				s = in.bare(step, cur.item)
			}
			if step.Kind == jsonata.KindArray { // of one item the array, of several theirs
				s = s.Or(types.ArrayOf(s))
			}
			for _, stage := range step.Stages {
				s = in.filter(stage, s)
			}
			if group != nil {
				s = in.group(group, s)
			}
			if keep {
				s = asArray(s)
			}
		}
		// What comes of several items is a sequence; one item's value is flattened
		// before the next step, but stays what it is at the end.
		item := s.Each()
		switch {
		case !cur.few:
			certain := !cur.empty && s.SureItem()
			s = sequence(item).Or(s)
			if certain {
				s = s.Without(types.Undefined)
			}
		case cur.empty:
			s = s.Or(types.Type{Kinds: types.Undefined, OnlyPastEnd: cur.missed})
		}
		vague = vague || cur.few && i < len(n.Args)-1 && s.IsOpen()
		if i < len(keys) {
			s = in.known(keys[i], s)
			item = s.Each()
		}
		many = many || !cur.few
		if s.OnlyPastEnd {
			item = item.Without(types.Null)
		}
		cur = stream{item.Without(types.Undefined), cur.few && !s.Has(types.Array), !s.SureItem(), s.OnlyPastEnd && (!s.Has(types.Array) || s.NonEmpty)}
		if s.Kinds == types.Undefined {
			cur.item = types.Type{}
		}
	}
	if vague && s.Has(types.Array) && s.Kinds&^(types.Array|types.Undefined) != 0 {
		s = types.Unknown() // of what is not known, not even whether it is one or many
	}
	if loose {
		return types.Unknown()
	}
	if mayBeEmpty {
		none := types.ArrayOf(types.Type{})
		if s = s.Or(none); n.KeepArray {
			s = s.Or(types.ArrayOf(none))
		}
	}
	if n.Group != nil {
		s = in.group(n.Group, s)
	}
	switch {
	case n.KeepArray && many && n.Group == nil:
		s = types.ArrayOf(s.Each()).Or(s.Limit(types.Undefined))
	case n.KeepArray:
		s = asArray(s)
	}
	return s
}

// name evaluates a field step over item, one of the items of whole. Nothing is reported of the root's own
// fields: which nodes there are is the caller's to check.
func (in *inferrer) name(step *jsonata.Node, item, whole types.Type, path *jsonata.Node, at int, first bool) types.Type {
	if !first || !in.isRoot(item) {
		in.field(step, item, whole, path, at)
	}
	return in.fieldType(step.Text, item, 0)
}

func (in *inferrer) isRoot(s types.Type) bool {
	return s.Kinds == in.root.Kinds && len(s.Fields) == len(in.root.Fields) && (len(s.Fields) == 0 || &s.Fields[0] == &in.root.Fields[0])
}

// fieldType returns what field name of a value is: of an object its field, of an
// array the fields of its items, of anything else nothing.
func (in *inferrer) fieldType(name string, s types.Type, depth int) types.Type {
	if s.Has(types.Function) || s.Has(types.Array) && s.Elem == nil {
		return types.Unknown()
	}
	out := types.Type{}
	if s.Has(types.Object) {
		out, _ = s.Field(name)
	}
	if s.Has(types.Array) {
		if depth > types.MaxDepth {
			return types.Unknown()
		}
		inner := in.fieldType(name, s.Items(), depth+1)
		out = out.Or(sequence(inner.Without(types.Array).Or(inner.Items())))
	}
	if rest := s.Kinds &^ (types.Object | types.Array); rest != 0 {
		out = out.Or(types.Type{Kinds: types.Undefined, OnlyPastEnd: s.OnlyPastEnd && rest&^(types.Undefined|types.Null) == 0})
	}
	return out
}

// objects returns what of s can have fields: objects, in arrays or not.
func objects(s types.Type) (o types.Type, scalar bool) {
	if s.Has(types.Function) || s.Has(types.Array) && s.Elem == nil {
		return types.Unknown(), false
	}
	for depth := 0; s.Has(types.Array) && depth <= types.MaxDepth; depth++ {
		s = s.Without(types.Array).Or(s.Items())
	}
	if s.Has(types.Function | types.Array) {
		return types.Unknown(), false
	}
	return s.Without(types.Any &^ types.Object), s.Has(types.Scalar &^ types.Null)
}

// field reports a field that is not there.
func (in *inferrer) field(step *jsonata.Node, item, whole types.Type, path *jsonata.Node, at int) {
	o, scalar := objects(item)
	if o.IsUnknown() {
		return
	}
	e := &jsonata.Error{Start: step.Start, End: jsonata.TokenEnd(in.ast.Source, step.Start)}
	name := step.Text
	if !o.Has(types.Object) {
		if !scalar {
			return // nothing, null or an empty array: not wrong by its type
		}
		what := item.Without(types.Undefined | types.Null).String()
		e.Code, e.Message = typeScalarField, diag.Quote(name)+" is a field, but the value is "+article(what)
		e.Hint = "remove it, or check the type of the value"
		if name == "length" && item.Without(types.Undefined|types.Null).Only(types.String) {
			e.Hint = "for the number of characters write $length(…)"
			e.Edits = in.around(path, at, "$length(")
		}
		in.report(e)
		return
	}
	if _, listed := o.Field(name); listed || !o.Closed && len(o.Fields) == 0 {
		if e.Code = TypeDeclared; listed && name == "length" {
			in.report(e)
		}
		return
	}
	names := o.FieldNames()
	if whole := in.hyphenated(e.Start, names); whole != "" {
		e.Code, e.Message, e.Hint = jsonata.LintHyphen, diag.Quote(whole)+" is read as a subtraction", "a name with \"-\" needs backticks: `"+diag.Excerpt(whole)+"`"
		e.End = e.Start + len(whole)
		e.Edits = diag.Replace(e.Start, e.End, "`"+whole+"`")
		in.report(e)
		return
	}
	switch near := undeclared(e, name, o); {
	case near != "":
		e.Edits = diag.Replace(e.Start, e.End, types.QuoteName(near))
	case name == "length" && at > 0 && whole.Has(types.Array):
		e.Hint = "for the number of items write $count(…)"
		e.Edits = in.around(path, at, "$count(")
	}
	in.report(e)
}

// undeclared makes e the fault of a field that an object does not have or declare, and
// returns the field that was meant, or "".
func undeclared(e *jsonata.Error, name string, o types.Type) (near string) {
	names := o.FieldNames()
	e.Code, e.Message = typeUnknownField, "there is no field "+diag.Quote(name)
	if !o.Closed {
		e.Code, e.Message = typeUndeclaredField, "the field "+diag.Quote(name)+" is not declared"
	}
	near = diag.Closest(name, names)
	switch {
	case near != "" && near != name:
		e.Hint = "did you mean " + diag.Quote(near) + "?"
		return near
	case len(names) == 0:
		e.Hint = "the object has no fields"
	default:
		e.Hint = "the fields are " + diag.OneOf(names, 20)
	}
	return ""
}

// hyphenated returns the field whose name, with "-" in it, is at offset, or "".
func (in *inferrer) hyphenated(offset int, names []string) (longest string) {
	for _, name := range names {
		if strings.Contains(name, "-") && strings.HasPrefix(in.ast.Source[offset:], name) && len(name) > len(longest) {
			longest = name
		}
	}
	return longest
}

// around returns the edits that put a function around the steps of a path
// before its last one, which they replace.
func (in *inferrer) around(path *jsonata.Node, at int, call string) []diag.TextEdit {
	if at == 0 || at != len(path.Args)-1 || path.Group != nil || len(path.Args[at].Stages) > 0 {
		return nil
	}
	return append(diag.Insert(path.Start, call), diag.Replace(path.Args[at-1].End, path.Args[at].End, ")")...)
}

// article puts "a" or "an" before a kind of value, and leaves other texts alone.
func article(s string) string {
	switch s {
	case "object", "array", "integer":
		return "an " + s
	case "string", "number", "boolean", "function":
		return "a " + s
	}
	if _, err := strconv.Unquote(s); err == nil {
		return "the string " + s
	}
	return s
}
