package search

import "sync"

// scores adds up a query's scores by a part's document number.
type scores struct {
	sum     []float32
	touched []uint32
}

var scoreTables = sync.Pool{New: func() any { return new(scores) }}

// grow makes room for documents up to n.
func (t *scores) grow(n int) {
	if n > len(t.sum) {
		t.sum = make([]float32, n+n/4)
	}
}

func (t *scores) add(doc uint32, gain float32) {
	if t.sum[doc] == 0 {
		t.touched = append(t.touched, doc)
	}
	t.sum[doc] += gain
}

func (t *scores) clear() {
	for _, d := range t.touched {
		t.sum[d] = 0
	}
	t.touched = t.touched[:0]
}

func (t *scores) free() {
	t.clear()
	scoreTables.Put(t)
}
