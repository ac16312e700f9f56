package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/patchbay-mcp/patchbay/specs"
)

// A Query says what is looked for and among which specs.
type Query struct {
	Text         string
	Max          int                    // hits to return; 10 when it is not positive
	TypeFilter   string                 // a node type, or ""
	Server       string                 // a downstream server, or ""
	RunnableOnly bool                   // leave knowledge about other systems out
	All          bool                   // every word must match, as itself or as what stands for it
	Cursor       string                 // Results.NextCursor of the page before
	Accept       func(*specs.Spec) bool // nil accepts every spec
}

// A Hit is one spec found. Score is absolute, 0..1: the share of the query's
// information (idf mass) that the spec's text matches, best first.
type Hit struct {
	Spec  *specs.Spec
	Score float64
	Also  []string // ids of near-duplicates that were moved behind the first ten places
}

// Results is one page of what was found.
type Results struct {
	Total      int // matching specs, on all pages
	Hits       []Hit
	Corrected  map[string]string // words no spec has, and what was looked for instead
	NextCursor string            // "" on the last page
	Nearest    []string          // words the specs do have, when nothing was found
}

// Search searches the catalog as it stands. It fails when ctx ends or q.Cursor
// belongs to another query or another state of the catalog.
func (x *Index) Search(ctx context.Context, q Query) (*Results, error) {
	return x.Snapshot().Search(ctx, q)
}

// Search is [Index.Search] on one state of the catalog.
func (s *Snapshot) Search(ctx context.Context, q Query) (*Results, error) {
	if q.Max <= 0 {
		q.Max = 10
	}
	offset, err := s.offset(q)
	if err != nil {
		return nil, err
	}
	p := s.plan(q.Text)
	found, err := s.scan(ctx, p, q)
	if err != nil {
		return nil, err
	}
	r := &Results{Total: len(found), Corrected: p.corrected}
	s.sort(found)
	end := min(offset+q.Max, len(found))
	for _, m := range found[min(offset, end):end] {
		r.Hits = append(r.Hits, Hit{Spec: s.spec(m), Score: share(m.score, p)})
	}
	if end < len(found) {
		r.NextCursor = s.cursor(q, end)
	}
	return r, nil
}

// share is a score as a share of the best that the query's words can earn when
// each stands once in a text of ordinary length.
func share(score float64, p *plan) float64 {
	if p.mass <= 0 {
		return 0
	}
	return min(1, score/p.mass)
}

func (s *Snapshot) spec(m match) *specs.Spec { return s.slices[m.slice].specs[m.node] }
func (s *Snapshot) id(m match) string        { return s.slices[m.slice].ids[m.node] }

// scan scores every node.
func (s *Snapshot) scan(ctx context.Context, p *plan, q Query) ([]match, error) {
	sc := newScorer(s, p)
	defer sc.free()
	var found []match
	for i, sl := range s.slices {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !sc.enter(sl) {
			continue
		}
		for n := range sl.specs {
			score, matched := sc.score(sl, n)
			if matched == 0 || q.All && !p.complete(matched) || !q.admits(sl.specs[n]) {
				continue
			}
			found = append(found, match{uint32(i), uint32(n), score * s.favour(sl.specs[n]), matched})
		}
	}
	return found, nil
}

// admits reports whether the spec is among those asked for.
func (q *Query) admits(sp *specs.Spec) bool {
	switch {
	case q.TypeFilter != "" && sp.NodeType != q.TypeFilter,
		q.Server != "" && sp.Server() != q.Server,
		q.RunnableOnly && sp.NotRunnable:
		return false
	}
	return q.Accept == nil || q.Accept(sp)
}

// favour puts what serves an author better before what fits as well: a saved
// graph first, then what can be run, then knowledge about other systems.
func (s *Snapshot) favour(sp *specs.Spec) float64 {
	switch {
	case sp.NotRunnable:
		return .9
	case sp.NodeType == "graph" && sp.Subtype != "":
		return 1.1
	}
	return 1
}

func (s *Snapshot) sort(found []match) {
	slices.SortFunc(found, func(a, b match) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		if c := cmp.Compare(s.id(a), s.id(b)); c != 0 {
			return c
		}
		return cmp.Compare(a.slice, b.slice)
	})
}

// with is the snapshot under other options.
func (s *Snapshot) with(opt options) *Snapshot {
	c := *s
	c.opt = opt
	return &c
}

// ranked is the specs in the order that pages show them, at most n.
func (s *Snapshot) ranked(ctx context.Context, text string, n int) ([]*specs.Spec, error) {
	r, err := s.Search(ctx, Query{Text: text, Max: n})
	if err != nil {
		return nil, err
	}
	var list []*specs.Spec
	for _, h := range r.Hits {
		list = append(list, h.Spec)
	}
	return list, nil
}
