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
	for i, a := range args {
		if a.Kind == KindLambda && callsBack[name] && i == len(args)-1 {
			given = append(given, ShapeOf(ShapeFunction))
			continue
		}
		given = append(given, in.value(a, ctx))
	}
	in.arity(name, n, nodes)
	return in.builtin(name, nodes, given, ctx)
}

// callsBack are the functions whose lambda is evaluated for what they pass it.
var callsBack = map[string]bool{"map": true, "filter": true}

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
			return in.builtin(right.Text, []*Node{left}, []Shape{s}, ctx)
		}
		return Unknown()
	}
	in.callable(right, in.value(right, ctx))
	return Unknown()
}

// builtin checks the arguments of a built-in function by its signature and
// returns its result.
func (in *inferrer) builtin(name string, nodes []*Node, args []Shape, ctx Shape) Shape {
	params, result := signatureOf(builtins[name])
	if takesContext(params, args) {
		args = append([]Shape{ctx}, args...)
		nodes = append([]*Node{nil}, nodes...)
	}
	for i, a := range args {
		if i < len(params) && nodes[i] != nil {
			in.argument(name, i, params[i], nodes[i], a)
		}
	}
	if callsBack[name] && len(nodes) == 2 && nodes[1].Kind == KindLambda {
		return in.callback(name, nodes[1], args[0], ctx)
	}
	s := in.resultOf(name, nodes, args, result)
	if name == "exists" || name == "count" {
		return s
	}
	for _, a := range args {
		s = s.Or(a.only(ShapeUndefined))
	}
	return s
}

// callback evaluates the lambda of $map or $filter for the items of list.
func (in *inferrer) callback(name string, lambda *Node, list, ctx Shape) Shape {
	item := list.Without(ShapeArray | ShapeUndefined).Or(list.Items())
	out := in.apply1(lambda, ctx, []Shape{item, ShapeOf(ShapeInteger), ArrayOf(item)})
	if list.Kinds == ShapeUndefined {
		return list
	}
	if name == "filter" {
		return sequence(item)
	}
	return sequence(out)
}

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
		return ShapeOf(ShapeBoolean | ShapeUndefined)
	case "max", "min", "average", "toMillis":
		return ShapeOf(ShapeNumber | ShapeUndefined)
	case "sum":
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
		if items.Only(ShapeObject) {
			return in.merged(first, items)
		}
	case "lookup":
		if len(nodes) == 2 && nodes[1] != nil && nodes[1].Kind == KindString && len(nodes[1].Stages) == 0 {
			s := in.lookup(nodes[1].Text, first, 0)
			return s.Or(sequence(s.Without(ShapeArray).Or(s.Items())))
		}
	case viaNodeExecution, viaNodeExecutions:
		if len(nodes) > 0 && nodes[0] != nil && nodes[0].Kind == KindString && len(nodes[0].Stages) == 0 {
			s := in.lookup(nodes[0].Text, in.root, 0).With(ShapeNull | ShapeUndefined)
			if name == viaNodeExecutions {
				return sequence(s).Or(ArrayOf(s))
			}
			return s
		}
	case "split":
		return sequence(ShapeOf(ShapeString))
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

// A param is one parameter of a signature: what it takes.
type param struct {
	kinds    ShapeKind
	elem     ShapeKind // of an array's items; 0: anything
	words    string
	optional bool
	context  bool
}

var paramKinds = map[byte]ShapeKind{
	's': ShapeString, 'n': ShapeNumber, 'b': ShapeBoolean, 'l': ShapeNull, 'o': ShapeObject,
	'a': shapeAll, 'f': ShapeFunction, 'j': ShapeJSON, 'x': shapeAll,
}

var paramWords = map[byte]string{'s': "a string", 'n': "a number", 'b': "a boolean", 'l': "null", 'o': "an object", 'a': "an array", 'f': "a function"}

// signatureOf returns the parameters of a signature of [builtins] and its
// result's letter.
func signatureOf(sig string) (params []param, result string) {
	for i := 1; i < len(sig); i++ {
		switch c := sig[i]; c {
		case ':':
			return params, strings.TrimSuffix(sig[i+1:], ">")
		case '?', '+':
			params[len(params)-1].optional = true
		case '-':
			for j := range params { // "<s-" and the "-" after a choice both mean the last
				params[j].context = params[j].context || j == len(params)-1
			}
		case '(':
			p := param{}
			end := closing(sig, i, '(', ')')
			for _, o := range []byte(sig[i+1 : end]) {
				p.kinds |= paramKinds[o]
				p.words = strings.TrimPrefix(p.words+" or "+paramWords[o], " or ")
			}
			params = append(params, p)
			i = end
		case '<':
			if p := &params[len(params)-1]; p.kinds == shapeAll {
				p.elem = paramKinds[sig[i+1]]
				p.words = "an array of " + strings.TrimPrefix(strings.TrimPrefix(paramWords[sig[i+1]], "a "), "an ") + "s"
			}
			i = closing(sig, i, '<', '>')
		case '>':
		default:
			params = append(params, param{kinds: paramKinds[c], words: paramWords[c]})
		}
	}
	return params, ""
}

// takesContext reports whether the context is the first argument of a call: there
// are too few, or they fit only so.
func takesContext(params []param, args []Shape) bool {
	if len(params) == 0 || !params[0].context || len(args) >= len(params) {
		return false
	}
	if len(args) < required(params) {
		return true
	}
	for i, a := range args {
		if !a.Has(params[i+1].kinds | ShapeUndefined) {
			return false
		}
	}
	return !args[0].Has(params[0].kinds | ShapeUndefined)
}

// required counts the arguments without which the context is taken.
func required(params []param) int {
	n := 0
	for _, p := range params {
		if !p.optional {
			n++
		}
	}
	return n
}

// argument reports an argument that no value of its type can be.
func (in *inferrer) argument(name string, i int, p param, node *Node, s Shape) {
	s = s.Without(ShapeUndefined)
	if s.Kinds == 0 || p.kinds == 0 {
		return
	}
	wrong := !s.Has(p.kinds)
	if p.elem != 0 {
		items := s.Without(ShapeArray).Or(s.Items())
		wrong = items.Kinds != 0 && !items.Has(p.elem) || slices.ContainsFunc(s.Some, func(item Shape) bool { return !item.Has(p.elem) })
	}
	if !wrong {
		return
	}
	which := ""
	if i > 0 {
		which = " as argument " + strconv.Itoa(i+1)
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
		e.Edits = []Edit{{Start: node.Start, End: node.Start, New: "$number("}, {Start: node.End, End: node.End, New: ")"}}
	case p.elem == ShapeNumber:
		e.Hint = "select the numbers in it, such as items.price"
	case p.elem == ShapeString:
		e.Hint = "select the strings in it, or convert the items: items.$string()"
	}
	in.report(e)
}
