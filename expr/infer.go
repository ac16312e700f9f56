package expr

import (
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// The codes of no faults.
const (
	TypeDeclared   = "declared-field" // length is read as a field, and it is one
	TypeNumberText = "number-text"    // a number that is read becomes text
)

// The codes of what [Infer] finds.
const (
	typeUnknownField    = "unknown-field"           // an object that has no other fields has not this one
	typeUndeclaredField = "undeclared-field"        // an object may have it, but nothing says so; not a fault by itself
	typeScalarField     = "field-of-scalar"         // a field of a string, number or boolean
	typeOperand         = "wrong-operand-type"      // an operator fails on it
	typeArgument        = "wrong-function-argument" // a built-in function fails on it
	typeMaybe           = "maybe-wrong-type"        // an operator or function fails on some of what it can be
	typeFunction        = "function-value"          // a function, which is not a value
	typeCountOfNull     = "count-of-null"           // $count of what may be null, which counts as one
)

// PreviousNode is the key among the variables of [Infer] of what $previousNode() returns.
const PreviousNode = "previousNode()"

// Infer returns what the expression's value can be when the context is root and
// the variables are vars, and what is wrong with it by these types, in order of
// position. The shape holds every value that evaluation can give; what is not
// understood is unknown and silences what depends on it. It is linear in the
// size of the expression, times that of the shapes.
func Infer(ast *jsonata.AST, root types.Type, vars map[string]types.Type) (types.Type, []*jsonata.Error) {
	in := inferrer{ast: ast, root: root}
	if root.Has(types.Array) { // an array as context is wrapped in ways not modelled
		in.root = types.Unknown()
	}
	in.scope = &known{vars: maps.Clone(vars)}
	ast.Root.EachBinding(in.scope.count)
	for name := range vars {
		in.scope.given(name)
	}
	s := in.value(ast.Root, in.root)
	in.functions(s)
	in.settle()
	return s, in.found
}

type inferrer struct {
	ast   *jsonata.AST
	root  types.Type
	scope *known
	found []*jsonata.Error
	seen  map[faultKey]bool
	quiet int // inside what is not understood well enough to report on
	maybe int // inside what may not be evaluated
	guard int // inside what is evaluated only for some types
	calls int // lambda bodies evaluated again for a function that calls them

	shapes map[*jsonata.Node]types.Type // of the items of array constructors

	facts     []fact // what the conditions around say
	contextID int    // the number of the context: facts about another do not hold
	contexts  int    // contexts so far
}

type faultKey struct {
	start, end int
	code       string
}

// faultAt is a fault of the node n.
func faultAt(n *jsonata.Node, code, message, hint string) *jsonata.Error {
	return &jsonata.Error{Code: code, Message: message, Hint: hint, Start: n.Start, End: n.End}
}

// maxCalls bounds how often bodies of lambdas are evaluated in all.
const maxCalls = 2000

func (in *inferrer) report(e *jsonata.Error) {
	key := faultKey{e.Start, e.End, e.Code}
	if in.quiet > 0 || in.seen[key] || in.guard > 0 && (e.Code == typeOperand || e.Code == typeArgument || e.Code == typeMaybe) {
		return
	}
	if in.seen == nil {
		in.seen = map[faultKey]bool{}
	}
	in.seen[key] = true
	in.found = append(in.found, e)
}

// unknownContext evaluates nodes in an unknown context, for the references to the root in
// them.
func (in *inferrer) unknownContext(nodes ...*jsonata.Node) {
	for _, n := range nodes {
		in.value(n, types.Unknown())
	}
}

// value evaluates n in ctx, with what hangs on it.
func (in *inferrer) value(n *jsonata.Node, ctx types.Type) types.Type {
	if n.Kind == jsonata.KindPath {
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
func (in *inferrer) bare(n *jsonata.Node, ctx types.Type) types.Type {
	switch n.Kind {
	case jsonata.KindString:
		if !utf8.ValidString(n.Text) { // half of a character, which few readers of JSON keep
			return types.Of(types.String)
		}
		return types.Texts(n.Text)
	case jsonata.KindNumber:
		if n.Number == math.Trunc(n.Number) {
			return types.Of(types.Integer)
		}
		return types.Of(types.Fraction)
	case jsonata.KindBool:
		return types.Of(types.Boolean)
	case jsonata.KindNull:
		return types.Of(types.Null)
	case jsonata.KindRegex:
		return types.Of(types.Function)
	case jsonata.KindVariable:
		switch n.Text {
		case "":
			return ctx
		case "$":
			return in.root
		}
		s, _ := in.variable(n.Text)
		return in.fact(n, s)
	case jsonata.KindArray:
		return in.array(n, ctx)
	case jsonata.KindObject:
		return in.object(n, ctx)
	case jsonata.KindBlock:
		return in.block(n, ctx)
	case jsonata.KindBind:
		s := in.value(n.Args[1], ctx)
		in.bind(n.Args[0].Text, s)
		return s
	case jsonata.KindCondition:
		return in.condition(n, ctx)
	case jsonata.KindElvis:
		s := in.value(n.Args[0], ctx).Without(types.Undefined | types.Null | types.Function)
		return s.Or(in.perhaps(n.Args[1], ctx))
	case jsonata.KindCoalesce:
		s, other := in.value(n.Args[0], ctx), in.perhaps(n.Args[1], ctx)
		if s.Kinds != 0 && !s.Has(types.Undefined) {
			return s
		}
		return s.Without(types.Undefined).Or(other)
	case jsonata.KindBinary:
		return in.binary(n, ctx)
	case jsonata.KindNegate:
		s := in.value(n.Args[0], ctx)
		in.operand(n.Args[0], s, types.Number, `"-" takes a number`)
		return types.Of(numeric(s)).Or(s.Limit(types.Undefined))
	case jsonata.KindCall:
		return in.call(n, ctx, nil, types.Type{})
	case jsonata.KindApply:
		return in.apply(n, ctx)
	case jsonata.KindLambda:
		in.lambda(n, ctx)
		return types.Of(types.Function)
	case jsonata.KindPartial:
		in.perhapsAll(n.Args[1:], ctx)
		return types.Unknown()
	case jsonata.KindTransform:
		in.unknownContext(n.Args...)
		return types.Of(types.Function)
	}
	return types.Unknown()
}

// numeric is the kind of number that an operation on s gives; of nothing, none.
func numeric(s types.Type) types.Kind {
	switch {
	case s.Kinds&^types.Undefined == 0:
		return 0
	case s.Has(types.Fraction) || !s.Has(types.Integer):
		return types.Number
	}
	return types.Integer
}

// perhaps evaluates what may not be reached.
func (in *inferrer) perhaps(n *jsonata.Node, ctx types.Type) types.Type {
	in.maybe++
	s := in.value(n, ctx)
	in.maybe--
	return s
}

func (in *inferrer) perhapsAll(nodes []*jsonata.Node, ctx types.Type) {
	for _, n := range nodes {
		in.perhaps(n, ctx)
	}
}

func (in *inferrer) condition(n *jsonata.Node, ctx types.Type) types.Type {
	in.value(n.Args[0], ctx)
	if c := n.Args[0]; c.Kind == jsonata.KindBool && len(c.Stages) == 0 && len(n.Args) == 3 {
		taken, other := n.Args[1], n.Args[2]
		if c.Text == "false" {
			taken, other = other, taken
		}
		in.perhaps(other, ctx)
		return in.value(taken, ctx)
	}
	end := in.guarded(n.Args[0], true)
	s := in.perhaps(n.Args[1], ctx)
	end()
	defer in.guarded(n.Args[0], false)()
	other := types.Of(types.Undefined)
	if len(n.Args) == 3 {
		other = in.perhaps(n.Args[2], ctx)
	}
	if in.exhausted(n.Args[0], ctx) {
		return s
	}
	return s.Or(other)
}

// exhausted reports whether a condition that does not hold leaves the value that it
// compares with a literal no value at all.
func (in *inferrer) exhausted(c *jsonata.Node, ctx types.Type) bool {
	if c.Kind != jsonata.KindBinary || c.Text != "=" || in.key(c.Args[0]) == "" {
		return false
	}
	in.quiet++
	defer func() { in.quiet-- }()
	return in.value(c.Args[0], ctx).Kinds == 0
}

// guarded begins what is evaluated only when a condition holds, or does not, and
// returns what ends it. What the condition says is then known. After one that asks
// for a type in a way that is not understood, an operation on another is not
// reported.
func (in *inferrer) guarded(condition *jsonata.Node, holds bool) func() {
	was := in.facts
	understood := in.learn(condition, holds)
	guard := !understood && asksType(condition)
	if guard {
		in.guard++
	}
	return func() {
		in.facts = was
		if guard {
			in.guard--
		}
	}
}

func asksType(n *jsonata.Node) bool {
	if name, ok := n.Callee(); ok && name == "type" {
		return true
	}
	return slices.ContainsFunc(n.Args, asksType)
}

func (in *inferrer) block(n *jsonata.Node, ctx types.Type) types.Type {
	defer in.open(n.Args...)()
	s := types.Of(types.Undefined)
	for _, e := range n.Args {
		s = in.value(e, ctx)
	}
	return s
}

// lambda evaluates a body for unknown parameters.
func (in *inferrer) lambda(n *jsonata.Node, ctx types.Type) types.Type {
	return in.apply1(n, ctx, nil)
}

// apply1 evaluates a lambda's body for given arguments; those missing are
// unknown.
func (in *inferrer) apply1(n *jsonata.Node, ctx types.Type, args []types.Type) types.Type {
	if in.calls++; in.calls > maxCalls {
		return types.Unknown()
	}
	params, body := n.Args[:len(n.Args)-1], n.Args[len(n.Args)-1]
	defer in.open(body)()
	defer in.forget(params)()
	in.scope.vars = map[string]types.Type{}
	for i, p := range params {
		in.scope.given(p.Text)
		s := types.Unknown()
		if i < len(args) && n.Text == "" {
			s = args[i]
		}
		in.scope.vars[p.Text] = s
	}
	return in.perhaps(body, ctx)
}
