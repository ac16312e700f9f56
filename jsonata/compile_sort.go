package jsonata

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

// A sorted is an item with its keys as far as they have been needed.
type sorted struct {
	item  any
	row   *tuple
	frame *frame
	keys  []any
}

// items returns items in order.
func (s *sorting) items(e *Evaluator, f *frame, items []any) []any {
	if len(items) <= 1 {
		return items
	}
	all := make([]sorted, len(items))
	for i, item := range items {
		all[i] = sorted{item: item, frame: f}
	}
	all = s.sort(e, all)
	out := make([]any, len(items), len(items)+1)
	for i := range all {
		out[i] = all[i].item
	}
	return out
}

// tuples returns tuples in order.
func (s *sorting) tuples(e *Evaluator, f *frame, stream *tuples) []*tuple {
	all := make([]sorted, len(stream.rows))
	for i, t := range stream.rows {
		if stream.shown {
			all[i] = sorted{item: t.object(), row: t, frame: f}
			continue
		}
		all[i] = sorted{item: t.at, row: t, frame: &frame{outer: f, tuple: t}}
	}
	all = s.sort(e, all)
	out := make([]*tuple, len(all))
	for i := range all {
		out[i] = all[i].row
	}
	return out
}

func (s *sorting) sort(e *Evaluator, all []sorted) []sorted {
	e.steps(4 + 2*len(all))
	e.alloc(len(all) * 80)
	keys := make([]any, len(all)*len(s.terms))
	for i := range all {
		all[i].keys = keys[i*len(s.terms) : i*len(s.terms) : (i+1)*len(s.terms)]
	}
	return mergeSort(e, all, make([]sorted, len(all)), func(a, b *sorted) bool { return s.after(e, a, b) })
}

// mergeSort sorts items stably. after reports whether a comes after b. It compares
// what jsonata-js compares, in the same order.
func mergeSort[T any](e *Evaluator, items, space []T, after func(a, b *T) bool) []T {
	if len(items) <= 1 {
		return items
	}
	middle := len(items) / 2
	left := mergeSort(e, items[:middle], space[:middle], after)
	right := mergeSort(e, items[middle:], space[middle:], after)
	i, j := 0, 0
	for k := range space {
		e.step()
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
func (s *sorting) key(e *Evaluator, item *sorted, n int) any {
	if n == len(item.keys) {
		item.keys = append(item.keys, s.terms[n].run(e, item.frame, item.item))
	}
	return item.keys[n]
}

// after reports whether a comes after b.
func (s *sorting) after(e *Evaluator, a, b *sorted) bool {
	for n, term := range s.terms {
		x, y := s.key(e, a, n), s.key(e, b, n)
		switch {
		case x == nil && y == nil:
			continue
		case x == nil:
			return true
		case y == nil:
			return false
		}
		order := s.compare(e, n, x, y)
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
