package jsonata

import "strconv"

// A tuple is one item of a path's stream with the variables that "@" and "#" have
// bound on the way, and the items that "%" goes back to.
type tuple struct {
	at   any
	vars []tupleVar
}

type tupleVar struct {
	name  string
	value any
}

type tuples struct {
	rows  []*tuple
	shown bool // what comes next sees the tuples as objects
}

// object is a tuple as an expression sees it after a sort.
func (t *tuple) object() *Object {
	o := NewObject()
	o.Set("@", t.at)
	for _, v := range t.vars {
		o.Set(v.name, v.value)
	}
	return o
}

// objects are the tuples of a stream as an expression sees them after a sort.
func (t *tuples) objects(e *Evaluator) []any {
	items := make([]any, 0, len(t.rows)+1)
	for _, row := range t.rows {
		e.step()
		e.alloc(96 + 32*len(row.vars))
		items = append(items, any(row.object()))
	}
	return items
}

// tupleSort compiles a sort of a stream. As in jsonata-js, where it has several tuples to
// sort, its predicates, another sort, and a grouping right after it see the tuples as
// objects, and not their variables.
func (c *compiler) tupleSort(st *step, s *Node, outer *scope) {
	st.node, st.tuple, st.sort = s, true, c.sorting(s)
	inner := c.scope
	c.scope = outer
	st.shown = c.sorting(s)
	c.scope = inner
	for _, qualifier := range s.Stages {
		if qualifier.Kind == KindIndex {
			st.stages = append(st.stages, stage{index: qualifier.Text})
			continue
		}
		filter := c.filter(qualifier)
		c.scope = outer
		st.stages = append(st.stages, stage{filter: filter, shown: c.filter(qualifier)})
		c.scope = inner
	}
}

func (t *tuple) get(name string) any {
	for _, v := range t.vars {
		if v.name == name {
			return v.value
		}
	}
	return unbound
}

func (t *tuple) set(name string, value any) {
	for i := range t.vars {
		if t.vars[i].name == name {
			t.vars[i].value = value
			return
		}
	}
	t.vars = append(t.vars, tupleVar{name, value})
}

// items are the items of a stream.
func (t *tuples) items(e *Evaluator) []any {
	e.allocItems(len(t.rows))
	items := make([]any, 0, len(t.rows)+1)
	for _, row := range t.rows {
		items = append(items, row.at)
	}
	return items
}

// with returns a tuple of another item with the same variables.
func (t *tuple) with(at any) *tuple {
	return &tuple{at: at, vars: append(make([]tupleVar, 0, len(t.vars)+2), t.vars...)}
}

// parentName is the name under which tuples keep the item that a step was taken from.
// No variable has it.
func parentName(step *Node) string {
	return "%" + strconv.Itoa(step.Start) + ":" + strconv.Itoa(step.End)
}

// tupleScope is the scope of what is evaluated for each tuple of a path.
func (c *compiler) tupleScope(n *Node) *scope {
	s := &scope{outer: c.scope, tuple: true}
	n.Each(func(n *Node) {
		if n.Focus != nil {
			s.declare(n.Focus.Text)
		}
		if n.Index != nil {
			s.declare(n.Index.Text)
		}
		if n.sought {
			s.declare(parentName(n))
		}
		if n.Kind == KindIndex {
			s.declare(n.Text)
		}
	})
	return s
}

// parent compiles "%".
func (c *compiler) parent(n *Node) code {
	if n.ancestry == nil || n.ancestry.slot.target == nil {
		return constant(nil)
	}
	places, _ := c.places(parentName(n.ancestry.slot.target))
	return func(_ *Evaluator, f *frame, _ any) any {
		if v := find(places, f); v != unbound {
			return collapse(v, false)
		}
		return nil
	}
}

// stream evaluates a step for each tuple, or for items that become tuples.
func (s *step) stream(e *Evaluator, f *frame, items []any, in *tuples) *tuples {
	out := &tuples{}
	if s.sort != nil {
		if in != nil {
			out.rows = s.sorted(in).tuples(e, f, in)
			out.shown = in.shown || len(in.rows) > 1
		} else {
			for i, item := range s.sort.items(e, &frame{outer: f, tuple: &tuple{}}, items) {
				t := &tuple{at: item}
				if s.index != "" {
					t.set(s.index, boxInt(i))
				}
				out.rows = append(out.rows, t)
			}
		}
		return s.staged(e, f, out)
	}
	if in == nil {
		in = &tuples{}
		for _, item := range items {
			in.rows = append(in.rows, &tuple{at: item})
		}
	}
	inner := &frame{outer: f}
	for _, t := range in.rows {
		e.step()
		inner.tuple = t
		s.each(e, t, s.run(e, inner, t.at), out)
		inner = &frame{outer: f}
	}
	return s.staged(e, f, out)
}

// sorted is how a step sorts a stream.
func (s *step) sorted(stream *tuples) *sorting {
	if stream.shown {
		return s.shown
	}
	return s.sort
}

// each adds a tuple for each value that a step has found from t.
func (s *step) each(e *Evaluator, t *tuple, v any, out *tuples) {
	stream, ok := v.(*tuples)
	if ok && stream.shown {
		v, ok = stream.objects(e), false
	}
	if ok {
		for _, row := range stream.rows {
			e.steps(2 + len(row.vars))
			e.alloc(128 + 32*(len(t.vars)+len(row.vars)))
			merged := t.with(row.at)
			for _, w := range row.vars {
				merged.set(w.name, w.value)
			}
			out.rows = append(out.rows, merged)
		}
		return
	}
	for i, found := range listItems(v) {
		e.steps(3 + len(t.vars)/4)
		e.alloc(128 + 32*len(t.vars))
		row := t.with(found)
		if s.focus != "" {
			row.set(s.focus, found)
			row.at = t.at
		}
		if s.index != "" {
			row.set(s.index, boxInt(i))
		}
		if s.parent != "" {
			row.set(s.parent, t.at)
		}
		out.rows = append(out.rows, row)
	}
}

// staged applies the stages of a step to a stream.
func (s *step) staged(e *Evaluator, f *frame, stream *tuples) *tuples {
	for _, stage := range s.stages {
		if stage.filter != nil {
			filter := stage.filter
			if stream.shown {
				filter = stage.shown
			}
			stream = filter.tuples(e, f, stream)
			continue
		}
		for i, t := range stream.rows {
			t.set(stage.index, boxInt(i))
		}
	}
	return stream
}

// tuples filters a stream.
func (p *filter) tuples(e *Evaluator, f *frame, in *tuples) *tuples {
	out := &tuples{shown: in.shown}
	if p.number != nil {
		i := *p.number
		if i < 0 {
			i += len(in.rows)
		}
		if i >= 0 && i < len(in.rows) {
			out.rows = in.rows[i : i+1 : i+1]
		}
		return out
	}
	for i, t := range in.rows {
		e.step()
		inner, at := &frame{outer: f, tuple: t}, t.at
		if in.shown {
			inner, at = f, t.object()
		}
		for range p.times(e, inner, at, i, len(in.rows)) {
			out.rows = append(out.rows, t)
		}
	}
	return out
}

// merged is one tuple of many, whose variables have the values of all.
func (e *Evaluator) merged(rows []*tuple) *tuple {
	if len(rows) == 1 {
		return rows[0]
	}
	all := rows[0].with(rows[0].at)
	for _, t := range rows[1:] {
		e.steps(1 + len(t.vars))
		all.at = e.append(all.at, t.at)
		for _, w := range t.vars {
			if v := all.get(w.name); v != unbound {
				all.set(w.name, e.append(v, w.value))
			} else {
				all.set(w.name, w.value)
			}
		}
	}
	return all
}

// append is what $append makes of two values: an array of the items of both.
func (e *Evaluator) append(a, b any) any {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	x, y := listItems(a), listItems(b)
	e.allocItems(len(x) + len(y))
	return append(append(make([]any, 0, len(x)+len(y)), x...), y...)
}
