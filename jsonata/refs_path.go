package jsonata

import "slices"

// path evaluates the steps of n in turn.
func (r *referrer) path(n *Node, ctx view) (cur view, ref int) {
	if slices.ContainsFunc(n.Args, (*Node).Binds) {
		defer r.frame(false)()
	}
	cur, ref = ctx, noRef
	for _, step := range n.Args {
		if r.entry != nil {
			r.entry[step] = cur
		}
		next := cur
		switch {
		case step.Kind == KindName && cur == viewRoot:
			next, ref = viewData, r.add(step, viaPath)
		case step.Kind == KindName:
			if ref != noRef {
				at := &r.out.Nodes[ref]
				at.Path = append(at.Path, Field{step.Text, r.base + step.Start, r.nameEnd(step)})
			}
		case step.Kind == KindVariable && step.Text == "": // the same value again
		case step.Kind == KindSort:
			for _, term := range step.Args {
				r.used(term.Args[0], cur)
			}
		default:
			next, ref = r.bare(step, cur)
		}
		if ref != noRef && sifts(step) && !r.out.Nodes[ref].Sifted {
			r.out.Nodes[ref].Sifted, r.out.Nodes[ref].Plain = true, len(r.out.Nodes[ref].Path)
		}
		if step.Focus != nil { // the context stays, the variable is the element
			r.scope.define(step.Focus.Text, next)
			next, ref = cur, noRef
		}
		if step.Index != nil {
			r.scope.define(step.Index.Text, viewData)
		}
		r.stages(step, next)
		if step.Group != nil {
			r.each(step.Group.Args, next)
			next, ref = viewData, noRef
		}
		cur = next
	}
	if n.Group != nil {
		r.each(n.Group.Args, cur)
		cur, ref = viewData, noRef
	}
	return cur, ref
}

// sifts reports whether a step chooses or orders items by what they contain.
func sifts(step *Node) bool {
	return step.Kind == KindSort || slices.ContainsFunc(step.Stages, func(n *Node) bool { return n.Kind != KindNumber && n.Kind != KindIndex })
}

// A names is one scope of variables.
type names struct {
	vars   map[string]*binding
	lambda bool
	outer  *names
}

// A binding is a variable of a frame. It is unbound until evaluation gets to
// what binds it; a lambda may use it before, because it runs later.
type binding struct {
	root  bool
	bound bool
	early bool
	times int // how often the frame binds it
}

func (b *binding) view() view {
	if !b.bound {
		b.early = true
	}
	if b.root {
		return viewRoot
	}
	return viewData
}

// frame opens a scope for nodes and returns what closes it.
func (r *referrer) frame(lambda bool, nodes ...*Node) func() {
	f := &names{lambda: lambda, outer: r.scope}
	for _, n := range nodes {
		n.EachBinding(f.declare)
	}
	r.scope = f
	return func() { r.scope = f.outer }
}

func (f *names) declare(name string) {
	if f.vars == nil {
		f.vars = map[string]*binding{}
	}
	if b := f.vars[name]; b != nil {
		b.times++
		return
	}
	f.vars[name] = &binding{times: 1}
}

// define declares a variable and gives it its value.
func (f *names) define(name string, v view) {
	f.declare(name)
	f.bind(name, v)
}

// bind gives a variable of this or an outer frame its value. It reports whether
// the value can come up where it is not expected, so that it counts as used.
func (f *names) bind(name string, v view) bool {
	for ; f != nil; f = f.outer {
		if b := f.vars[name]; b != nil {
			b.bound = true
			b.root = v == viewRoot && b.times == 1
			return b.times > 1 || b.early
		}
	}
	return true
}

// find returns the variable that a use of name means, or nil for one that the
// expression does not bind.
func (f *names) find(name string) *binding {
	later := false
	for ; f != nil; f = f.outer {
		if b := f.vars[name]; b != nil && (b.bound || later) {
			return b
		}
		later = later || f.lambda
	}
	return nil
}
