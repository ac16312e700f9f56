package journal_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/journal"
)

func TestRunsForgetTheOldestByCount(t *testing.T) {
	r := journal.NewRuns[string](&journal.RunsOptions{MaxRuns: 3})
	for i := range 5 {
		r.Put("ann", strconv.Itoa(i), fmt.Sprint("run ", i), 1)
	}
	if diff := cmp.Diff([]string{"run 4", "run 3", "run 2"}, r.List("ann", 0)); diff != "" {
		t.Error(diff)
	}
	if _, ok := r.Get("ann", "1"); ok {
		t.Error("run 1 is still there beyond the bound of 3")
	}
	if got, ok := r.Get("ann", "2"); !ok || got != "run 2" {
		t.Errorf("run 2: got %q, %v", got, ok)
	}
	if diff := cmp.Diff([]string{"run 4"}, r.List("ann", 1)); diff != "" {
		t.Error(diff)
	}
}

func TestRunsForgetTheOldestByBytes(t *testing.T) {
	r := journal.NewRuns[int](&journal.RunsOptions{MaxBytes: 100})
	r.Put("ann", "a", 1, 60)
	r.Put("ann", "b", 2, 30)
	r.Put("ann", "c", 3, 50)
	if diff := cmp.Diff([]int{3, 2}, r.List("ann", 0)); diff != "" {
		t.Error(diff)
	}
	if r.Put("ann", "huge", 4, 101) {
		t.Error("a record larger than the bound was kept")
	}
	if diff := cmp.Diff([]int{3, 2}, r.List("ann", 0)); diff != "" {
		t.Errorf("refusing a record lost others: %s", diff)
	}
}

func TestRunsBelongToTheirOwner(t *testing.T) {
	r := journal.NewRuns[string](nil)
	r.Put("ann", "1", "hers", 1)
	r.Put("bob", "1", "his", 1)
	if got, _ := r.Get("ann", "1"); got != "hers" {
		t.Errorf("ann reads %q", got)
	}
	if _, ok := r.Get("eve", "1"); ok {
		t.Error("eve reads a run of another principal")
	}
	if diff := cmp.Diff([]string{"his"}, r.List("bob", 0)); diff != "" {
		t.Error(diff)
	}
}

func TestRunsReplacingCountsOnce(t *testing.T) {
	r := journal.NewRuns[int](&journal.RunsOptions{MaxRuns: 2, MaxBytes: 10})
	r.Put("ann", "other", 0, 4)
	for i := range 100 {
		r.Put("ann", "same", i, 6)
	}
	if diff := cmp.Diff([]int{99, 0}, r.List("ann", 0)); diff != "" {
		t.Error(diff)
	}
}

func TestRunsConcurrently(t *testing.T) {
	r := journal.NewRuns[int](&journal.RunsOptions{MaxRuns: 10})
	var wg sync.WaitGroup
	for w := range 8 {
		owner := strconv.Itoa(w)
		wg.Go(func() {
			for i := range 500 {
				r.Put(owner, strconv.Itoa(i), i, 1)
				r.Get(owner, strconv.Itoa(i/2))
				r.List(owner, 3)
			}
		})
	}
	wg.Wait()
	total := 0
	for w := range 8 {
		total += len(r.List(strconv.Itoa(w), 0))
	}
	if total != 10 {
		t.Errorf("%d records kept, want 10", total)
	}
}
