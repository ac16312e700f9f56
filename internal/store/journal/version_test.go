package journal_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// Several journals have one file and change runs at random; some of them end in the middle of
// theirs. As long as the version is the same the list is, and without changes the version is.
func TestVersionChangesWithTheList(t *testing.T) {
	all := run.Filter{Actor: run.Actor{Operator: true}}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 2))
		path := filepath.Join(t.TempDir(), "runs.db")
		j := openJournal(t, path, nil)
		others := map[int]*journal.Journal{0: j}
		begun := map[string]*run.Record{}
		owner := map[string]*journal.Journal{}
		version, list := "", []run.Summary(nil)
		for i := range 60 {
			by := others[0]
			for _, o := range others { // any
				by = o
			}
			switch what := r.IntN(6); {
			case what == 0 && len(others) < 3:
				others[i] = openJournal(t, path, nil)
			case what == 1 && len(others) > 1:
				for n, o := range others {
					if n != 0 {
						if err := o.Close(); err != nil {
							t.Fatal(err)
						}
						delete(others, n)
						break
					}
				}
			case what <= 3:
				rec := &run.Record{ID: fmt.Sprint("r", i), Graph: "g", Status: run.Running, Started: now.Add(time.Duration(i)), Arguments: []byte(`{"a":1}`)}
				if err := by.Begin(rec, r.IntN(2) == 0); err != nil {
					t.Fatal(err)
				}
				begun[rec.ID], owner[rec.ID] = rec, by
			default:
				for id, rec := range begun {
					ours := false
					for _, o := range others {
						ours = ours || o == owner[id]
					}
					delete(begun, id)
					if ours {
						rec.Status, rec.Ended = run.Succeeded, now
						if err := owner[id].End(rec, true); err != nil {
							t.Fatal(err)
						}
					}
					break
				}
			}
			was, before := version, list
			var known bool
			if version, known = j.Version(); !known {
				t.Fatal("the version is not known")
			}
			var err error
			if list, err = j.List(all); err != nil {
				t.Fatal(err)
			}
			if again, _ := j.Version(); version == was && again == version && !cmp.Equal(list, before) {
				t.Fatalf("seed %d, step %d: the list has changed, and the version %s has not: %s", seed, i, version, cmp.Diff(before, list))
			}
		}
		first, _ := j.Version()
		if second, _ := j.Version(); first != second {
			t.Errorf("without changes the version goes from %s to %s", first, second)
		}
		brief := all
		brief.Brief = true
		var short []run.Summary
		var err error
		for again := true; again && err == nil; { // other processes may have written meanwhile
			was, _ := j.Version()
			var unread error
			list, err = j.List(all)
			short, unread = j.List(brief)
			err = errors.Join(err, unread)
			version, _ = j.Version()
			again = version != was
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range short {
			if short[i].Arguments != nil {
				t.Error("a brief line has arguments")
			}
			short[i].Arguments = list[i].Arguments
		}
		if !cmp.Equal(short, list) {
			t.Errorf("the brief list differs: %s", cmp.Diff(list, short))
		}
	}
}

// BenchmarkIdlePage is what an idle page costs for each look: its 50 parked runs have 1 MB each.
// The ratio is that of the list to the version.
func BenchmarkIdlePage(b *testing.B) {
	j := openJournal(b, filepath.Join(b.TempDir(), "runs.db"), nil)
	for i := range 50 {
		rec := &run.Record{ID: fmt.Sprint("r", i), Graph: "g", Status: run.Running, Started: now, Arguments: []byte(`"` + strings.Repeat("x", 1<<20) + `"`)}
		if err := j.Begin(rec, i == 49); err != nil {
			b.Fatal(err)
		}
	}
	var lists, versions time.Duration
	const looks = 20
	for b.Loop() {
		start := time.Now()
		for range looks {
			if _, err := j.List(run.Filter{Actor: run.Actor{Operator: true}}); err != nil {
				b.Fatal(err)
			}
		}
		middle := time.Now()
		for range looks {
			if _, known := j.Version(); !known {
				b.Fatal("it is not known")
			}
		}
		lists, versions = lists+middle.Sub(start), versions+time.Since(middle)
	}
	b.ReportMetric(float64(lists)/float64(versions), "ratio")
	b.ReportMetric(float64(versions.Microseconds())/float64(looks*b.N), "µs/look")
}
