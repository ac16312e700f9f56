package search

import (
	"cmp"
	"slices"
)

// A wordOrder has the words of names and descriptions of a segment's nodes, as they
// stand.
type wordOrder struct {
	words []uint32 // terms of node i: words[start[i]:start[i+1]]; its name's come first
	start []uint32
	named []uint16 // by node: words of its name
}

// between stands between two texts: words on either side are not neighbours.
const between = ^uint32(0)

// next begins the words of another node.
func (o *wordOrder) next() {
	o.start, o.named = append(o.start, uint32(len(o.words))), append(o.named, 0)
}

// begin begins another text of the node.
func (o *wordOrder) begin(f field) {
	if f == fieldDescription && len(o.words) > int(o.start[len(o.start)-1]) {
		o.words = append(o.words, between)
	}
}

// add notes a word.
func (o *wordOrder) add(f field, term uint32) {
	switch f {
	case fieldName:
		if n := len(o.named) - 1; int(o.named[n]) == len(o.words)-int(o.start[n]) {
			o.named[n]++
			o.words = append(o.words, term)
		}
	case fieldDescription:
		o.words = append(o.words, term)
	}
}

// end closes the table.
func (o *wordOrder) end() {
	o.start = append(o.start, uint32(len(o.words)))
	o.words = slices.Clip(slices.Clone(o.words))
}

// of is the words of a node's name and description.
func (o *wordOrder) of(node int) []uint32 { return o.words[o.start[node]:o.start[node+1]] }

// name is the words of a node's name.
func (o *wordOrder) name(node int) []uint32 { return o.of(node)[:o.named[node]] }

// A match is a node that has something of the query.
type match struct {
	segment *segment
	node    uint32
	matched uint64 // which concepts, as bits
	exact   bool   // the query is its name
	score   float64
	parts   Parts
}

// before is the order of results: best first, ties by id.
func before(a, b match) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	if c := cmp.Compare(a.segment.ids[a.node], b.segment.ids[b.node]); c != 0 {
		return c
	}
	return cmp.Compare(a.segment.origin, b.segment.origin)
}

// A top keeps the first n of what is added to it, by an order, as a heap with
// the last of them at its root.
type top[T any] struct {
	n    int
	cmp  func(a, b T) int
	list []T
}

func (t *top[T]) add(v T) {
	if len(t.list) < t.n {
		t.list = append(t.list, v)
		if len(t.list) == t.n {
			for i := t.n/2 - 1; i >= 0; i-- {
				t.sink(i)
			}
		}
		return
	}
	if t.cmp(v, t.list[0]) < 0 {
		t.list[0] = v
		t.sink(0)
	}
}

func (t *top[T]) sink(i int) {
	for {
		last := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < len(t.list) && t.cmp(t.list[c], t.list[last]) > 0 {
				last = c
			}
		}
		if last == i {
			return
		}
		t.list[i], t.list[last] = t.list[last], t.list[i]
		i = last
	}
}

// sorted is what was kept, in order.
func (t *top[T]) sorted() []T {
	slices.SortFunc(t.list, t.cmp)
	return t.list
}
