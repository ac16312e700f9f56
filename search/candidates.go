package search

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// pool is how many candidates are scored together.
const pool = 600

// candidates are the n best nodes that q admits, by BM25 over all of their text, best first,
// and how many it admits at all.
func (s *Snapshot) candidates(ctx context.Context, sc *scorer, q Query, n int) (best []match, total int, err error) {
	first := top[candidate]{n: n, cmp: candidate.compare}
	narrow, exact := q.narrow(), map[*segment][]uint32{}
	for _, sl := range s.segments {
		if nodes := sl.called[sc.plan.called]; len(nodes) > 0 {
			exact[sl] = nodes
		}
	}
	take := func(c candidate) {
		if narrow && !q.takes(sc, c) {
			return
		}
		if len(exact) > 0 && slices.Contains(exact[c.segment], c.node) {
			c.score = called
		}
		total++
		first.add(c)
	}
	if err := s.takeBased(ctx, sc, take); err != nil {
		return nil, 0, err
	}
	gain := s.gain()
	for _, sl := range s.fresh {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		for node := range sl.specs {
			if score := sc.estimate(sl, node, gain); score > 0 {
				take(candidate{score, uint32(node), sl})
			}
		}
	}
	kept := first.list
	if len(kept) > pool { // one pool is sorted when it has been scored
		kept = first.sorted()
	}
	best = make([]match, len(kept))
	for i, c := range kept {
		best[i] = match{segment: c.segment, node: c.node, exact: c.score == called}
	}
	return best, total, nil
}

// takeBased takes the nodes of the base that have a term of the query.
func (s *Snapshot) takeBased(ctx context.Context, sc *scorer, take func(candidate)) error {
	b := s.base
	if b == nil {
		return ctx.Err()
	}
	t := scoreTables.Get().(*scores)
	defer t.free()
	t.grow(len(b.places))
	gain := s.gain()
	for i, v := range sc.variants {
		if err := ctx.Err(); err != nil {
			return err
		}
		if int(sc.table[v.term.id]) != i+1 { // another variant stands for the term
			continue
		}
		for at, to := b.of(v.term.id); at < to; at++ {
			n := b.nodes[at]
			t.add(n, gain.of(sc.worth[i], float32(b.times[at]), b.sizes[n]))
		}
	}
	for _, n := range t.touched {
		at := b.places[n]
		if sl := b.list[at.segment]; len(s.left) == 0 || !s.left[sl] {
			take(candidate{t.sum[n], at.node, sl})
		}
	}
	return nil
}

// estimate is the score of a node as a candidate.
func (sc *scorer) estimate(sl *segment, node int, gain gain) float32 {
	sum, size := float32(0), float32(0)
	for _, p := range sl.of(node) {
		i := sc.table[p.term]
		if i == 0 {
			continue
		}
		if size == 0 {
			size = sl.size(node)
		}
		sum += gain.of(sc.worth[i-1], float32(p.times()), size)
	}
	return sum
}

// A gain is what a term adds to the score of a candidate that has it, by BM25.
type gain struct{ k, perTerm float32 }

func (s *Snapshot) gain() gain {
	mean := s.mean[fieldName]
	for _, m := range s.mean {
		mean += m
	}
	return gain{float32(s.opt.k1 * (1 - s.opt.b)), float32(s.opt.k1 * s.opt.b / max(mean, 1))}
}

// of is the gain of a term that is worth so much and occurs so often in a node of a size.
func (g gain) of(worth float64, times, size float32) float32 {
	return float32(worth) * times / (times + g.k + g.perTerm*size)
}

// called is the score of a candidate that the query names: it is one in any catalog.
const called = math.MaxFloat32

// A candidate is a node with its first score.
type candidate struct {
	score   float32
	node    uint32
	segment *segment
}

// compare is the order of candidates: best first, ties by id.
func (c candidate) compare(d candidate) int {
	switch {
	case c.score > d.score:
		return -1
	case c.score < d.score:
		return 1
	}
	return cmp.Or(cmp.Compare(c.segment.ids[c.node], d.segment.ids[d.node]), cmp.Compare(c.segment.origin, d.segment.origin))
}

// takes reports whether a query that leaves nodes out keeps one.
func (q *Query) takes(sc *scorer, c candidate) bool {
	if !q.Admits(c.segment.specs[c.node]) {
		return false
	}
	if !q.All {
		return true
	}
	_, matched := sc.score(c.segment, int(c.node))
	return sc.plan.complete(matched)
}
