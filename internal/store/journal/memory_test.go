package journal_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// fileRun files a run that stopped as the n-th, with an output of so many bytes.
func fileRun(t testing.TB, m *journal.Memory, id string, n, size int) {
	t.Helper()
	at := now.Add(time.Duration(n) * time.Hour)
	r := &run.Record{ID: id, Status: run.Running, Started: at}
	if err := m.Begin(r, true); err != nil {
		t.Fatal(err)
	}
	r.Status, r.Ended = run.Succeeded, at
	r.Steps = []*run.StepRecord{{Key: "n#0", Ended: 1, Output: strings.Repeat("x", size)}}
	if err := m.End(r, true); err != nil {
		t.Fatal(err)
	}
}

func memoryIDs(t testing.TB, m *journal.Memory, f run.Filter) string {
	t.Helper()
	f.Actor = operator
	list, err := m.List(f)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(list))
	for i, s := range list {
		ids[i] = s.ID
	}
	return strings.Join(ids, " ")
}

func TestMemoryDeletesTheOldest(t *testing.T) {
	byCount := journal.NewMemory(&journal.MemoryOptions{MaxRuns: 3})
	bySize := journal.NewMemory(&journal.MemoryOptions{MaxBytes: 3000})
	for i := range 100 {
		fileRun(t, byCount, strconv.Itoa(i), i, 1)
		fileRun(t, bySize, strconv.Itoa(i), i, 1000)
	}
	if got := memoryIDs(t, byCount, run.Filter{}); got != "99 98 97" {
		t.Errorf("by count: %s", got)
	}
	if got := memoryIDs(t, bySize, run.Filter{}); got != "99 98" {
		t.Errorf("by size: %s", got)
	}
	if got := memoryIDs(t, byCount, run.Filter{Limit: 1}); got != "99" {
		t.Errorf("one: %s", got)
	}
	if _, err := byCount.Load(operator, "0"); !errors.Is(err, run.ErrNoRun) {
		t.Errorf("the oldest: %v", err)
	}
}

// A run that exceeds the bound is kept without its inputs and outputs.
func TestMemoryShortensALargeRun(t *testing.T) {
	m := journal.NewMemory(&journal.MemoryOptions{MaxBytes: 1000})
	fileRun(t, m, "large", 1, 2000)
	r, err := m.Load(operator, "large")
	if err != nil || len(r.Steps) != 1 || r.Steps[0].Key != "n#0" || r.Steps[0].Output != nil {
		t.Errorf("%+v %v", r, err)
	}
}

func TestMemoryPrunes(t *testing.T) {
	m := journal.NewMemory(nil)
	for i := range 6 {
		fileRun(t, m, strconv.Itoa(i), i, 1000)
	}
	waits := &run.Record{ID: "waits", Status: run.Interrupted, Ended: now}
	if err := m.End(waits, true); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		before  time.Time
		bytes   int64
		deleted int
		left    string
	}{
		{time.Time{}, 0, 0, "5 4 3 2 1 0 waits"},
		{now.Add(2 * time.Hour), 0, 2, "5 4 3 2 waits"},
		{time.Time{}, 3000, 2, "5 4 waits"},
		{now.Add(99 * time.Hour), 1, 2, "waits"},
	} {
		n, err := m.Prune("", test.before, test.bytes)
		if got := memoryIDs(t, m, run.Filter{}); n != test.deleted || err != nil || got != test.left {
			t.Errorf("%+v: deleted %d, left %s (%v)", test, n, got, err)
		}
	}
}

// A run is one process's at a time, and only the latest record of it is resumed or
// filed.
func TestMemoryRefusesStaleRecords(t *testing.T) {
	m := journal.NewMemory(nil)
	r := &run.Record{ID: "run", Principal: "ann", Status: run.Running, Started: now}
	refused := func(what, code string, err error) {
		t.Helper()
		if f, ok := errors.AsType[*diag.Fault](err); !ok || f.Code != code {
			t.Errorf("%s: %v, want %s", what, err, code)
		}
	}
	if err := m.Begin(r, true); err != nil {
		t.Fatal(err)
	}
	refused("twice at once", "run-busy", m.Begin(&run.Record{ID: "run"}, true))
	if err := m.Step("run", run.StepRecord{Index: 1, Key: "b#0"}); err != nil {
		t.Fatal(err)
	}
	for _, outcome := range []string{"", `{}`} {
		if err := m.Intend("run", run.Intent{Key: "b#0/call", Outcome: []byte(outcome)}, true); err != nil {
			t.Fatal(err)
		}
	}
	got, err := m.Load(ann, "run")
	if err != nil || len(got.Steps) != 2 || got.Steps[1].Key != "b#0" || len(got.Intents) != 1 || string(got.Intents[0].Outcome) != `{}` {
		t.Errorf("%+v %v", got, err)
	}
	cancelled := ""
	m.OnCancel(func(id string) { cancelled = id })
	if err := m.Cancel(run.Actor{Principal: "bob"}, "run"); !errors.Is(err, run.ErrNoRun) {
		t.Errorf("cancelled by another: %v", err)
	}
	if err := m.Cancel(ann, "run"); err != nil || cancelled != "run" {
		t.Errorf("cancelled %q: %v", cancelled, err)
	}
	r.Status = run.Interrupted
	if err := m.End(r, true); err != nil {
		t.Fatal(err)
	}
	refused("cancelled when it has stopped", "not-running", m.Cancel(ann, "run"))
	stale, err := m.Load(ann, "run")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.Begin(r, true), m.End(r, true)); err != nil {
		t.Fatal(err)
	}
	refused("resumed with an old record", "run-changed", m.Begin(stale, true))
	refused("filed with an old record", "run-changed", m.End(stale, true))
	if status, err := m.Status(ann, "run"); status != run.Interrupted || err != nil {
		t.Errorf("%s %v", status, err)
	}
	for _, who := range []run.Actor{{}, {Principal: "bob"}} {
		if _, err := m.Status(who, "run"); !errors.Is(err, run.ErrNoRun) {
			t.Errorf("%+v: %v", who, err)
		}
	}
}

func TestMemoryConcurrently(t *testing.T) {
	m := journal.NewMemory(&journal.MemoryOptions{MaxRuns: 10})
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 100 {
				fileRun(t, m, fmt.Sprint(w, "-", i), i, 1)
				_, _ = m.Load(operator, fmt.Sprint(w, "-", i/2))
				_, _ = m.List(run.Filter{Actor: operator, Limit: 3})
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(10, len(strings.Fields(memoryIDs(t, m, run.Filter{})))); diff != "" {
		t.Error(diff)
	}
}
