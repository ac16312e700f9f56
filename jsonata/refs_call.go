package jsonata

import "strings"

// call evaluates a call or partial application. lead is what "~>" passes as
// first argument, or nil, and its view.
func (r *referrer) call(n *Node, ctx view, lead *Node, leading view) (view, int) {
	args := n.Args[1:]
	count := len(args)
	if lead != nil {
		count++
	}
	name, named := n.Callee()
	switch {
	case !named && PlainField(n.Args[0]): // a mistake: data holds no functions
	case !named:
		r.used(n.Args[0], ctx)
	default:
		local := r.scope.find(name) != nil
		f := n.Args[0]
		r.out.Functions = append(r.out.Functions, Call{name, r.base + f.Start, r.base + f.End, count, local})
		named = !local
		if name == "" || name == "$" {
			named = false
			r.used(f, ctx)
		}
	}
	if !named {
		r.use(leading)
		r.each(args, ctx)
		return viewData, noRef
	}
	if b := LookupBuiltin(name); b != nil && b.Reads == ReadsExpression && r.literal(args, ctx, lead) {
		return viewData, noRef
	}
	b := r.function(name)
	switch b.Reads {
	case ReadsNode:
		return viewData, r.history(name, args, ctx, lead)
	case ReadsMember:
		return viewData, r.lookup(args, ctx, lead, leading)
	}
	if b.takesContext(count) {
		r.use(ctx)
	}
	r.use(leading)
	r.each(args, ctx)
	return viewData, noRef
}

// PlainField reports whether n is a lone name.
func PlainField(n *Node) bool {
	return n.Kind == KindPath && len(n.Args) == 1 && n.Args[0].Kind == KindName && len(n.Args[0].Stages) == 0 && n.Group == nil
}

// history evaluates a function that names a node by its id.
func (r *referrer) history(name string, args []*Node, ctx view, lead *Node) int {
	ref := noRef
	id := lead
	if id == nil && len(args) > 0 {
		id, args = args[0], args[1:]
		r.used(id, ctx)
	}
	if id != nil && id.Bare(KindString) {
		ref = r.add(id, name)
	} else {
		r.out.Unknown = true
	}
	r.each(args, ctx)
	if name == ViaExecutionCount {
		ref = noRef
	}
	return ref
}

// literal evaluates the text that $eval runs, and reports whether that is known: it is a
// literal whose characters stand in the source as they are.
func (r *referrer) literal(args []*Node, ctx view, lead *Node) bool {
	if lead != nil {
		args = append([]*Node{lead}, args...)
	}
	if len(args) == 0 || !args[0].Bare(KindString) {
		return false
	}
	text, start := args[0].Text, args[0].Start+1
	ast, fault := Parse(text)
	if fault != nil || ast.Parents || !strings.HasPrefix(r.src[start:], text) || r.base+start+len(text)+1 != r.nameEnd(args[0]) {
		return false
	}
	if len(args) > 1 {
		v, _ := r.value(args[1], ctx)
		r.out.Unknown = r.out.Unknown || ctx == viewRoot && v != ctx // where that is undefined, the text reads ctx
		ctx = v
	}
	end, src := r.frame(false, ast.Root), r.src
	r.src, r.base, r.quoted = text, r.base+start, r.quoted+1
	r.used(ast.Root, ctx)
	r.src, r.base, r.quoted = src, r.base-start, r.quoted-1
	end()
	return true
}

// lookup evaluates $lookup(object, key), which reads a node when the object is
// the context.
func (r *referrer) lookup(args []*Node, ctx view, lead *Node, leading view) int {
	object := leading
	switch {
	case lead != nil:
	case len(args) > 1:
		object, _ = r.value(args[0], ctx)
		args = args[1:]
	default:
		object = ctx
	}
	r.each(args, ctx)
	if object != viewRoot {
		return noRef
	}
	if len(args) == 1 && args[0].Kind == KindString && len(args[0].Stages) == 0 {
		return r.add(args[0], viaLookup)
	}
	r.use(object)
	return noRef
}

// apply evaluates left ~> right.
func (r *referrer) apply(n *Node, ctx view) (view, int) {
	left, right := n.Args[0], n.Args[1]
	v, _ := r.value(left, ctx)
	plain := len(right.Stages) == 0 && right.Group == nil
	switch {
	case right.Kind == KindCall && plain:
		return r.call(right, ctx, left, v)
	case right.Kind == KindTransform && plain:
		r.use(v)
		r.transform(right, v)
		return viewData, noRef
	case right.Kind == KindVariable && plain && left.Kind == KindString && len(left.Stages) == 0 && r.scope.find(right.Text) == nil:
		if b := LookupBuiltin(right.Text); b != nil && b.Reads == ReadsNode {
			r.out.Functions = append(r.out.Functions, Call{right.Text, r.base + right.Start, r.base + right.End, 1, false})
			return viewData, r.history(right.Text, nil, ctx, left)
		}
	}
	r.use(v)
	r.used(right, ctx)
	return viewData, noRef
}
