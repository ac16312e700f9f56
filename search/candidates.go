package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	segmentapi "github.com/blevesearch/scorch_segment_api/v2"
)

// pool is how many candidates are scored together.
const pool = 600

// candidates are the n best nodes that q admits, by BM25 over bleve's combined field,
// best first, and how many it admits at all.
func (s *Snapshot) candidates(ctx context.Context, sc *scorer, q Query, n int) (best []match, total int, err error) {
	first := top[candidate]{n: n, cmp: candidate.compare}
	t := scoreTables.Get().(*scores)
	defer t.free()
	parts, err := s.parts()
	if err != nil {
		return nil, 0, err
	}
	wanted := s.gains(sc.plan)
	narrow := q.narrow()
	exact := map[*segment][]uint32{}
	for _, sl := range s.segments {
		if nodes := sl.called[sc.plan.called]; len(nodes) > 0 {
			exact[sl] = nodes
		}
	}
	for _, p := range parts {
		if err := s.addUp(ctx, t, p, wanted); err != nil {
			return nil, 0, err
		}
		dead := s.dead(p)
		for _, doc := range t.touched {
			at := p.docs[doc]
			c := candidate{t.sum[doc], at.node, p.segments[at.segment]}
			if len(dead) > 0 && dead[at.segment] || narrow && !q.takes(sc, c) {
				continue
			}
			if len(exact) > 0 && slices.Contains(exact[c.segment], c.node) {
				c.score = called
			}
			total++
			first.add(c)
		}
		t.clear()
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

// called is the score of a candidate that the query names: it is one in any catalog.
const called = math.MaxFloat32

// A candidate is a node with its score at bleve.
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

// A gain is a term to look for and what it is worth.
type gain struct {
	term *term
	idf  float64
}

// gains are the terms of a plan, each once.
func (s *Snapshot) gains(p *plan) []gain {
	at := map[uint32]int{}
	var list []gain
	for _, v := range p.variants {
		i, known := at[v.term.id]
		if !known {
			i = len(list)
			at[v.term.id] = i
			list = append(list, gain{term: v.term})
		}
		list[i].idf += v.gain * p.concepts[v.concept].rank
	}
	return list
}

// addUp adds the BM25 gains of terms to every document of a part that has them. It
// reads scorch's segments one by one: the reader over all of them takes twice the time.
func (s *Snapshot) addUp(ctx context.Context, t *scores, p *part, wanted []gain) error {
	mean := s.mean[fieldName]
	for _, m := range s.mean {
		mean += m
	}
	k, perTerm := s.opt.k1*(1-s.opt.b), s.opt.k1*s.opt.b/max(mean, 1)
	t.grow(p.nodes)

	var list segmentapi.PostingsList
	var each segmentapi.PostingsIterator
	first := uint64(0) // the segment's first document
	for _, own := range p.reader.Segments() {
		dict, err := own.Segment().Dictionary(combined)
		if err != nil {
			return fmt.Errorf("read a search index: %w", err)
		}
		for _, w := range wanted {
			if !p.has(w.term) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if list, err = dict.PostingsList([]byte(w.term.text), nil, list); err != nil {
				return fmt.Errorf("read a search index: %w", err)
			}
			each = list.Iterator(true, true, false, each)
			for {
				d, err := each.Next()
				if err != nil {
					return fmt.Errorf("read a search index: %w", err)
				}
				if d == nil {
					break
				}
				length := 1 / (d.Norm() * d.Norm()) // bleve keeps a length as its inverse root
				tf := float64(d.Frequency())
				t.add(uint32(first+d.Number()), float32(w.idf*tf/(tf+k+perTerm*length)))
			}
		}
		first += uint64(own.FullSize())
	}
	return nil
}
