package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/specs"
)

// exact is the snapshot without its base: every node is scored.
func exact(s *Snapshot) *Snapshot {
	c := *s
	c.base, c.gone, c.fresh = nil, nil, nil
	for i := range c.segments {
		c.fresh = append(c.fresh, uint32(i))
	}
	return &c
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

// candidateRecall is the share of the exact first ten that bleve's candidates
// keep in the first ten.
func candidateRecall(t testing.TB, snap *Snapshot) float64 {
	t.Helper()
	if snap.base == nil {
		t.Fatalf("%d tools are scored one by one: bleve is not asked", snap.Len())
	}
	all := exact(snap)
	found, want := 0, 0
	for _, words := range []int{3, 10} {
		for _, q := range questions(50, words) {
			got, r := resultIDs(t, snap, Query{Text: q})
			ideal, full := resultIDs(t, all, Query{Text: q})
			if r.Total != full.Total {
				t.Errorf("%q: total %d, want %d", q, r.Total, full.Total)
			}
			want += len(ideal)
			for _, id := range ideal {
				if slices.Contains(got, id) {
					found++
				}
			}
		}
	}
	return float64(found) / float64(want)
}

func TestCandidatesHoldTheExactTop(t *testing.T) {
	tools := 10_000
	if testing.Short() {
		tools = 3000
	}
	if got := candidateRecall(t, loaded(synthetic(tools)).Snapshot()); got < .99 {
		t.Errorf("bleve's candidates hold %.2f%% of the exact first ten at %d tools, want 99%%", got*100, tools)
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
		want, full := resultIDs(t, exact(x.Snapshot()), Query{Text: text})
		if d := cmp.Diff(want, ids); d != "" || r.Total != full.Total {
			t.Errorf("%q over %d nodes: total %d, want %d; -exact +got:\n%s", text, x.Snapshot().Len(), r.Total, full.Total, d)
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
	if x.store != nil || x.Snapshot().base != nil {
		t.Error("a catalog that became small keeps its index")
	}
	find("wombat")
}
