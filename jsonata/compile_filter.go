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

// A sorting is a compiled "^(…)".
type sorting struct {
	node  *Node
	terms []sortTerm
}

type sortTerm struct {
	run        code
	descending bool
}

func (c *compiler) sorting(n *Node) *sorting {
	s := &sorting{node: n, terms: make([]sortTerm, len(n.Args))}
	for i, term := range n.Args {
		s.terms[i] = sortTerm{c.inner(term.Args[0]), term.Text == ">"}
	}
	return s
}

// A sorter puts items in order by their keys. It evaluates a key when it is needed first.
type sorter struct {
	*sorting
	e     *Evaluator
	frame *frame
	items []any
	rows  []*tuple // whose values the items are, or nil
	shown bool     // the items are objects of the rows
	keys  []any    // of the items, for each as many as there are terms
	known []int32  // how many keys of an item have been evaluated
}

// A sortPlace is where an item is, with its first key if this has been evaluated and is a number.
type sortPlace struct {
	number float64
	item   int32
	state  uint8 // 0, isEvaluated or isNumber
}

const (
	isEvaluated = 1 + iota
	isNumber
)

// items returns items in order.
func (s *sorting) items(e *Evaluator, f *frame, items []any) []any {
	if len(items) <= 1 {
		return items
	}
	out := make([]any, len(items), len(items)+1)
	for i, from := range (&sorter{sorting: s, e: e, frame: f, items: items}).order() {
		out[i] = items[from.item]
	}
	return out
}

// tuples returns tuples in order.
func (s *sorting) tuples(e *Evaluator, f *frame, stream *tuples) []*tuple {
	by := &sorter{sorting: s, e: e, frame: f, items: make([]any, len(stream.rows)), rows: stream.rows, shown: stream.shown}
	for i, t := range stream.rows {
		if by.items[i] = t.at; stream.shown {
			by.items[i] = t.object()
		}
	}
	out := make([]*tuple, len(stream.rows))
	for i, from := range by.order() {
		out[i] = stream.rows[from.item]
	}
	return out
}

// order returns the places of the items in their order.
func (s *sorter) order() []sortPlace {
	n := len(s.items)
	s.e.steps(4 + n)
	s.e.alloc(n * (64 + 16*len(s.terms)))
	s.keys, s.known = make([]any, n*len(s.terms)), make([]int32, n)
	places := make([]sortPlace, 2*n)
	for i := range n {
		places[i].item = int32(i) //nolint:gosec // an array has fewer items
	}
	return mergeSort(s.e, places[:n:n], places[n:], s.after)
}

// see evaluates the first key of an item.
func (s *sorter) see(p *sortPlace) {
	p.state = isEvaluated
	if f, ok := s.e.number(s.key(p.item, 0)); ok {
		p.number, p.state = f, isNumber
	}
}

// mergeSort sorts items stably. after reports whether a comes after b. It compares
// what jsonata-js compares, in the same order. Four items of a merging are a step.
func mergeSort[T any](e *Evaluator, items, space []T, after func(a, b *T) bool) []T {
	if len(items) <= 1 {
		return items
	}
	middle := len(items) / 2
	left := mergeSort(e, items[:middle], space[:middle], after)
	right := mergeSort(e, items[middle:], space[middle:], after)
	i, j := 0, 0
	for k := range space {
		if k&3 == 0 {
			e.step()
		}
		if i == len(left) || j < len(right) && after(&left[i], &right[j]) {
			space[k] = right[j]
			j++
			continue
		}
		space[k] = left[i]
		i++
	}
	copy(items, space)
	return items
}

// key is the n-th key of an item.
func (s *sorter) key(item int32, n int) any {
	at := int(item)*len(s.terms) + n
	if int32(n) == s.known[item] { //nolint:gosec // a term is longer than a byte
		f := s.frame
		if s.rows != nil && !s.shown {
			f = &frame{outer: f, tuple: s.rows[item]}
		}
		s.known[item]++
		s.keys[at] = s.terms[n].run(s.e, f, s.items[item])
	}
	return s.keys[at]
}

// after reports whether a comes after b.
func (s *sorter) after(a, b *sortPlace) bool {
	if a.state == 0 {
		s.see(a)
	}
	if b.state == 0 {
		s.see(b)
	}
	if a.state == isNumber && b.state == isNumber && a.number != b.number {
		return a.number < b.number == s.terms[0].descending
	}
	for n, term := range s.terms {
		x, y := s.key(a.item, n), s.key(b.item, n)
		switch {
		case x == nil && y == nil:
			continue
		case x == nil:
			return true
		case y == nil:
			return false
		}
		order := s.compare(s.e, n, x, y)
		if term.descending {
			order = -order
		}
		if order != 0 {
			return order > 0
		}
	}
	return false
}

func (s *sorting) compare(e *Evaluator, n int, x, y any) int {
	f, ok := e.number(x)
	g, ok2 := e.number(y)
	t, ok3 := x.(string)
	u, ok4 := y.(string)
	switch {
	case ok && ok2:
		switch {
		case f == g:
			return e.orderOfDigits(x, y)
		case f < g:
			return -1
		}
		return 1
	case ok3 && ok4:
		return e.compareTexts(t, u)
	case !ok && !ok3 || !ok2 && !ok4:
		bad := x
		if ok || ok3 {
			bad = y
		}
		e.fail(s.node.Args[n], "T2008", "what is sorted by must be a number or a string, got %s", describe(bad))
	default:
		e.fail(s.node.Args[n], "T2007", "what is sorted by must be all numbers or all strings, got %s and %s", describe(x), describe(y))
	}
	return 0
}
