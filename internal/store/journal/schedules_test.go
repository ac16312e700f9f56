package journal_test

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

func mark(t *testing.T, s run.ScheduleStore) *run.ScheduleMark {
	t.Helper()
	m, err := s.ScheduleMark("p", "nightly")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Of many that claim an occurrence at the same time, over two journals of one file, one gets
// it.
func TestOneClaimsASchedule(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.db")
	journals := []*journal.Journal{openJournal(t, file, nil), openJournal(t, file, nil)}
	at := time.Unix(1_800_000_000, 0)
	for _, was := range []*run.ScheduleMark{nil, {At: at, Definition: "d"}} {
		if was != nil {
			was = mark(t, journals[0])
		}
		var got atomic.Int32
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				ours, err := journals[i%2].SetScheduleMark("p", "nightly", was, run.ScheduleMark{At: at, Definition: "d", Run: "run_" + string(rune('a'+i))})
				if err != nil {
					t.Error(err)
				}
				if ours {
					got.Add(1)
				}
			})
		}
		all.Wait()
		if got.Load() != 1 {
			t.Errorf("%d have claimed the schedule", got.Load())
		}
		at = at.Add(time.Hour)
	}
}

// A claim is abandoned if its process has ended before its run began.
func TestAbandonedClaims(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.db")
	first := openJournal(t, file, nil)
	if ours, err := first.SetScheduleMark("p", "nightly", nil, run.ScheduleMark{At: time.Now(), Run: "r"}); !ours || err != nil {
		t.Fatal(ours, err)
	}
	second := openJournal(t, file, nil)
	if m := mark(t, second); m.Abandoned {
		t.Error("the claim of a process that lives is abandoned")
	}
	_ = first.Close()
	if m := mark(t, second); !m.Abandoned {
		t.Error("the claim of a process that has ended is not abandoned")
	}
	if err := second.Begin(&run.Record{ID: "r", Graph: "g", Status: run.Running, Started: time.Now()}, true); err != nil {
		t.Fatal(err)
	}
	if m := mark(t, second); m.Abandoned {
		t.Error("a claim is abandoned although its run has begun")
	}
}
