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
		return types.Of(types.String)
	case "<", "<=", ">", ">=":
		in.comparison(n, l, r)
		return undefined.With(types.Boolean)
	}
	return types.Of(types.Boolean)
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
	e := &jsonata.Error{Hint: "convert one side with $number(…) or $string(…)", Start: n.Start, End: n.End}
	switch both := l.Kinds & r.Kinds; {
	case both&types.String == 0 && (!l.Has(types.Number) || !r.Has(types.Number)):
		e.Code, e.Message = typeOperand, diag.Quote(n.Text)+" cannot compare "+article(l.String())+" with "+article(r.String())
		in.report(e)
	case (l.Kinds|r.Kinds)&types.String != 0 && (l.Kinds|r.Kinds)&types.Number != 0:
		e.Code, e.Message = typeMaybe, diag.Quote(n.Text)+" may have to compare a string with a number: "+article(l.String())+" with "+article(r.String())
		in.report(e)
	}
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
	e := &jsonata.Error{Code: typeOperand, Message: takes + ", not " + article(s.String()), Start: n.Start, End: n.End}
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
		e.Edits = []diag.TextEdit{{Start: n.Start, End: n.Start, New: "$string("}, {Start: n.End, End: n.End, New: ")"}}
	}
	in.report(e)
}
