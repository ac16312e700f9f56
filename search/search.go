package search

import (
	"context"

	"github.com/patchbay-mcp/patchbay/specs"
)

// A Query says what is looked for and among which specs.
type Query struct {
	Text         string
	Max          int                    // hits to return; 10 when it is not positive
	TypeFilter   string                 // a node type, or ""
	Server       string                 // a downstream server, or ""
	RunnableOnly bool                   // leave knowledge about other systems out
	All          bool                   // every word must match, as itself or as a variant
	Cursor       string                 // Results.NextCursor of the page before
	Accept       func(*specs.Spec) bool // nil accepts every spec
	Near         []*specs.Spec          // candidates by meaning, nearest first; they are not used with All
}

// A Hit is one spec found, best first. Score is absolute, 0..1: how well the spec fits
// the whole query. It may be higher for a later hit, as the order has more to go by.
type Hit struct {
	Spec      *specs.Spec
	Score     float64
	Unmatched []string // the most telling words of the query that the spec lacks, unless it lacks most
	Also      []string // ids of near-duplicates that were moved after the first ten places
	Parts     Parts
}

// Results is one page of what was found.
type Results struct {
	Total      int     // matching specs, on all pages
	Confidence float64 // 0..1: how likely the first of all hits is what was asked for; 0 with candidates by meaning
	Hits       []Hit
	Corrected  map[string]string // words no spec has, and what was looked for instead
	NextCursor string            // "" on the last page
	Nearest    []string          // words the specs do have, when nothing was found
}

// Search searches this state of the catalog. It fails when ctx ends or q.Cursor
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
	found, total, err := s.find(ctx, p, q, offset+q.Max)
	if err != nil {
		return nil, err
	}
	r := &Results{Total: total, Corrected: p.corrected, Confidence: p.confidence(found)}
	score := match.fit
	if len(q.Near) > 0 && !q.All {
		var added int
		found, added = s.fuse(found, &q)
		total, r.Total = total+added, r.Total+added
		score, r.Confidence = fusedShare, 0
	}
	if total == 0 {
		r.Nearest = s.nearest(p)
		return r, nil
	}
	l := s.lineUp(found)
	begin := min(offset, len(l.order))
	end := min(begin+q.Max, len(l.order))
	if begin < l.first && l.first < firstPlaces {
		end = min(end, l.first)
	}
	for i, m := range l.order[begin:end] {
		hit := Hit{Spec: m.spec(), Score: score(m), Parts: m.parts, Also: l.also[begin+i]}
		if hit.Score >= unmatchedFit {
			hit.Unmatched = p.unmatched(m.matched)
		}
		r.Hits = append(r.Hits, hit)
	}
	if end < total {
		r.NextCursor = s.cursor(q, end)
	}
	return r, nil
}

// find is the matches in order, at least the first n of them, and how many
// there are.
func (s *Snapshot) find(ctx context.Context, p *plan, q Query, n int) ([]match, int, error) {
	n = (max(n, familyDepth) + pool - 1) / pool * pool
	sc := newScorer(s, p)
	defer sc.free()
	list, total, err := s.candidates(ctx, sc, q, n)
	if err != nil {
		return nil, 0, err
	}
	sc.rank(list)
	return list, total, nil
}

// narrow reports whether the query leaves matching nodes out.
func (q *Query) narrow() bool {
	return q.TypeFilter != "" || q.Server != "" || q.RunnableOnly || q.All || q.Accept != nil
}

func (m match) spec() *specs.Spec { return m.segment.specs[m.node] }

func (m match) id() string { return m.segment.ids[m.node] }

// Admits reports whether the spec is among those asked for.
func (q *Query) Admits(sp *specs.Spec) bool {
	switch {
	case q.TypeFilter != "" && !ofType(sp, q.TypeFilter),
		q.Server != "" && sp.Server() != q.Server,
		q.RunnableOnly && (sp.NotRunnable || sp.NotApproved != ""):
		return false
	}
	return q.Accept == nil || q.Accept(sp)
}

// ofType reports whether a spec is of a node type. A saved graph is an idiom too: its
// text can be copied.
func ofType(sp *specs.Spec, nodeType string) bool {
	return sp.NodeType == nodeType || nodeType == specs.Idiom && sp.NodeType == specs.Graph && sp.Subtype != ""
}

// favour puts what serves an author better before what fits as well: a saved
// graph first, then what else can be run, then what cannot.
func favour(sp *specs.Spec) float64 {
	switch {
	case sp.NotApproved != "", sp.NotRunnable && sp.NodeType != specs.Idiom:
		return .8
	case sp.NodeType == specs.Graph && sp.Subtype != "":
		return 1.1
	}
	return 1
}
