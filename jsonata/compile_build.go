package jsonata

import (
	"math"
	"slices"
)

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
