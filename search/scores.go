package search

import (
	"cmp"
	"sync"
)

// scores adds up a query's scores by bleve's document number.
type scores struct {
	sum     []float32
	touched []uint32
}

var scoreTables = sync.Pool{New: func() any { return new(scores) }}

func (t *scores) add(doc uint64, gain float32) {
	if doc >= uint64(len(t.sum)) {
		t.sum = append(t.sum, make([]float32, doc+1+doc/4-uint64(len(t.sum)))...)
	}
	if t.sum[doc] == 0 {
		t.touched = append(t.touched, uint32(doc))
	}
	t.sum[doc] += gain
}

func (t *scores) free() {
	for _, d := range t.touched {
		t.sum[d] = 0
	}
	t.touched = t.touched[:0]
	scoreTables.Put(t)
}

// best is the n documents of the highest sums in no order, and those with the
// lowest sum among them: bleve's numbers must not decide who is in.
func (t *scores) best(n int) []uint32 {
	if len(t.touched) <= n {
		return t.touched
	}
	high := top[float32]{n: n, cmp: func(a, b float32) int { return cmp.Compare(b, a) }}
	for _, d := range t.touched {
		high.add(t.sum[d])
	}
	var list []uint32
	for _, d := range t.touched {
		if t.sum[d] >= high.list[0] && len(list) < n+tiesMax {
			list = append(list, d)
		}
	}
	return list
}
