package search

import (
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/specs"
)

// fusion is the constant of reciprocal rank fusion: how little the first ranks differ.
const fusion = 60

// fuse joins what the ranking found with the candidates by meaning, by reciprocal rank
// fusion: a node counts 1/(60 + its rank) of each list that has it, and one that the
// query names stays first. It returns how many nodes the ranking had not found.
func (s *Snapshot) fuse(found []match, q *Query) (list []match, added int) {
	rank := make(map[*specs.Spec]int, len(found))
	for i, m := range found {
		rank[m.spec()] = i
	}
	list = slices.Clone(found)
	for i := range list {
		list[i].score = 1 / float64(fusion+i+1)
		if list[i].exact {
			list[i].score++
		}
	}
	place := 0
	for _, sp := range q.Near {
		i, known := rank[sp]
		if !known {
			m, ok := s.locate(sp)
			if !ok || !q.Admits(sp) {
				continue
			}
			i = len(list)
			list = append(list, m)
			rank[sp] = i
			added++
		}
		place++
		list[i].score += 1 / float64(fusion+place)
	}
	slices.SortFunc(list, before)
	return list, added
}

// fusedShare is a fused score as a share of the best: first in both lists.
func fusedShare(m match) float64 { return min(1, m.score*(fusion+1)/2) }

// locate is a spec's place in the catalog.
func (s *Snapshot) locate(sp *specs.Spec) (match, bool) {
	for _, sl := range s.segments {
		if i, ok := slices.BinarySearch(sl.ids, sp.ID()); ok && sl.specs[i] == sp {
			return match{segment: sl, node: uint32(i)}, true
		}
	}
	return match{}, false
}

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
