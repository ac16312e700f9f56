package expr

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// call evaluates a call. lead is what "~>" passes as first argument, or nil.
func (in *inferrer) call(n *jsonata.Node, ctx types.Type, lead *jsonata.Node, leading types.Type) types.Type {
	args := n.Args[1:]
	nodes := args
	var given []types.Type
	if lead != nil {
		nodes = append([]*jsonata.Node{lead}, args...)
		given = append(given, leading)
	}
	b := in.called(n)
	if b == nil {
		if n.Args[0].Kind != jsonata.KindVariable && !jsonata.PlainField(n.Args[0]) {
			in.callable(n.Args[0], in.value(n.Args[0], ctx))
		}
		for _, a := range args {
			in.value(a, ctx)
		}
		return types.Unknown()
	}
	for _, a := range args {
		if a.Kind == jsonata.KindLambda && callsBack(b) && len(given) == 1 {
			given = append(given, types.Of(types.Function))
			continue
		}
		given = append(given, in.value(a, ctx))
	}
	in.arity(b, n, nodes)
	return in.builtin(b, n, nodes, given, ctx)
}

// called is the built-in function that a call names, or nil.
func (in *inferrer) called(n *jsonata.Node) *jsonata.Builtin {
	name, named := n.Callee()
	if !named {
		return nil
	}
	return in.builtinNamed(name)
}

// builtinNamed is the built-in function of a name that no variable hides, or nil.
func (in *inferrer) builtinNamed(name string) *jsonata.Builtin {
	if _, local := in.variable(name); local {
		return nil
	}
	return jsonata.LookupBuiltin(name)
}

func (in *inferrer) apply(n *jsonata.Node, ctx types.Type) types.Type {
	left, right := n.Args[0], n.Args[1]
	s := in.value(left, ctx)
	if len(right.Stages) > 0 || right.Group != nil {
		in.value(right, ctx)
		return types.Unknown()
	}
	switch right.Kind {
	case jsonata.KindCall:
		if s.Has(types.Function) && !s.IsUnknown() {
			s = types.Unknown()
		}
		return in.call(right, ctx, left, s)
	case jsonata.KindVariable:
		if b := in.builtinNamed(right.Text); b != nil && !s.Has(types.Function) {
			return in.builtin(b, n, []*jsonata.Node{left}, []types.Type{s}, ctx)
		}
		return types.Unknown()
	}
	in.callable(right, in.value(right, ctx))
	return types.Unknown()
}

// builtin checks the arguments of a built-in function by its signature and
// returns its result.
func (in *inferrer) builtin(b *jsonata.Builtin, call *jsonata.Node, nodes []*jsonata.Node, args []types.Type, ctx types.Type) types.Type {
	params := b.Params()
	if takesContext(b, args) {
		args = append([]types.Type{ctx}, args...)
		nodes = append([]*jsonata.Node{nil}, nodes...)
	}
	for i, a := range args {
		switch {
		case i >= len(params):
		case nodes[i] != nil:
			in.argument(b.Name, i, newParam(&params[i]), nodes[i], a)
			if nodes[i].Bare(jsonata.KindString) {
				if err := b.CheckText(i, nodes[i].Text); err != nil {
					in.report(faultAt(nodes[i], typeArgument, "$"+b.Name+": "+err.Error(), ""))
				}
			}
		default:
			in.argument(b.Name, i, newParam(&params[i]), call, a)
		}
	}
	switch {
	case b.Callback == jsonata.CallbackPair && len(nodes) == 0:
		in.sortable(call, ctx)
	case b.Callback == jsonata.CallbackPair && len(nodes) == 1 && !args[0].Has(types.Function):
		in.sortable(nodes[0], args[0])
	}
	if len(args) == 0 && b.Required() > 0 {
		return types.Unknown()
	}
	if callsBack(b) && len(nodes) > 1 && nodes[1].Kind == jsonata.KindLambda {
		return in.callback(b, nodes[1], args, ctx)
	}
	if b.Name == "string" && len(args) > 0 {
		in.numberText(nodes[0], args[0])
	}
	if b.Name == "count" && len(args) > 0 && args[0].Has(types.Null) && args[0].Has(types.Array) && !args[0].Items().Has(types.Null) && !args[0].IsOpen() {
		in.report(faultAt(cmp.Or(nodes[0], call), typeCountOfNull, "this may be null, and $count(null) is 1", "test first: x = null ? 0 : $count(x); x[0] != null says whether it has items"))
	}
	s := in.builtinResult(b, nodes, args)
	if b.Total {
		return s
	}
	if len(nodes) > 0 && nodes[0] == nil {
		s = s.With(types.Undefined) // most give nothing for a context of another type
	}
	for _, a := range args {
		s = s.Or(a.Limit(types.Undefined))
	}
	return s
}

// argument reports an argument that no value of its type can be.
func (in *inferrer) argument(name string, i int, p param, node *jsonata.Node, s types.Type) {
	s = s.Without(types.Undefined)
	if s.Kinds == 0 || p.kinds == 0 {
		return
	}
	wrong := !s.Has(p.kinds) || name == "number" && s.NoNumber()
	if p.elem != 0 {
		items := s.Without(types.Array).Or(s.Items())
		wrong = items.Kinds != 0 && !items.Has(p.elem) || slices.ContainsFunc(s.Known, func(item types.Type) bool { return !item.Has(p.elem) })
	}
	which := ""
	if i > 0 {
		which = " as argument " + strconv.Itoa(i+1)
	}
	if !wrong {
		in.mayFail("$"+name+" takes "+p.words+which, p, node, s)
		return
	}
	e := faultAt(node, typeArgument, "$"+name+" takes "+p.words+which+", not "+article(s.String()), "")
	switch {
	case p.kinds == types.String && s.Only(types.Scalar):
		e.Hint = "convert it with $string(…)"
		e.Edits = diag.Surround(node.Start, node.End, "$string(", ")")
	case p.kinds == types.String && s.Only(types.Array):
		e.Hint = "pick an item, join them with $join(…), or apply the function to each: items.$" + name + "(…)"
	case (p.kinds == types.Number || p.elem == types.Number) && s.Only(types.String):
		e.Hint = "convert it with $number(…)"
		if s.NoNumber() {
			e.Hint = "give it numbers"
			break
		}
		e.Edits = diag.Surround(node.Start, node.End, "$number(", ")")
	case p.elem == types.Number:
		e.Hint = "select the numbers in it, such as items.price"
	case p.elem == types.String:
		e.Hint = "select the strings in it, or convert the items: items.$string()"
	}
	in.report(e)
}
