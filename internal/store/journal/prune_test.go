package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// keep files a run with outputs and stops it.
func keep(t *testing.T, j *journal.Journal, id string, ended time.Time, status run.Status, outputs ...string) {
	t.Helper()
	r := &run.Record{ID: id, Status: run.Running, Started: now}
	if err := j.Begin(r, true); err != nil {
		t.Fatal(err)
	}
	for i, output := range outputs {
		s := run.StepRecord{Index: i, Node: "n", Key: fmt.Sprint("n#", i), Ended: i + 1, Output: output}
		r.Steps = append(r.Steps, &s)
		if err := j.Step(id, s); err != nil {
			t.Fatal(err)
		}
	}
	r.Status, r.Ended = status, ended
	if err := j.End(r, true); err != nil {
		t.Fatal(err)
	}
}

func ids(t *testing.T, j *journal.Journal) string {
	t.Helper()
	list, err := j.List(run.Filter{Actor: operator})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range slices.Backward(list) {
		out = append(out, s.ID)
	}
	return strings.Join(out, " ")
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	var sum int64
	for _, p := range []string{path, path + "-wal"} {
		if info, err := os.Stat(p); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// random is a text that nothing makes smaller.
func random(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // the same in every run
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

// TestJournalKeepsLargeValuesOnce: what many steps have in common takes its space
// once, and is there as long as a run has it.
func TestJournalKeepsLargeValuesOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	j := openJournal(t, path, nil)
	large := random(1, 1<<20)
	for i := range 5 {
		keep(t, j, fmt.Sprint("r", i), now.Add(time.Duration(i)*time.Hour), run.Succeeded, large, large, large)
	}
	if _, err := j.Prune("", now.Add(4*time.Hour), 0); err != nil {
		t.Fatal(err)
	}
	if got := size(t, path); got > 2<<20 {
		t.Errorf("three steps with the same megabyte take %d bytes", got)
	}
	r, err := j.Load(operator, "r4")
	if err != nil || r.Steps[2].Output != large {
		t.Errorf("the value of the run that is left is gone: %v", err)
	}
	if n, err := j.Prune("", now.Add(9*time.Hour), 0); n != 1 || err != nil {
		t.Fatalf("pruned %d: %v", n, err)
	}
	if got := size(t, path); got > 200<<10 {
		t.Errorf("without runs the file has %d bytes", got)
	}
}

// TestJournalPrunes by age and by size, never what goes on or waits.
func TestJournalPrunes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	j := openJournal(t, path, nil)
	keep(t, j, "old", now.Add(-2*time.Hour), run.Failed, random(1, 50_000))
	keep(t, j, "waits", now.Add(-3*time.Hour), run.Interrupted, random(2, 50_000))
	if err := j.Begin(&run.Record{ID: "runs", Status: run.Running, Started: now}, true); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		keep(t, j, fmt.Sprint("r", i), now.Add(time.Duration(i)*time.Minute), run.Succeeded, random(uint64(i)+10, 60_000), random(uint64(i)+50, 60_000))
	}
	if n, err := j.Prune("", time.Time{}, 0); n != 0 || err != nil {
		t.Errorf("without bounds: %d %v", n, err)
	}
	if n, err := j.Prune("", now.Add(-time.Hour), 0); n != 1 || err != nil {
		t.Errorf("by age: %d %v", n, err)
	}
	if got := ids(t, j); strings.Contains(got, "old") || !strings.Contains(got, "waits runs r0") {
		t.Errorf("after pruning by age: %s", got)
	}
	n, err := j.Prune("", time.Time{}, 600_000)
	if err != nil || n < 5 || n > 8 {
		t.Errorf("by size: %d %v", n, err)
	}
	if got := size(t, path); got > 600_000 {
		t.Errorf("pruned to 600000 bytes, the file has %d", got)
	}
	var want []string
	for i := n; i < 10; i++ {
		want = append(want, fmt.Sprint("r", i))
	}
	if got := ids(t, j); got != "waits runs "+strings.Join(want, " ") {
		t.Errorf("after pruning %d by size: %s", n, got)
	}
	if n, err := j.Prune("", time.Now().Add(time.Hour), 1); err != nil || ids(t, j) != "waits runs" {
		t.Errorf("pruned %d, and there is %s: %v", n, ids(t, j), err)
	}
}

// TestJournalHasNoSecrets looks for a secret in every byte of the files.
func TestJournalHasNoSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	const secret = "hunter2-hunter2"
	j := openJournal(t, path, &journal.Options{Redact: func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte(secret), []byte("***"))
	}})
	said := value(t, `{"token":"`+secret+`"}`)
	large := secret + random(1, 100_000)
	r := full(t, "run")
	r.Source.Text, r.Arguments, r.Options.Pins["p"] = "# "+secret, []byte(`{"k":"`+secret+`"}`), said
	r.Steps[0].Input, r.Steps[0].Output, r.Steps[0].Fault = said, large, diag.Faultf("x", "no: %s", secret)
	r.Steps[0].Fault.Details, r.Steps[0].Fault.Got = said, secret
	r.Intents[0].Detail, r.Intents[0].Outcome = r.Arguments, r.Arguments
	r.Resumed[0].Step = secret
	if err := j.Begin(r, true); err != nil {
		t.Fatal(err)
	}
	s := r.Steps[0]
	if err := errors.Join(j.Step("run", *s), j.Intend("run", r.Intents[0], true)); err != nil {
		t.Fatal(err)
	}
	r.Status, r.Result, r.Fault = run.Failed, said, s.Fault
	if err := j.End(r, true); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(path + "*")
	for _, file := range files {
		if b, _ := os.ReadFile(file); bytes.Contains(b, []byte(secret)) {
			t.Errorf("the secret is in %s", filepath.Base(file))
		}
	}
	got, err := j.Load(operator, "run")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"token":"***"}`, text(got.Result)); diff != "" || !strings.HasPrefix(got.Steps[0].Output.(string), "***") {
		t.Errorf("what is kept (-want +got):\n%s", diff)
	}
}

// TestJournalTakesOverARun: what a decision changed is what is kept, and a stale
// copy of the record is refused.
func TestJournalTakesOverARun(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "runs.db"), nil)
	keep(t, j, "run", now, run.Failed, "a", "b", "c")
	load := func() *run.Record {
		t.Helper()
		r, err := j.Load(operator, "run")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r, stale := load(), load()
	r.Steps[1] = &run.StepRecord{Index: 1, Node: "n", Key: "n#1"}
	r.Steps[2].Ended, r.Steps[2].Output, r.Steps[2].Simulated = 4, "pinned", "pin"
	r.Intents = []run.Intent{{Key: "i", Step: "n#1", Kind: run.IntentCall, At: now}}
	r.Resumed = []run.Resumption{{At: now, After: "x", Decision: "retry"}}
	r.Status, r.Ended = run.Running, time.Time{}
	if err := j.Begin(r, true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, load(), alike); diff != "" {
		t.Errorf("taken over (-want +got):\n%s", diff)
	}
	for name, other := range map[string]*run.Record{"going on": load(), "new": {ID: "run", Status: run.Running, Started: now}} {
		if fault, ok := errors.AsType[*diag.Fault](j.Begin(other, true)); !ok || fault.Code != "run-busy" {
			t.Errorf("to begin it again, %s: %v", name, fault)
		}
	}
	r.Intents[0].Outcome = []byte(`{}`)
	r.Status = run.Interrupted
	if err := errors.Join(j.Intend("run", r.Intents[0], false), j.End(r, true)); err != nil {
		t.Fatal(err)
	}
	if fault, ok := errors.AsType[*diag.Fault](j.Begin(stale, true)); !ok || fault.Code != "run-changed" {
		t.Errorf("to begin a stale copy: %v", fault)
	}
	r.Steps, r.Intents, r.Status = r.Steps[:1], nil, run.Running
	if err := j.Begin(r, true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, load(), alike); diff != "" {
		t.Errorf("taken over with less (-want +got):\n%s", diff)
	}
}

// TestJournalLeavesARun: one that was adopted and cannot go on is filed as it
// stands; one that another runs cannot be.
func TestJournalLeavesARun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	other, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &run.Record{ID: "run", Status: run.Running, Started: now}
	if err := other.Begin(r, true); err != nil {
		t.Fatal(err)
	}
	j := openJournal(t, path, nil)
	mine := *r
	mine.Status, mine.Fault = run.Interrupted, diag.Faultf("invalid-graph", "no")
	if fault, ok := errors.AsType[*diag.Fault](j.End(&mine, true)); !ok || fault.Code != "run-busy" {
		t.Errorf("while another runs it: %v", fault)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	runs, err := j.ClaimOrphans("")
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs: %v", len(runs), err)
	}
	if err := j.End(&mine, true); err != nil {
		t.Fatal(err)
	}
	if got, err := j.Load(operator, "run"); err != nil || got.Status != run.Interrupted || got.Fault.Code != "invalid-graph" {
		t.Errorf("%v: %+v", err, got)
	}
}

// TestJournalManyRunsAtOnce: runs that go on together do not mix.
func TestJournalManyRunsAtOnce(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "runs.db"), nil)
	const runs, steps = 20, 30
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			outputs := make([]string, steps)
			for n := range outputs {
				outputs[n] = fmt.Sprint(i, " ", n)
			}
			keep(t, j, fmt.Sprint("run_", i), now, run.Succeeded, outputs...)
		})
	}
	wg.Wait()
	for i := range runs {
		r, err := j.Load(operator, fmt.Sprint("run_", i))
		if err != nil {
			t.Fatal(err)
		}
		for n, s := range r.Steps {
			if s.Index != n || s.Output != fmt.Sprint(i, " ", n) {
				t.Errorf("%s: step %d is %v", r.ID, n, s)
			}
		}
		if len(r.Steps) != steps {
			t.Errorf("%s has %d steps", r.ID, len(r.Steps))
		}
	}
}
