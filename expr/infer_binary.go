package expr

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// binary evaluates an operation.
func (in *inferrer) binary(n *jsonata.Node, ctx types.Type) types.Type {
	l := in.value(n.Args[0], ctx)
	var r types.Type
	if n.Text == "and" || n.Text == "or" {
		defer in.guarded(n.Args[0], n.Text == "and")()
		in.perhaps(n.Args[1], ctx)
		return types.Of(types.Boolean)
	}
	r = in.value(n.Args[1], ctx)
	undefined := l.Limit(types.Undefined).Or(r.Limit(types.Undefined))
	switch n.Text {
	case "+", "-", "*", "/", "%":
		for i, s := range [...]types.Type{l, r} {
			if !certain(s, types.Number) {
				in.operand(n.Args[i], s, types.Number, diag.Quote(n.Text)+" takes numbers")
			}
		}
		if n.Text == "/" || n.Text == "%" {
			if numeric(l) != 0 && numeric(r) != 0 {
				return undefined.With(types.Number)
			}
			return undefined
		}
		return undefined.With(numeric(l) | numeric(r))
	case "&":
		in.numberText(n.Args[0], l)
		in.numberText(n.Args[1], r)
		return types.Of(types.String)
	case "<", "<=", ">", ">=":
		in.comparison(n, l, r)
		return undefined.With(types.Boolean)
	}
	return types.Of(types.Boolean)
}

// numberText notes a number that is read, so that it may have more than one spelling, and
// becomes text.
func (in *inferrer) numberText(n *jsonata.Node, s types.Type) {
	if n != nil && n.Kind == jsonata.KindPath && s.Has(types.Number) && !s.IsOpen() {
		in.report(faultAt(n, TypeNumberText, "a number becomes text", ""))
	}
}

// comparison reports what "<" and its like cannot compare.
func (in *inferrer) comparison(n *jsonata.Node, l, r types.Type) {
	const comparable = types.Number | types.String
	for i, s := range [...]types.Type{l, r} {
		if !certain(s, comparable) {
			in.operand(n.Args[i], s, comparable, diag.Quote(n.Text)+" compares numbers or strings")
		}
	}
	l, r = l.Without(types.Undefined), r.Without(types.Undefined)
	if !l.Only(comparable) || !r.Only(comparable) {
		return
	}
	code, how := typeMaybe, " may have to compare a string with a number: "
	switch either := l.Kinds | r.Kinds; {
	case l.Kinds&r.Kinds&types.String == 0 && (!l.Has(types.Number) || !r.Has(types.Number)):
		code, how = typeOperand, " cannot compare "
	case either&types.String == 0 || either&types.Number == 0:
		return
	}
	in.report(faultAt(n, code, diag.Quote(n.Text)+how+article(l.String())+" with "+article(r.String()), "convert one side with $number(…) or $string(…)"))
}

// certain reports whether a value is of the kinds k or nothing, or is not known.
func certain(s types.Type, k types.Kind) bool {
	s = s.Without(types.Undefined)
	return s.Kinds == 0 || s.Only(k) || s.IsOpen()
}

// operand reports an operand that is never of the kinds k, or not always. Nothing
// makes the operation's value nothing.
func (in *inferrer) operand(n *jsonata.Node, s types.Type, k types.Kind, takes string) {
	if certain(s, k) {
		return
	}
	s = s.Without(types.Undefined)
	e := faultAt(n, typeOperand, takes+", not "+article(s.String()), "")
	if s.Has(k) {
		e.Code, e.Message = typeMaybe, takes+", and this may be "+article(s.Without(k).String())
		e.Hint = alternatives(s, k)
		if s.Without(k).Only(types.Array) {
			e.Edits = n.FirstOfAll()
		}
		in.report(e)
		return
	}
	switch {
	case k == types.Number && s.Only(types.String):
		e.Hint = `convert it with $number(…); strings are joined with "&"`
	case k&types.Number != 0 && s.Only(types.Array):
		e.Hint = "reduce it to one number: $count(…), $sum(…) or [0]"
	case k == types.String && s.Only(types.Scalar):
		e.Hint = "convert it with $string(…)"
		e.Edits = diag.Surround(n.Start, n.End, "$string(", ")")
	}
	in.report(e)
}
