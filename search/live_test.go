package search

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

// TestSearchesSeeOneCatalog changes one server between two versions while
// others search: every answer is of one version, whole.
func TestSearchesSeeOneCatalog(t *testing.T) {
	for _, n := range []int{200, 2100} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			x := loaded(synthetic(n))
			version := func(word string) (list []*specs.Spec) {
				for i := range 20 {
					list = append(list, mcp("live", fmt.Sprintf("%s_%d", word, i), "It is "+word))
				}
				return list
			}
			a, b := version("quokka"), version("wombat")
			x.Replace("server:live", a)
			done := make(chan struct{})
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					for {
						select {
						case <-done:
							return
						default:
						}
						r, err := x.Search(t.Context(), Query{Text: "quokka wombat", Max: 3})
						if err != nil {
							t.Error(err)
							return
						}
						if r.Total != 20 {
							t.Errorf("a search sees %d tools of one version's 20", r.Total)
							return
						}
					}
				})
			}
			for i := range 100 {
				if i%2 == 0 {
					x.Replace("server:live", b)
				} else {
					x.Replace("server:live", a)
				}
				if i%10 == 5 { // something else changes too
					x.Replace("server:other", []*specs.Spec{mcp("other", "tool"+strconv.Itoa(i), "Another")})
				}
			}
			close(done)
			wg.Wait()
		})
	}
}

func TestSnapshotDoesNotChange(t *testing.T) {
	x := small()
	snap := x.Snapshot()
	want, _ := resultIDs(t, snap, Query{Text: "issue"})
	x.Replace("server:github", nil)
	got, _ := resultIDs(t, snap, Query{Text: "issue"})
	if len(want) == 0 || len(got) != len(want) {
		t.Errorf("the snapshot had %v and has %v", want, got)
	}
	if now, _ := resultIDs(t, x.Snapshot(), Query{Text: "create issue"}); len(now) != 0 {
		t.Errorf("after the removal: %v", now)
	}
	x.Replace("server:github", nil) // nothing to remove
	x.Replace("server:empty", nil)
	x.Replace("server:nil", []*specs.Spec{nil})
	if x.Snapshot().Len() != 7 {
		t.Errorf("%d specs, want 7", x.Snapshot().Len())
	}
}

// TestDroppedIndexEnds: an index that nothing refers to keeps no goroutine.
func TestDroppedIndexEnds(t *testing.T) {
	before := runtime.NumGoroutine()
	x := loaded(synthetic(2100))
	if x.Snapshot().base == nil {
		t.Fatal("no base")
	}
	runtime.KeepAlive(x)
	x = nil
	for runtime.NumGoroutine() > before {
		runtime.GC()
	}
}

func TestSearchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, n := range []int{200, 2100} {
		if _, err := loaded(synthetic(n)).Search(ctx, Query{Text: "wait sleep"}); err == nil {
			t.Errorf("%d tools: a search continues after its context", n)
		}
	}
}

// TestChangesDoNotWaitForAMerge changes a large catalog during a merge:
// the change is there at once, and is not lost when the merge comes to its end.
func TestChangesDoNotWaitForAMerge(t *testing.T) {
	x := loaded(synthetic(2100))
	merging := x.Snapshot() // what the merge began with
	x.merging.Lock()
	x.Publish("server:live", []*specs.Spec{mcp("live", "quokka", "Feeds quokkas")})
	x.Publish(merging.segments[0].origin, nil)
	next, err := merging.merge()
	if err != nil {
		t.Fatal(err)
	}
	found := func() {
		t.Helper()
		if got, r := resultIDs(t, x.Snapshot(), Query{Text: "quokka"}); r.Total != 1 || got[0] != "mcp:live/quokka" {
			t.Errorf("found %v", got)
		}
		if n := x.Snapshot().Len(); n != 2100+1-len(merging.segments[0].specs) {
			t.Errorf("%d nodes", n)
		}
	}
	found()
	x.rebase(merging, next)
	x.merging.Unlock()
	found()
}

// TestMergeOfAnOldVocabularyIsDropped starts a new vocabulary during a
// merge.
func TestMergeOfAnOldVocabularyIsDropped(t *testing.T) {
	x := loaded(synthetic(2100))
	merging := x.Snapshot()
	next, err := merging.merge()
	if err != nil {
		t.Fatal(err)
	}
	x.live = 0 // any vocabulary is too large
	x.Publish("server:live", []*specs.Spec{mcp("live", "quokka", "Feeds quokkas")})
	x.rebase(merging, next)
	if x.Snapshot().base != nil {
		t.Error("the base counts terms by the numbers of another vocabulary")
	}
	if !x.Settle() || x.Snapshot().base == nil {
		t.Error("the catalog has no base after it was settled")
	}
	if got, r := resultIDs(t, x.Snapshot(), Query{Text: "quokka"}); r.Total != 1 || got[0] != "mcp:live/quokka" {
		t.Errorf("found %v", got)
	}
}
