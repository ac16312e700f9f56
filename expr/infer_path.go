package expr

import (
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A stream is what a path carries from step to step: items of one shape. few
// says that there is at most one, empty that there may be none.
type stream struct {
	item  Shape
	few   bool
	empty bool
	// missed: only where an index finds nothing
	missed bool
}

// path evaluates the steps of n in turn, as sequences flatten.
func (in *inferrer) path(n *Node, ctx Shape) Shape {
	if odd := in.odd(n); odd {
		in.oddPath(n, ctx)
		return Unknown()
	}
	cur := stream{item: ctx, few: !ctx.Has(ShapeArray) || n.Args[0].Kind == KindVariable, empty: !ctx.nonempty()}
	if !cur.few {
		cur.item = ctx.Without(ShapeArray).Or(ctx.Items())
	}
	s := ctx
	keys := in.prefixes(n)
	many, vague := !cur.few, false
	for i, step := range n.Args {
		switch {
		case step.Kind == KindSort:
			end := in.elsewhere()
			for _, term := range step.Args {
				in.perhaps(term.Args[0], cur.item)
			}
			end()
			s = sequence(cur.item).Or(s) // an empty array stays one
			cur.few, many = false, true
			continue
		case step.Kind == KindArray && i == 0: // evaluated once, whatever the context
			s = in.value(step, ctx)
			cur.few = true
		case step.Kind == KindName:
			atRoot := i == 0 || i == 1 && n.Args[0].Kind == KindVariable && len(n.Args[0].Stages) == 0
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
			if step.Kind == KindArray { // of one item the array, of several theirs
				s = s.Or(ArrayOf(s))
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
		item := s.Without(ShapeArray | ShapeUndefined).Or(s.Items())
		switch {
		case !cur.few:
			certain := !cur.empty && s.nonempty()
			s = sequence(item).Or(s)
			if certain {
				s = s.Without(ShapeUndefined)
			}
		case cur.empty:
			s = s.Or(Shape{Kinds: ShapeUndefined, Missed: cur.missed})
		}
		vague = vague || cur.few && i < len(n.Args)-1 && s.IsOpen()
		if i < len(keys) {
			s = in.known(keys[i], s)
			item = s.Without(ShapeArray | ShapeUndefined).Or(s.Items())
		}
		many = many || !cur.few
		if s.Missed {
			item = item.Without(ShapeNull)
		}
		cur = stream{item.Without(ShapeUndefined), cur.few && !s.Has(ShapeArray), !s.nonempty(), s.Missed && (!s.Has(ShapeArray) || s.Full)}
		if s.Kinds == ShapeUndefined {
			cur.item = Shape{}
		}
	}
	if vague && s.Has(ShapeArray) && s.Kinds&^(ShapeArray|ShapeUndefined) != 0 {
		s = Unknown() // of what is not known, not even whether it is one or many
	}
	if n.Group != nil {
		s = in.group(n.Group, s)
	}
	switch {
	case n.KeepArray && many && n.Group == nil:
		s = ArrayOf(s.Without(ShapeArray | ShapeUndefined).Or(s.Items())).Or(s.only(ShapeUndefined))
	case n.KeepArray:
		s = asArray(s)
	}
	return s
}

// odd reports whether path n does what is not modelled: bound positions and
// elements, parents.
func (in *inferrer) odd(n *Node) bool {
	for _, step := range n.Args {
		if step.Focus != nil || step.Index != nil || step.Kind == KindParent {
			return true
		}
		for _, stage := range step.Stages {
			if stage.Kind == KindIndex {
				return true
			}
		}
	}
	return in.ast.parents
}

// oddPath evaluates the parts of such a path that do not depend on its steps.
func (in *inferrer) oddPath(n *Node, ctx Shape) {
	in.quiet++
	defer func() { in.quiet-- }()
	_ = ctx
	defer in.open(n)()
	in.scope.vars = map[string]Shape{}
	for _, step := range n.Args {
		for _, v := range []*Node{step.Focus, step.Index} {
			if v != nil {
				in.scope.vars[v.Text] = Unknown()
			}
		}
		for _, stage := range step.Stages {
			if stage.Kind == KindIndex {
				in.scope.vars[stage.Text] = Unknown()
			}
		}
	}
	for _, step := range n.Args {
		switch step.Kind {
		case KindName, KindSort, KindParent:
		default:
			in.bare(step, Unknown())
		}
		for _, stage := range step.Stages {
			in.hush(stage)
		}
	}
	if n.Group != nil {
		in.hush(n.Group.Args...)
	}
}

// name evaluates a field step over item, of which whole consists. Nothing is reported of the root's own
// fields: which nodes there are is the caller's to check.
func (in *inferrer) name(step *Node, item, whole Shape, path *Node, at int, first bool) Shape {
	if !first || !in.isRoot(item) {
		in.field(step, item, whole, path, at)
	}
	return in.lookup(step.Text, item, 0)
}

func (in *inferrer) isRoot(s Shape) bool {
	return s.Kinds == in.root.Kinds && len(s.Fields) == len(in.root.Fields) && (len(s.Fields) == 0 || &s.Fields[0] == &in.root.Fields[0])
}

// lookup returns what field name of a value is: of an object its field, of an
// array the fields of its items, of anything else nothing.
func (in *inferrer) lookup(name string, s Shape, depth int) Shape {
	if s.Has(ShapeFunction) || s.Has(ShapeArray) && s.Elem == nil {
		return Unknown()
	}
	out := Shape{}
	if s.Has(ShapeObject) {
		out, _ = s.Field(name)
	}
	if s.Has(ShapeArray) {
		if depth > maxShapeDepth {
			return Unknown()
		}
		inner := in.lookup(name, s.Items(), depth+1)
		out = out.Or(sequence(inner.Without(ShapeArray).Or(inner.Items())))
	}
	if rest := s.Kinds &^ (ShapeObject | ShapeArray); rest != 0 {
		out = out.Or(Shape{Kinds: ShapeUndefined, Missed: s.Missed && rest&^(ShapeUndefined|ShapeNull) == 0})
	}
	return out
}

// objects returns what of s can have fields: objects, in arrays or not.
func objects(s Shape) (o Shape, scalar bool) {
	if s.Has(ShapeFunction) || s.Has(ShapeArray) && s.Elem == nil {
		return Unknown(), false
	}
	for depth := 0; s.Has(ShapeArray) && depth <= maxShapeDepth; depth++ {
		s = s.Without(ShapeArray).Or(s.Items())
	}
	if s.Has(ShapeFunction | ShapeArray) {
		return Unknown(), false
	}
	return Shape{Kinds: s.Kinds & ShapeObject, Fields: s.Fields, Strict: s.Strict}, s.Has(shapeScalars &^ ShapeNull)
}

// field reports a field that is not there.
func (in *inferrer) field(step *Node, item, whole Shape, path *Node, at int) {
	o, scalar := objects(item)
	if o.IsUnknown() {
		return
	}
	l := lexer{src: in.ast.Source, pos: step.Start}
	e := &Error{Start: step.Start, End: l.next(false).end}
	name := step.Text
	if !o.Has(ShapeObject) {
		if !scalar {
			return // nothing, null or an empty array: not wrong by its type
		}
		what := item.Without(ShapeUndefined | ShapeNull).String()
		e.Code, e.Message = typeScalarField, quote(name)+" is a field, but the value is "+article(what)
		e.Hint = "remove it, or look at what the value really is"
		if name == "length" && item.Without(ShapeUndefined|ShapeNull).Only(ShapeString) {
			e.Hint = "for the number of characters write $length(…)"
			e.Edits = in.around(path, at, "$length(")
		}
		in.report(e)
		return
	}
	if _, listed := o.Field(name); listed || !o.Strict && len(o.Fields) == 0 {
		return
	}
	names := o.FieldNames()
	if whole := in.hyphenated(e.Start, names); whole != "" {
		in.report(&Error{
			Code: slipHyphen, Message: quote(whole) + " is read as a subtraction", Hint: "a name with \"-\" needs backticks: `" + excerpt(whole) + "`",
			Start: e.Start, End: e.Start + len(whole), Edits: []Edit{{Start: e.Start, End: e.Start + len(whole), New: "`" + whole + "`"}},
		})
		return
	}
	near := diag.Closest(name, names)
	e.Code, e.Message = typeUnknownField, "there is no field "+quote(name)
	if !o.Strict {
		e.Code, e.Message = typeUndeclaredField, "the field "+quote(name)+" is not declared"
	}
	switch {
	case near != "" && near != name:
		e.Hint = "did you mean " + quote(near) + "?"
		e.Edits = []Edit{{Start: e.Start, End: e.End, New: identifier(near)}}
	case name == "length" && at > 0 && whole.Has(ShapeArray):
		e.Hint = "for the number of items write $count(…)"
		e.Edits = in.around(path, at, "$count(")
	case len(names) == 0:
		e.Hint = "the object has no fields"
	default:
		e.Hint = "the fields are " + diag.OneOf(names, 20)
	}
	in.report(e)
}

// hyphenated returns the field whose name stands at offset with "-" in it, or "".
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
func (in *inferrer) around(path *Node, at int, call string) []Edit {
	if at == 0 || at != len(path.Args)-1 || path.Group != nil || len(path.Args[at].Stages) > 0 {
		return nil
	}
	return []Edit{{Start: path.Start, End: path.Start, New: call}, {Start: path.Args[at-1].End, End: path.Args[at].End, New: ")"}}
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
