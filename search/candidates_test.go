package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/tools/searcheval/evalset"
)

// exhaustive is the first ids of a search in which every node is scored, and how many
// match.
func exhaustive(s *Snapshot, q Query) (ids []string, total int) {
	if q.Max == 0 {
		q.Max = 10
	}
	sc := newScorer(s, s.plan(q.Text))
	defer sc.free()
	var list []match
	best := 0.0
	for _, sl := range s.segments {
		for n := range sl.specs {
			m := match{segment: sl, node: uint32(n)}
			if m.parts, m.matched = sc.score(sl, n); m.matched != 0 {
				list = append(list, m)
				best = max(best, m.parts.Words)
			}
		}
	}
	sc.finish(list, best)
	l := s.lineUp(list)
	end := min(q.Max, len(l.order))
	if l.first < firstPlaces {
		end = min(end, l.first)
	}
	for _, m := range l.order[:end] {
		ids = append(ids, m.id())
	}
	return ids, len(list)
}

func resultIDs(t testing.TB, s *Snapshot, q Query) ([]string, *Results) {
	t.Helper()
	r, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, h := range r.Hits {
		ids = append(ids, h.Spec.ID())
	}
	return ids, r
}

// agreement is the share of the exhaustive first ten that a search has in its first ten.
func agreement(t testing.TB, snap *Snapshot, queries []string) float64 {
	t.Helper()
	found, want := 0, 0
	for _, q := range queries {
		got, r := resultIDs(t, snap, Query{Text: q})
		ideal, total := exhaustive(snap, Query{Text: q})
		if r.Total != total {
			t.Errorf("%q: total %d, want %d", q, r.Total, total)
		}
		want += len(ideal)
		for _, id := range ideal {
			if slices.Contains(got, id) {
				found++
			}
		}
	}
	return float64(found) / float64(want)
}

// TestTopTenIsThatOfExhaustiveScoring: bleve's candidates hold what scoring every node
// finds, in the same order, for every query of the development sets over all of their
// tools among 2,000.
func TestTopTenIsThatOfExhaustiveScoring(t *testing.T) {
	if testing.Short() {
		t.Skip("asks a thousand queries twice: not run with -short")
	}
	sets, names, err := evalset.ReadAll(devSets(t))
	if err != nil {
		t.Fatal(err)
	}
	x := loaded(synthetic(1600))
	var queries []string
	for _, name := range names {
		x.Replace("set:"+name, sets[name].Specs)
		for _, q := range sets[name].Queries {
			queries = append(queries, q.Text)
		}
	}
	snap := x.Snapshot()
	if n := snap.Len(); n < 1900 || n > 2400 {
		t.Errorf("%d nodes, want about 2,000", n)
	}
	differ := 0
	for _, q := range queries {
		got, r := resultIDs(t, snap, Query{Text: q})
		want, total := exhaustive(snap, Query{Text: q})
		if d := cmp.Diff(want, got); d != "" || total != r.Total {
			if differ++; differ < 4 {
				t.Errorf("%q: total %d, want %d; -exhaustive +search:\n%s", q, r.Total, total, d)
			}
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d queries have another top ten", differ, len(queries))
	}
}

func TestTopTenOfManyTools(t *testing.T) {
	tools := 10_000
	if testing.Short() {
		tools = 3000
	}
	got := agreement(t, loaded(synthetic(tools)).Snapshot(), slices.Concat(questions(50, 3), questions(50, 10)))
	t.Logf("%.2f%% of the exhaustive top ten at %d tools", 100*got, tools)
	if got < .99 {
		t.Errorf("a search has %.2f%% of the exhaustive top ten at %d tools, want 99%%", got*100, tools)
	}
}

func TestLargeCatalogFollowsChanges(t *testing.T) {
	all := synthetic(2500)
	x := loaded(all)
	probe := func(text string, n int) *specs.Spec {
		return &specs.Spec{NodeType: "mcp", Subtype: fmt.Sprintf("probe/%s_%d", text, n), Description: text + " something"}
	}
	find := func(text string) []string {
		ids, r := resultIDs(t, x.Snapshot(), Query{Text: text})
		want, total := exhaustive(x.Snapshot(), Query{Text: text})
		if d := cmp.Diff(want, ids); d != "" || r.Total != total {
			t.Errorf("%q over %d nodes: total %d, want %d; -exhaustive +got:\n%s", text, x.Snapshot().Len(), r.Total, total, d)
		}
		return ids
	}
	if x.Snapshot().base == nil {
		t.Fatal("2,500 tools have no base")
	}
	if got := find("quokka"); len(got) != 0 {
		t.Errorf("before: %v", got)
	}
	x.Replace("server:probe", []*specs.Spec{probe("quokka", 1), probe("quokka", 2)})
	if got := find("quokka"); len(got) != 2 {
		t.Errorf("after adding two: %v", got)
	}
	names := sortedKeys(all)
	for i := range 12 { // servers change, leave and come back, past several merges
		gone := names[i]
		x.Replace("server:"+gone, nil)
		find("quokka")
		find(all[gone][0].Description)
		x.Replace("server:probe", []*specs.Spec{probe("wombat", i)})
		find("wombat")
		x.Replace("server:"+gone, all[gone])
	}
	for i := range 100 {
		x.Replace(fmt.Sprintf("server:new%d", i), []*specs.Spec{probe("numbat", i)})
	}
	if _, r := resultIDs(t, x.Snapshot(), Query{Text: "numbat"}); r.Total != 100 {
		t.Errorf("numbat: %d, want 100", r.Total)
	}
	find("wombat")
	if got := find("quokka"); len(got) != 0 {
		t.Errorf("after the change: %v", got)
	}
	for _, name := range names {
		x.Replace("server:"+name, nil)
	}
	if b := x.Snapshot().base; b != nil && b.nodes > freshNodes {
		t.Errorf("a catalog of %d nodes keeps %d in its index", x.Snapshot().Len(), b.nodes)
	}
	find("wombat")
}
