package jsonata

import (
	"math"
	"slices"
)

// A grouping is a compiled object constructor.
type grouping struct {
	node  *Node
	keys  []code
	vals  []code
	fixed []string // the keys, where they are distinct literals
}

// object compiles an object constructor, which groups the items of an array.
func (c *compiler) object(n *Node) code {
	g := c.grouping(n)
	return func(e *Evaluator, f *frame, in any) any {
		if list, ok := in.([]any); ok {
			return g.of(e, f, list)
		}
		if g.fixed != nil {
			return g.one(e, f, in)
		}
		return g.of(e, f, []any{in})
	}
}

// grouped compiles a grouping of a value.
func (c *compiler) grouped(n *Node, run code) code {
	g := c.grouping(n)
	return func(e *Evaluator, f *frame, in any) any {
		v := run(e, f, in)
		if stream, ok := v.(*tuples); ok {
			return g.ofTuples(e, f, stream)
		}
		if list, ok := v.([]any); ok {
			return g.of(e, f, list)
		}
		return g.of(e, f, []any{v})
	}
}

func (c *compiler) grouping(n *Node) *grouping {
	half := len(n.Args) / 2
	codes := make([]code, 2*half)
	g := &grouping{node: n, keys: codes[:half:half], vals: codes[half:], fixed: make([]string, 0, half)}
	for i := 0; i+1 < len(n.Args); i += 2 {
		key := n.Args[i]
		g.keys[i/2], g.vals[i/2] = c.inner(key), c.inner(n.Args[i+1])
		if !key.Bare(KindString) || g.fixed == nil || slices.Contains(g.fixed, key.Text) {
			g.fixed = nil
			continue
		}
		g.fixed = append(g.fixed, key.Text)
	}
	g.fixed = slices.Clip(g.fixed)
	return g
}

// one makes the object of one item, whose keys are known.
func (g *grouping) one(e *Evaluator, f *frame, in any) any {
	e.step()
	e.alloc(64 + 16*len(g.vals))
	vals := make([]any, len(g.vals))
	n := 0
	for i, run := range g.vals {
		if vals[i] = run(e, f, in); vals[i] != nil {
			n++
		}
	}
	if n == len(vals) {
		return objectFrom(g.fixed, vals, &builtMark)
	}
	o := newMarked(n, &builtMark)
	for i, v := range vals {
		if v != nil {
			o.Set(g.fixed[i], v)
		}
	}
	return o
}

// A group is the items that have one key.
type group struct {
	key  string
	data any   // the first item
	list []any // the items, where there are several
	rows []*tuple
	pair int
}

// of makes the object of items, grouped by their keys.
func (g *grouping) of(e *Evaluator, f *frame, items []any) any {
	if len(items) == 0 {
		items = []any{nil}
	}
	if g.fixed != nil { // each group has all items
		e.steps(len(items) * len(g.keys))
		all := &group{}
		for _, item := range items {
			all.add(e, item)
		}
		o := newMarked(len(g.fixed), &builtMark)
		for all.pair, all.key = range g.fixed {
			o.fill(e, all.key, g.value(e, f, all))
		}
		return o
	}
	return g.grouped(e, f, len(items), func(i int) (*frame, any) { return f, items[i] }, func(at *group, i int) { at.add(e, items[i]) })
}

// grouped makes the object of n things, grouped by their keys. see returns the frame and the
// value to evaluate the keys of one with; add adds it to a group.
func (g *grouping) grouped(e *Evaluator, f *frame, n int, see func(i int) (*frame, any), add func(at *group, i int)) *Object {
	groups := map[string]*group{}
	var order []*group
	for i := range n {
		for pair := range g.keys {
			inner, item := see(i)
			key, ok := g.key(e, inner, pair, item)
			if !ok {
				continue
			}
			at := groups[key]
			if at == nil {
				e.alloc(96)
				at = &group{key: key, pair: pair}
				groups[key] = at
				order = append(order, at)
			}
			g.same(e, at, pair, key)
			add(at, i)
		}
	}
	return g.filled(e, f, order)
}

// filled is the object of the values of groups.
func (g *grouping) filled(e *Evaluator, f *frame, groups []*group) *Object {
	o := newMarked(len(groups), &builtMark)
	for _, at := range groups {
		o.fill(e, at.key, g.value(e, f, at))
	}
	return o
}

// value is the value of a group.
func (g *grouping) value(e *Evaluator, f *frame, at *group) any {
	switch {
	case at.list != nil:
		return g.vals[at.pair](e, f, at.list)
	case at.rows == nil:
		return g.vals[at.pair](e, f, at.data)
	}
	t := e.merged(at.rows)
	return g.vals[at.pair](e, &frame{outer: f, tuple: t}, t.at)
}

// fill sets a key whose value is defined.
func (o *Object) fill(e *Evaluator, key string, v any) {
	if v != nil {
		e.alloc(48)
		o.Set(key, v)
	}
}

// add adds an item to the data of a group, which becomes an array.
func (g *group) add(e *Evaluator, item any) {
	if item == nil {
		return
	}
	if g.data == nil {
		g.data = item
		return
	}
	if g.list == nil {
		g.list = slices.Clone(listItems(g.data))
	}
	if more, ok := item.([]any); ok {
		e.allocItems(len(more))
		g.list = append(g.list, more...)
		return
	}
	e.alloc(16)
	g.list = append(g.list, item)
}

// key is the i-th key for an item. ok is false where it is undefined.
func (g *grouping) key(e *Evaluator, f *frame, i int, item any) (key string, ok bool) {
	e.step()
	v := g.keys[i](e, f, item)
	key, ok = v.(string)
	if !ok && v != nil {
		e.fail(g.node.Args[2*i], "T1003", "a key of an object must be a string, got %s", describe(v))
	}
	return key, ok
}

// same fails where two pairs of a constructor give one key.
func (g *grouping) same(e *Evaluator, known *group, pair int, key string) {
	if known.pair != pair {
		e.fail(g.node.Args[2*pair], "D1009", "two keys of the object are the same: %q", key)
	}
}

// ofTuples makes the object of a stream.
func (g *grouping) ofTuples(e *Evaluator, f *frame, stream *tuples) any {
	rows := stream.rows
	return g.grouped(e, f, len(rows), func(i int) (*frame, any) { return &frame{outer: f, tuple: rows[i]}, rows[i].at }, func(at *group, i int) { at.rows = append(at.rows, rows[i]) })
}

// array compiles an array that is written out; step says that it is a step of a path.
func (c *compiler) array(n *Node, step bool) code {
	type part struct {
		run  code
		span *span
		own  bool // an array in the array, which stays one
	}
	parts := make([]part, len(n.Args))
	for i, arg := range n.Args {
		if arg.Kind == KindRange {
			parts[i].span = c.span(arg)
			continue
		}
		parts[i] = part{run: c.inner(arg), own: arg.Kind == KindArray}
	}
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		e.allocItems(len(parts))
		items := make([]any, 0, len(parts)+1)
		for i := range parts {
			p := &parts[i]
			if p.span != nil {
				items = p.span.into(e, f, in, items)
				continue
			}
			items = e.joined(items, p.run(e, f, in), p.own, len(parts)-i)
		}
		return made(items, step)
	}
}

// joined appends what an item of an array that is written out contributes; more says how many
// items come then.
func (e *Evaluator) joined(items []any, v any, own bool, more int) []any {
	if v == nil {
		return items
	}
	if list, ok := v.([]any); ok && !own {
		e.steps(len(list) >> 6)
		e.allocItems(len(list))
		e.copies(len(list))
		return append(slices.Grow(items, len(list)+more), list...)
	}
	return append(items, v)
}

// made is an array that is written out.
func made(items []any, step bool) any {
	switch {
	case step:
		return marked(items, consArray)
	case len(items) == 0:
		return emptyArray()
	}
	return slices.Clip(items)
}

// copies counts the items of a large array that becomes part of another.
func (e *Evaluator) copies(n int) {
	if n < 100_000 {
		return
	}
	if n > e.limits.MaxItems {
		e.stop(tooMany("an array that becomes part of another", e.limits.MaxItems))
	}
	if e.items -= n; e.items < 0 {
		e.stop(tooMany("what becomes part of arrays", e.limits.MaxRange))
	}
}

// A span is a compiled range.
type span struct {
	node     *Node
	from, to code
}

func (c *compiler) span(n *Node) *span {
	return &span{n, c.inner(n.Args[0]), c.inner(n.Args[1])}
}

// into appends the numbers of a range.
func (s *span) into(e *Evaluator, f *frame, in any, items []any) []any {
	a, b := s.from(e, f, in), s.to(e, f, in)
	from := e.end(a, s.node.Args[0], "T2003", "from")
	to := e.end(b, s.node.Args[1], "T2004", "to")
	if a == nil || b == nil || from > to {
		return items
	}
	if to-from >= longestRange {
		e.fail(s.node, "D2014", "a range has at most %d items; this one is from %s to %s", longestRange, describe(a), describe(b))
	}
	n := int(to-from) + 1
	if e.items -= n; e.items < 0 {
		e.stop(rangesTooLong(e.limits.MaxRange))
	}
	e.alloc(24 * n)
	items = slices.Grow(items, n+1)
	for i := range n {
		if i&63 == 0 {
			e.step()
		}
		if v := from + float64(i); v >= 0 && v < float64(len(smallNumbers)) {
			items = append(items, smallNumbers[int(v)])
		} else {
			items = append(items, v)
		}
	}
	return items
}

// end is the number that a range begins or ends with; 0 for undefined.
func (e *Evaluator) end(v any, n *Node, code, side string) float64 {
	if v == nil {
		return 0
	}
	x, ok := e.number(v)
	if !ok || x-x != 0 || x != math.Trunc(x) {
		e.fail(n, code, "what a range goes %s must be a whole number, got %s", side, describe(v))
	}
	return x
}
