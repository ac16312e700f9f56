package expr

import (
	"slices"
	"strconv"
	"strings"
)

// call evaluates a call. lead is what "~>" passes as first argument, or nil.
func (in *inferrer) call(n *Node, ctx Shape, lead *Node, leading Shape) Shape {
	args := n.Args[1:]
	nodes := args
	var given []Shape
	if lead != nil {
		nodes = append([]*Node{lead}, args...)
		given = append(given, leading)
	}
	name, named := n.Callee()
	if named {
		_, local := in.variable(name)
		named = !local && name != "" && name != "$" && builtins[name] != ""
	}
	if !named {
		if n.Args[0].Kind != KindVariable && !plainField(n.Args[0]) {
			in.callable(n.Args[0], in.value(n.Args[0], ctx))
		}
		for _, a := range args {
			in.value(a, ctx)
		}
		return Unknown()
	}
	for _, a := range args {
		if a.Kind == KindLambda && callsBack[name] && len(given) == 1 {
			given = append(given, ShapeOf(ShapeFunction))
			continue
		}
		given = append(given, in.value(a, ctx))
	}
	in.arity(name, n, nodes, given)
	return in.builtin(name, n, nodes, given, ctx)
}

// callsBack are the functions whose lambda is evaluated for what they pass it.
var callsBack = map[string]bool{"map": true, "filter": true, "reduce": true, "single": true, "sort": true}

func (in *inferrer) apply(n *Node, ctx Shape) Shape {
	left, right := n.Args[0], n.Args[1]
	s := in.value(left, ctx)
	if len(right.Stages) > 0 || right.Group != nil {
		in.value(right, ctx)
		return Unknown()
	}
	switch right.Kind {
	case KindCall:
		if s.Has(ShapeFunction) && !s.IsUnknown() {
			s = Unknown()
		}
		return in.call(right, ctx, left, s)
	case KindVariable:
		if _, local := in.variable(right.Text); !local && builtins[right.Text] != "" && !s.Has(ShapeFunction) {
			return in.builtin(right.Text, n, []*Node{left}, []Shape{s}, ctx)
		}
		return Unknown()
	}
	in.callable(right, in.value(right, ctx))
	return Unknown()
}

// builtin checks the arguments of a built-in function by its signature and
// returns its result.
func (in *inferrer) builtin(name string, call *Node, nodes []*Node, args []Shape, ctx Shape) Shape {
	params, result := signatureOf(name)
	if takesContext(params, args) {
		args = append([]Shape{ctx}, args...)
		nodes = append([]*Node{nil}, nodes...)
	}
	for i, a := range args {
		switch {
		case i >= len(params):
		case nodes[i] != nil:
			in.argument(name, i, params[i], nodes[i], a)
		default:
			in.argument(name, i, params[i], call, a)
		}
	}
	switch {
	case name == "sort" && len(nodes) == 0:
		in.sortable(call, ctx)
	case name == "sort" && len(nodes) == 1 && !args[0].Has(ShapeFunction):
		in.sortable(nodes[0], args[0])
	}
	if len(args) == 0 && required(params) > 0 {
		return Unknown()
	}
	if callsBack[name] && len(nodes) > 1 && nodes[1].Kind == KindLambda {
		return in.callback(name, nodes[1], args, ctx)
	}
	s := in.resultOf(name, nodes, args, result)
	if name == "exists" || name == "count" {
		return s
	}
	if len(nodes) > 0 && nodes[0] == nil {
		s = s.With(ShapeUndefined) // most give nothing for a context of another type
	}
	for _, a := range args {
		s = s.Or(a.only(ShapeUndefined))
	}
	return s
}

// argument reports an argument that no value of its type can be.
func (in *inferrer) argument(name string, i int, p param, node *Node, s Shape) {
	s = s.Without(ShapeUndefined)
	if s.Kinds == 0 || p.kinds == 0 {
		return
	}
	wrong := !s.Has(p.kinds) || name == "number" && s.noNumber()
	if p.elem != 0 {
		items := s.Without(ShapeArray).Or(s.Items())
		wrong = items.Kinds != 0 && !items.Has(p.elem) || slices.ContainsFunc(s.Some, func(item Shape) bool { return !item.Has(p.elem) })
	}
	which := ""
	if i > 0 {
		which = " as argument " + strconv.Itoa(i+1)
	}
	if !wrong {
		in.mayFail("$"+name+" takes "+p.words+which, p, node, s)
		return
	}
	e := &Error{
		Code: typeArgument, Message: "$" + name + " takes " + p.words + which + ", not " + article(s.String()),
		Start: node.Start, End: node.End,
	}
	switch {
	case p.kinds == ShapeString && s.Only(shapeScalars):
		e.Hint = "convert it with $string(…)"
		e.Edits = []Edit{{Start: node.Start, End: node.Start, New: "$string("}, {Start: node.End, End: node.End, New: ")"}}
	case p.kinds == ShapeString && s.Only(ShapeArray):
		e.Hint = "pick an item, join them with $join(…), or apply the function to each: items.$" + name + "(…)"
	case (p.kinds == ShapeNumber || p.elem == ShapeNumber) && s.Only(ShapeString):
		e.Hint = "convert it with $number(…)"
		if s.noNumber() {
			e.Hint = "give it numbers"
			break
		}
		e.Edits = []Edit{{Start: node.Start, End: node.Start, New: "$number("}, {Start: node.End, End: node.End, New: ")"}}
	case p.elem == ShapeNumber:
		e.Hint = "select the numbers in it, such as items.price"
	case p.elem == ShapeString:
		e.Hint = "select the strings in it, or convert the items: items.$string()"
	}
	in.report(e)
}

// noNumber reports whether s is texts of which none can be read as a number.
func (s Shape) noNumber() bool {
	return s.Only(ShapeString) && s.Enum != nil && !slices.ContainsFunc(s.Enum, func(v string) bool { return strings.ContainsAny(v, "0123456789") })
}
