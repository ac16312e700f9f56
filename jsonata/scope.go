package jsonata

import "slices"

// A scope is what the compiler knows of a frame: the names that it may bind. A name is
// looked for in the frames from the inside out, as evaluation may not have come to the
// binding of an inner one yet.
type scope struct {
	outer *scope
	names []string // of the slots
	bound int      // the first so many are parameters, which always are
	tuple bool     // the names come with each tuple of a stream instead
}

func (s *scope) declare(name string) {
	if !slices.Contains(s.names, name) {
		s.names = append(s.names, name)
	}
}

// declare adds to s the names that nodes bind.
func (c *compiler) declare(s *scope, nodes []*Node) {
	if !c.binds {
		return
	}
	for _, n := range nodes {
		n.EachBinding(s.declare)
	}
}

// A frame holds the variables of a function, a block, or a tuple of a stream while it
// is evaluated.
type frame struct {
	outer *frame
	vars  []any
	tuple *tuple
	small [3]any
	more  map[string]any // what $eval has bound
}

type unboundVariable struct{}

// unbound is in the place of a variable that evaluation has not come to.
var unbound any = unboundVariable{}

func newFrame(outer *frame, slots int) *frame {
	f := &frame{outer: outer}
	f.reset(slots)
	return f
}

func (f *frame) reset(slots int) {
	if slots <= len(f.small) {
		f.vars = f.small[:slots]
	} else {
		f.vars = make([]any, slots)
	}
	for i := range f.vars {
		f.vars[i] = unbound
	}
}

// A place is where a variable may be found: so many frames out, in a slot, or by its
// name in the tuple of that frame.
type place struct {
	out, slot int
	name      string // of a tuple's variable, or ""
}

// places returns where a variable may be, from the inside out. certain says that it is
// in the last of them if in no other.
func (c *compiler) places(name string) (places []place, certain bool) {
	out := 0
	for s := c.scope; s != nil; s = s.outer {
		if i := slices.Index(s.names, name); i >= 0 {
			p := place{out: out, slot: i}
			if s.tuple {
				p.name = name
			}
			places = append(places, p)
			if !s.tuple && i < s.bound {
				return places, true
			}
		}
		out++
	}
	return places, false
}

func (p place) get(f *frame) any {
	for range p.out {
		f = f.outer
	}
	if p.name != "" {
		return f.tuple.get(p.name)
	}
	return f.vars[p.slot]
}

// find is the value of a variable in one of places, or unbound.
func find(places []place, f *frame) any {
	for i := range places {
		if v := places[i].get(f); v != unbound {
			return v
		}
	}
	return unbound
}

// variable compiles the use of a variable.
func (c *compiler) variable(n *Node) code {
	name := n.Text
	if name == "" {
		return func(_ *Evaluator, _ *frame, in any) any {
			if list, ok := in.([]any); ok && len(list) <= 1 {
				return collapse(unwrap(list), false)
			}
			return in
		}
	}
	places, certain := c.places(name)
	if certain && len(places) == 1 && places[0].name == "" && !c.evals {
		slot := places[0].slot
		switch places[0].out {
		case 0:
			return func(_ *Evaluator, f *frame, _ any) any { return f.vars[slot] }
		case 1:
			return func(_ *Evaluator, f *frame, _ any) any { return f.outer.vars[slot] }
		}
	}
	global := c.global(name)
	if c.evals {
		return c.evaluated(name, places, global)
	}
	if len(places) == 0 {
		return global
	}
	return func(e *Evaluator, f *frame, in any) any {
		if v := find(places, f); v != unbound {
			return v
		}
		return global(e, f, in)
	}
}

// evaluated compiles the use of a variable where $eval may have bound it in any frame.
func (c *compiler) evaluated(name string, places []place, global code) code {
	return func(e *Evaluator, f *frame, in any) any {
		rest := places
		out := 0
		for at := f; at != nil; at = at.outer {
			e.step()
			if v, ok := at.more[name]; ok {
				return v
			}
			if len(rest) > 0 && rest[0].out == out {
				if v := rest[0].get(f); v != unbound {
					return v
				}
				rest = rest[1:]
			}
			out++
		}
		return global(e, f, in)
	}
}

// global compiles the use of a variable that the expression does not bind.
func (c *compiler) global(name string) code {
	if name == "$" {
		return func(e *Evaluator, _ *frame, _ any) any { return unwrap(e.root) }
	}
	fn := c.env.function(name)
	if fn == nil {
		return func(e *Evaluator, _ *frame, _ any) any { return e.Vars[name] }
	}
	var v any = fn
	return func(e *Evaluator, _ *frame, _ any) any {
		if e.Vars != nil {
			if w, ok := e.Vars[name]; ok {
				return w
			}
		}
		return v
	}
}

// unwrap is the input as its author sees it.
func unwrap(in any) any {
	if items, ok := in.([]any); ok && len(items) == 1 && readMark(items) == wrappedInput {
		return items[0]
	}
	return in
}

// bind compiles an assignment.
func (c *compiler) bind(n *Node) code {
	value := c.inner(n.Args[1])
	name := n.Args[0].Text
	if c.text != nil && c.scope == c.text && (c.scope.tuple || !slices.Contains(c.scope.names, name)) {
		return func(e *Evaluator, f *frame, in any) any {
			v := value(e, f, in)
			e.alloc(64)
			if f.more == nil {
				f.more = map[string]any{}
			}
			f.more[name] = v
			return v
		}
	}
	out := 0
	for s := c.scope; s != nil; s = s.outer {
		if i := slices.Index(s.names, name); i >= 0 && !s.tuple {
			slot, hops := i, out
			return func(e *Evaluator, f *frame, in any) any {
				v := value(e, f, in)
				for range hops {
					f = f.outer
				}
				f.vars[slot] = v
				return v
			}
		}
		out++
	}
	return value // in a tuple's frame, which nothing reads afterwards
}
