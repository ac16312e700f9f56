package expr

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// The codes of what [Infer] finds.
const (
	typeUnknownField    = "unknown-field"           // an object that has no other fields has not this one
	typeUndeclaredField = "undeclared-field"        // an object may have it, but nothing says so; not a fault by itself
	typeScalarField     = "field-of-scalar"         // a field of a string, number or boolean
	typeOperand         = "wrong-operand-type"      // an operator fails on it
	typeArgument        = "wrong-function-argument" // a built-in function fails on it
)

// TypeDocs says what each code of [Infer] means.
var TypeDocs = map[string]string{
	typeUnknownField:    "The object is known to have no such field, so the path gives nothing.",
	typeUndeclaredField: "The object's schema does not list the field, but allows others.",
	typeScalarField:     "A string, number or boolean has no fields, so the path gives nothing.",
	typeOperand:         "The operator fails on values of this type.",
	typeArgument:        "The function fails on arguments of this type.",
}

// Infer returns what the expression's value can be when the context is root and
// the variables are vars, and what is wrong with it by these types, in order of
// position. The shape holds every value that evaluation can give; what is not
// understood is unknown and silences what depends on it. It is linear in the
// size of the expression, times that of the shapes.
func Infer(ast *AST, root Shape, vars map[string]Shape) (Shape, []*Error) {
	in := inferrer{ast: ast, root: root, seen: map[faultKey]bool{}}
	if root.Has(ShapeArray) { // an array as context is wrapped in ways not modelled
		in.root = Unknown()
	}
	in.scope = &known{vars: maps.Clone(vars)}
	in.scope.scan(ast.Root)
	s := in.value(ast.Root, in.root)
	slices.SortStableFunc(in.found, func(a, b *Error) int { return cmp.Compare(a.Start, b.Start) })
	return s, in.found
}

type inferrer struct {
	ast   *AST
	root  Shape
	scope *known
	found []*Error
	seen  map[faultKey]bool
	quiet int // inside what is not understood well enough to report on
	maybe int // inside what may not be evaluated
	guard int // inside what is evaluated only for some types
	calls int // lambda bodies evaluated again for a function that calls them
}

type faultKey struct {
	start, end int
	code       string
}

// maxCalls bounds how often bodies of lambdas are evaluated in all.
const maxCalls = 2000

func (in *inferrer) report(e *Error) {
	key := faultKey{e.Start, e.End, e.Code}
	if in.quiet > 0 || in.seen[key] || in.guard > 0 && (e.Code == typeOperand || e.Code == typeArgument) {
		return
	}
	in.seen[key] = true
	in.found = append(in.found, e)
}

// hush evaluates nodes in an unknown context, for the references to the root in
// them.
func (in *inferrer) hush(nodes ...*Node) {
	for _, n := range nodes {
		in.value(n, Unknown())
	}
}

// known is one scope of variables. One that is bound twice, or where it is not
// certain to be reached, is unknown.
type known struct {
	vars  map[string]Shape
	times map[string]int
	maybe int
	outer *known
}

func (sc *known) scan(n *Node) {
	if n.Kind == KindBind {
		if sc.times == nil {
			sc.times = map[string]int{}
		}
		sc.times[n.Args[0].Text]++
	}
	if n.Kind != KindBlock && n.Kind != KindLambda {
		for _, c := range n.Args {
			sc.scan(c)
		}
	}
	for _, c := range n.Stages {
		sc.scan(c)
	}
	if n.Group != nil {
		sc.scan(n.Group)
	}
}

// open starts a scope for nodes and returns what ends it.
func (in *inferrer) open(nodes ...*Node) func() {
	sc := &known{outer: in.scope, maybe: in.maybe}
	for _, n := range nodes {
		sc.scan(n)
	}
	in.scope = sc
	return func() { in.scope = sc.outer }
}

func (in *inferrer) bind(name string, s Shape) {
	for sc := in.scope; sc != nil; sc = sc.outer {
		if sc.times[name] == 0 && sc.outer != nil {
			continue
		}
		if sc.times[name] > 1 || in.maybe > sc.maybe {
			s = Unknown()
		}
		if sc.vars == nil {
			sc.vars = map[string]Shape{}
		}
		sc.vars[name] = s
		return
	}
}

// variable returns what is known of a variable, and whether it is one of the
// expression's or the caller's.
func (in *inferrer) variable(name string) (Shape, bool) {
	for sc := in.scope; sc != nil; sc = sc.outer {
		if s, ok := sc.vars[name]; ok {
			return s, true
		}
		if sc.times[name] > 0 { // bound later, or by a recursive definition
			return Unknown(), true
		}
	}
	return Unknown(), false
}

// value evaluates n in ctx, with what hangs on it.
func (in *inferrer) value(n *Node, ctx Shape) Shape {
	if n.Kind == KindPath {
		return in.path(n, ctx)
	}
	s := in.bare(n, ctx)
	for _, stage := range n.Stages {
		s = in.filter(stage, s)
	}
	if n.Group != nil {
		s = in.group(n.Group, s)
	}
	if n.KeepArray {
		s = asArray(s)
	}
	return s
}

// bare evaluates n without what hangs on it.
func (in *inferrer) bare(n *Node, ctx Shape) Shape {
	switch n.Kind {
	case KindString:
		return texts(n.Text)
	case KindNumber:
		if n.Number == math.Trunc(n.Number) {
			return ShapeOf(ShapeInteger)
		}
		return ShapeOf(ShapeFraction)
	case KindBool:
		return ShapeOf(ShapeBoolean)
	case KindNull:
		return ShapeOf(ShapeNull)
	case KindRegex:
		return ShapeOf(ShapeFunction)
	case KindVariable:
		switch n.Text {
		case "":
			return ctx
		case "$":
			return in.root
		}
		s, _ := in.variable(n.Text)
		return s
	case KindArray:
		return in.array(n, ctx)
	case KindObject:
		return in.object(n, ctx)
	case KindBlock:
		return in.block(n, ctx)
	case KindBind:
		s := in.value(n.Args[1], ctx)
		in.bind(n.Args[0].Text, s)
		return s
	case KindCondition:
		return in.condition(n, ctx)
	case KindElvis:
		s := in.value(n.Args[0], ctx).Without(ShapeUndefined | ShapeNull)
		return s.Or(in.perhaps(n.Args[1], ctx))
	case KindCoalesce:
		s := in.value(n.Args[0], ctx).Without(ShapeUndefined)
		return s.Or(in.perhaps(n.Args[1], ctx))
	case KindBinary:
		return in.binary(n, ctx)
	case KindNegate:
		s := in.value(n.Args[0], ctx)
		in.operand(n.Args[0], s, ShapeNumber, `"-" takes a number`)
		return ShapeOf(numeric(s)).Or(s.only(ShapeUndefined))
	case KindCall:
		return in.call(n, ctx, nil, Shape{})
	case KindApply:
		return in.apply(n, ctx)
	case KindLambda:
		in.lambda(n, ctx)
		return ShapeOf(ShapeFunction)
	case KindPartial:
		in.perhapsAll(n.Args[1:], ctx)
		return Unknown()
	case KindTransform:
		in.hush(n.Args...)
		return ShapeOf(ShapeFunction)
	}
	return Unknown()
}

// only returns the part of s that is of the kinds k, for kinds without detail.
func (s Shape) only(k ShapeKind) Shape { return ShapeOf(s.Kinds & k) }

// numeric is the kind of number that an operation on s gives.
func numeric(s Shape) ShapeKind {
	if s.Has(ShapeFraction) || !s.Has(ShapeInteger) {
		return ShapeNumber
	}
	return ShapeInteger
}

// perhaps evaluates what may not be reached.
func (in *inferrer) perhaps(n *Node, ctx Shape) Shape {
	in.maybe++
	s := in.value(n, ctx)
	in.maybe--
	return s
}

func (in *inferrer) perhapsAll(nodes []*Node, ctx Shape) {
	for _, n := range nodes {
		in.perhaps(n, ctx)
	}
}

func (in *inferrer) condition(n *Node, ctx Shape) Shape {
	in.value(n.Args[0], ctx)
	defer in.guarded(n.Args[0])()
	s := in.perhaps(n.Args[1], ctx)
	if len(n.Args) == 2 {
		return s.With(ShapeUndefined)
	}
	return s.Or(in.perhaps(n.Args[2], ctx))
}

// guarded begins what is evaluated only after a condition, and returns what ends
// it. After one that asks for a type, an operation on another is not reported.
func (in *inferrer) guarded(condition *Node) func() {
	if !asksType(condition) {
		return func() {}
	}
	in.guard++
	return func() { in.guard-- }
}

func asksType(n *Node) bool {
	if name, ok := n.Callee(); ok && name == "type" {
		return true
	}
	return slices.ContainsFunc(n.Args, asksType)
}

func (in *inferrer) block(n *Node, ctx Shape) Shape {
	defer in.open(n.Args...)()
	s := ShapeOf(ShapeUndefined)
	for _, e := range n.Args {
		s = in.value(e, ctx)
	}
	return s
}

// lambda evaluates a body for parameters of which nothing is known.
func (in *inferrer) lambda(n *Node, ctx Shape) Shape {
	return in.apply1(n, ctx, nil)
}

// apply1 evaluates a lambda's body for given arguments; those missing are
// unknown.
func (in *inferrer) apply1(n *Node, ctx Shape, args []Shape) Shape {
	if in.calls++; in.calls > maxCalls {
		return Unknown()
	}
	params, body := n.Args[:len(n.Args)-1], n.Args[len(n.Args)-1]
	defer in.open(body)()
	in.scope.vars = map[string]Shape{}
	for i, p := range params {
		s := Unknown()
		if i < len(args) && n.Text == "" {
			s = args[i]
		}
		in.scope.vars[p.Text] = s
	}
	return in.perhaps(body, ctx)
}

// array evaluates an array constructor, which flattens its items one level,
// except for arrays constructed in place.
func (in *inferrer) array(n *Node, ctx Shape) Shape {
	elem := Shape{}
	for _, item := range n.Args {
		if item.Kind == KindRange {
			for _, end := range item.Args {
				in.operand(end, in.value(end, ctx), ShapeInteger|ShapeFraction, `".." takes integers`)
			}
			elem = elem.With(ShapeInteger)
			continue
		}
		s := in.value(item, ctx)
		if item.Kind != KindArray || len(item.Stages) > 0 || item.Group != nil {
			elem = elem.Or(s.Without(ShapeUndefined | ShapeArray)).Or(s.Items())
		}
		if item.Kind == KindArray {
			elem = elem.Or(s.Without(ShapeUndefined))
		}
	}
	return ArrayOf(elem)
}

// object evaluates an object constructor.
func (in *inferrer) object(n *Node, ctx Shape) Shape {
	if ctx.Has(ShapeArray) { // it is evaluated over the items
		ctx = Unknown()
	}
	return in.pairs(n, ctx)
}

// group evaluates "{…}" after a value: the keys for each item, the values for
// the items of a key together.
func (in *inferrer) group(n *Node, s Shape) Shape {
	item := s.Without(ShapeArray).Or(s.Items())
	out := in.pairs(n, item.Or(ArrayOf(item)))
	return out.Or(s.only(ShapeUndefined)) // of nothing, an object by the reference, nothing by the evaluator
}

func (in *inferrer) pairs(n *Node, ctx Shape) Shape {
	strict := true
	fields := map[string]ShapeField{}
	for i := 0; i < len(n.Args); i += 2 {
		key := n.Args[i]
		name := in.value(key, ctx)
		s := in.value(n.Args[i+1], ctx)
		in.operand(key, name, ShapeString, "a key is a string")
		f := ShapeField{Name: key.Text, Shape: s.Without(ShapeUndefined), Optional: s.Has(ShapeUndefined)}
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
	in.perhaps(stage, item)
	if stage.Kind == KindNumber && len(stage.Stages) == 0 {
		return item.With(ShapeUndefined)
	}
	return sequence(item)
}

// sequence returns what a sequence of items of a shape becomes: nothing, the
// item itself, or an array.
func sequence(item Shape) Shape {
	item = item.Without(ShapeUndefined)
	return item.Or(ArrayOf(item)).With(ShapeUndefined)
}

// asArray returns what "[]" makes of a value: a sequence of one stays an array.
func asArray(s Shape) Shape {
	item := s.Without(ShapeArray | ShapeUndefined).Or(s.Items())
	return ArrayOf(item).Or(s.only(ShapeUndefined)).Or(s.Without(ShapeUndefined))
}
