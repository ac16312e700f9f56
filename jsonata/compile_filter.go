package jsonata

import "math"

// A filter is a compiled predicate.
type filter struct {
	value  code
	test   test // where the value is a boolean or undefined, or nil
	number *int // where it is a number
}

func (c *compiler) filter(n *Node) *filter {
	if n.Kind == KindNumber {
		i := int(math.Floor(n.Number))
		return &filter{number: &i}
	}
	if isTest(n) {
		return &filter{test: c.test(n)}
	}
	return &filter{value: c.inner(n)}
}

// of filters a value, which need not be an array.
func (p *filter) of(e *Evaluator, f *frame, v any) any {
	if stream, ok := v.(*tuples); ok {
		return p.tuples(e, f, stream)
	}
	if items, ok := v.([]any); ok {
		return p.items(e, f, items)
	}
	return p.items(e, f, []any{v})
}

// items filters items into a sequence.
func (p *filter) items(e *Evaluator, f *frame, items []any) []any {
	if p.number != nil {
		v, list := p.nth(e, nil, items, true)
		if v != nil {
			return []any{v, sequence}[:1]
		}
		return list
	}
	var found []any
	for i, item := range items {
		e.step()
		times := 1
		if p.test == nil {
			times = p.times(e, f, item, i, len(items))
		} else if !p.test(e, f, item) {
			continue
		}
		for range times {
			if found == nil {
				found = make([]any, 0, min(len(items)-i, 8)+1)
			}
			found = append(found, item)
		}
	}
	if found == nil {
		return emptySequence
	}
	e.allocItems(len(found))
	return marked(found, sequence)
}

// nth returns the item at a position, of items if many is true, else of v alone. item is nil
// without one or it is an array; list is then empty, or that array.
func (p *filter) nth(e *Evaluator, v any, items []any, many bool) (item any, list []any) {
	e.step()
	n := len(items)
	if !many {
		n = 1
	}
	i := *p.number
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return nil, emptySequence
	}
	if many {
		v = items[i]
	}
	if list, ok := v.([]any); ok {
		return nil, list
	}
	return v, emptySequence
}

// times is how often the i-th of n items is chosen: a predicate can be a list of
// positions.
func (p *filter) times(e *Evaluator, f *frame, item any, i, n int) int {
	if p.test != nil {
		if p.test(e, f, item) {
			return 1
		}
		return 0
	}
	v := p.value(e, f, item)
	at := func(position float64) int {
		if position = math.Floor(position); position < 0 {
			position += float64(n)
		}
		if position == float64(i) {
			return 1
		}
		return 0
	}
	switch w := v.(type) {
	case []any:
		if times, ok := e.positions(w, at); ok {
			return times
		}
	default:
		if x, ok := e.finite(v); ok {
			return at(x)
		}
	}
	if e.truthAt(v, 0) {
		return 1
	}
	return 0
}

// positions counts those of a list of numbers that are at i. ok is false for another
// list.
func (e *Evaluator) positions(list []any, at func(float64) int) (times int, ok bool) {
	for _, v := range list {
		e.step()
		x, ok := e.finite(v)
		if !ok {
			return 0, false
		}
		times += at(x)
	}
	return times, true
}

// finite returns v as a number, if it is one, and fails for an infinity.
func (e *Evaluator) finite(v any) (float64, bool) {
	x, ok := e.number(v)
	if ok && x-x != 0 {
		if x != x {
			return 0, false
		}
		e.fail(nil, "D1001", "a number is out of range")
	}
	return x, ok
}

// predicates compiles the predicates of a value that is not a step of a path.
func (c *compiler) predicates(n *Node, run code) code {
	streams := n.tuple && (n.Kind == KindBlock || n.Kind == KindPath)
	outer := c.scope
	if streams {
		c.scope = c.tupleScope(n)
	}
	filters := make([]*filter, 0, len(n.Stages))
	for _, s := range n.Stages {
		if s.Kind != KindIndex {
			filters = append(filters, c.filter(s))
		}
	}
	c.scope = outer
	return func(e *Evaluator, f *frame, in any) any {
		v := run(e, f, in)
		if v == nil && n.Kind == KindName { // nothing of an array is no item, as in jsonata-js
			if _, ok := in.([]any); ok {
				v = emptySequence
			}
		}
		for _, p := range filters {
			if _, ok := v.(*tuples); streams && !ok {
				v = p.of(e, &frame{outer: f, tuple: &tuple{}}, v)
				continue
			}
			v = p.of(e, f, v)
		}
		return v
	}
}
