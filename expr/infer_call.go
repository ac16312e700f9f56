package expr

import (
	"slices"
	"strconv"
	"strings"
	"sync"
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
		return ShapeOf(ShapeBoolean)
	case "max", "min":
		s := ShapeOf(numeric(items))
		if first.nonempty() {
			return s
		}
		return s.With(ShapeUndefined)
	case "average", "toMillis":
		return ShapeOf(ShapeNumber | ShapeUndefined)
	case "sum":
		return ShapeOf(numeric(items) | ShapeInteger)
	case "floor", "ceil":
		return ShapeOf(ShapeInteger)
	case "round":
		if len(args) == 1 {
			return ShapeOf(ShapeInteger)
		}
		return ShapeOf(ShapeNumber)
	case "abs":
		return ShapeOf(numeric(first))
	case "number":
		if first.Only(ShapeInteger | ShapeBoolean) {
			return ShapeOf(ShapeInteger)
		}
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
		if s, ok := in.overlaid(nodes); ok {
			return s
		}
		if items.Only(ShapeObject) {
			return in.merged(first, items)
		}
	case "lookup":
		if len(nodes) == 2 && nodes[1] != nil && nodes[1].Kind == KindString && len(nodes[1].Stages) == 0 {
			s := in.lookup(nodes[1].Text, first, 0)
			if !first.Has(ShapeArray) {
				return s
			}
			return s.Or(sequence(s.Without(ShapeArray).Or(s.Items())))
		}
	case viaNodeExecution, viaNodeExecutions:
		if len(nodes) > 0 && nodes[0] != nil && nodes[0].Kind == KindString && len(nodes[0].Stages) == 0 {
			s := in.lookup(nodes[0].Text, in.root, 0)
			if name == viaNodeExecutions {
				return sequence(s).Or(ArrayOf(s))
			}
			if in.ran(nodes[0].Text) && (len(nodes) < 2 || nodes[1] != nil && nodes[1].Kind == KindNumber && (nodes[1].Number == 0 || nodes[1].Number == -1)) {
				return s.Without(ShapeUndefined)
			}
			return s.Without(ShapeUndefined).Or(Shape{Kinds: ShapeNull | ShapeUndefined, Missed: true})
		}
	case "split":
		return sequence(ShapeOf(ShapeString)).Or(ArrayOf(ShapeOf(ShapeString)))
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

// overlaid is the object that $merge makes of those in an array constructor: each
// field is that of the last that has it.
func (in *inferrer) overlaid(nodes []*Node) (Shape, bool) {
	if len(nodes) != 1 || nodes[0] == nil || nodes[0].Kind != KindArray || len(nodes[0].Stages) > 0 || nodes[0].Group != nil {
		return Shape{}, false
	}
	all := ObjectOf(true)
	for _, item := range nodes[0].Args {
		s, ok := in.shapes[item]
		if !ok {
			return Shape{}, false
		}
		fields := slices.Clone(s.Fields)
		for i, f := range fields {
			if before, listed := all.Field(f.Name); f.Optional && (listed || !all.Strict) {
				fields[i].Shape = f.Shape.Or(before.Without(ShapeUndefined))
				fields[i].Optional = before.Has(ShapeUndefined)
			}
		}
		for _, f := range all.Fields {
			if _, listed := s.Field(f.Name); !listed {
				if !s.Strict { // it may have the field, too
					f.Shape = Unknown().Without(ShapeUndefined)
				}
				fields = append(fields, f)
			}
		}
		all = ObjectOf(all.Strict && s.Strict, fields...)
	}
	return all, true
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

// signatures are those of [builtins], parsed.
var signatures = sync.OnceValue(func() map[string]signature {
	all := map[string]signature{}
	for name, text := range builtins {
		params, result := parseSignature(text)
		all[name] = signature{params, result}
	}
	return all
})

type signature struct {
	params []param
	result string
}

// signatureOf returns the parameters of a built-in function and its result's
// letter.
func signatureOf(name string) (params []param, result string) {
	s := signatures()[name]
	return s.params, s.result
}

// parseSignature reads a signature of [builtins].
func parseSignature(sig string) (params []param, result string) {
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
