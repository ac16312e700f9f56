package journal

import (
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

var operator = run.Actor{Operator: true}

func open(t *testing.T, path string, o *Options) *Journal {
	t.Helper()
	j, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// checkFault sees that an error is a fault of the journal that says what and what
// to do.
func checkFault(t *testing.T, err error, message, hint string) {
	t.Helper()
	f, ok := errors.AsType[*diag.Fault](err)
	if !ok || f.Code != "journal-failed" || !strings.Contains(f.Message, message) || !strings.Contains(f.Hint, hint) {
		t.Errorf("got %v (%+v), want a message with %q and a hint with %q", err, f, message, hint)
	}
}

// filled makes a journal with a run of some hundred kilobytes.
func filled(t *testing.T, path string) {
	t.Helper()
	j := open(t, path, nil)
	r := &run.Record{ID: "run", Status: run.Running, Started: time.Now()}
	if err := j.Begin(r, true); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := j.Step("run", run.StepRecord{Index: i, Key: "k", Output: strings.Repeat("x", 4000)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(j.End(r, true), j.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestJournalRefusesOtherFiles: a file that is not a journal is named and not changed.
func TestJournalRefusesOtherFiles(t *testing.T) {
	for _, test := range []struct {
		name, message, hint string
		spoil               func(t *testing.T, path string)
	}{
		{"text", "not a journal", "move", func(t *testing.T, path string) { write0(t, path, []byte("nodes: []\nand more text")) }},
		{"short text", "not a journal", "move", func(t *testing.T, path string) { write0(t, path, []byte("x")) }},
		{"another database", "not a journal", "move", func(t *testing.T, path string) { execFile(t, path, "CREATE TABLE t (x)") }},
		{"newer", "newer version", "version", func(t *testing.T, path string) { filled(t, path); execFile(t, path, "PRAGMA user_version = 99") }},
		{"cut off", "", "move the file away", func(t *testing.T, path string) {
			filled(t, path)
			info, _ := os.Stat(path)
			if err := os.Truncate(path, info.Size()/2); err != nil {
				t.Fatal(err)
			}
		}},
		{"header alone", "", "move the file away", func(t *testing.T, path string) {
			filled(t, path)
			if err := os.Truncate(path, 50); err != nil {
				t.Fatal(err)
			}
		}},
		{"overwritten", "", "move the file away", func(t *testing.T, path string) {
			filled(t, path)
			b, _ := os.ReadFile(path)
			for i := 4096; i < len(b)/2; i++ {
				b[i] = byte(i * 7)
			}
			write0(t, path, b)
		}},
		{"overwritten after a kill", "", "move the file away, and runs.db-wal", func(t *testing.T, path string) {
			abandoned(t, path)
			b, _ := os.ReadFile(path)
			for i := 8192; i < len(b)*3/4; i++ {
				b[i] = byte(i * 7)
			}
			write0(t, path, b)
		}},
		{"a log of nothing", "", "move the file away", func(t *testing.T, path string) {
			abandoned(t, path)
			if err := os.Truncate(path, 4096); err != nil {
				t.Fatal(err)
			}
		}},
		{"a folder", "not a regular file", "another file", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"in a file", "", "writable", func(t *testing.T, path string) { write0(t, filepath.Dir(path), nil) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "dir")
			if test.name != "in a file" {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(dir, "runs.db")
			test.spoil(t, path)
			before := contents(t, dir)
			j, err := Open(path, nil)
			if err == nil {
				t.Fatal("it was opened", j.Close())
			}
			checkFault(t, err, test.message, test.hint)
			checkFault(t, err, path, "--store memory")
			t.Log(err)
			if diff := cmp.Diff(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(contents(t, dir))), cmpopts.SortSlices(strings.Compare)); diff != "" {
				t.Errorf("other files are there: %s", diff)
			}
			for name, text := range contents(t, dir) {
				if before[name] != text {
					t.Errorf("%s was changed", name)
				}
			}
		})
	}
}

// contents are the files in a folder, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, _ := os.ReadDir(dir)
	all := map[string]string{}
	for _, e := range entries {
		if e.Type().IsRegular() {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all[e.Name()] = string(b)
		}
	}
	return all
}

// abandoned makes a journal as a process leaves it that is killed: what it wrote last is
// in the write-ahead log only.
func abandoned(t *testing.T, path string) {
	t.Helper()
	source := filepath.Join(t.TempDir(), "runs.db")
	filled(t, source)
	j := open(t, source, nil)
	if err := errors.Join(j.Begin(&run.Record{ID: "last", Status: run.Running, Started: time.Now()}, true), j.Intend("last", run.Intent{Key: "i"}, true)); err != nil {
		t.Fatal(err)
	}
	for name, text := range contents(t, filepath.Dir(source)) {
		write0(t, filepath.Join(filepath.Dir(path), name), []byte(text))
	}
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
		t.Fatal("there is no write-ahead log", err)
	}
}

// A journal that a killed process left is sound: what is in its log is read.
func TestJournalOfAKilledProcess(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path := filepath.Join(t.TempDir(), "runs.db")
	abandoned(t, path)
	j := open(t, path, nil)
	for _, id := range []string{"run", "last"} {
		if _, err := j.Load(operator, id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if entries, _ := filepath.Glob(filepath.Join(os.TempDir(), "patchbay-journal-*")); len(entries) > 0 {
		t.Errorf("copies are left: %v", entries)
	}
}

// What another process has open is neither looked at nor copied: it changes meanwhile.
func TestJournalThatIsInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	filled(t, path)
	first := open(t, path, nil)
	known, err := look(t.Context(), path, func() bool { return anyAlive(path + "-owners") })
	if known || err != nil {
		t.Errorf("it was looked at: %v, %v", known, err)
	}
	second := open(t, path, nil)
	if err := errors.Join(second.Begin(&run.Record{ID: "second", Status: run.Running, Started: time.Now()}, true), first.Begin(&run.Record{ID: "first", Status: run.Running, Started: time.Now()}, true)); err != nil {
		t.Fatal(err)
	}
}

func write0(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func execFile(t *testing.T, path, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), text)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestJournalOnAFullDisk: a write that does not fit is an error to whoever made
// it; other runs, and what is there, go on once there is space.
func TestJournalOnAFullDisk(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "runs.db"), nil)
	limit := func(pages string) {
		err := j.queue.put(&op{do: func(w *writer) error { return w.drain("PRAGMA max_page_count = " + pages) }}, true)
		if err != nil {
			t.Fatal(err)
		}
	}
	runs := []*run.Record{{ID: "big", Status: run.Running, Started: time.Now()}, {ID: "late", Status: run.Running, Started: time.Now()}}
	for _, r := range runs {
		if err := j.Begin(r, true); err != nil {
			t.Fatal(err)
		}
	}
	limit("60")
	step := func(r *run.Record, safe bool) error {
		s := run.StepRecord{Index: len(r.Steps), Node: "n", Key: "n#" + string(rune('0'+len(r.Steps))), Ended: len(r.Steps) + 1, Output: strings.Repeat("x", 60_000)}
		r.Steps = append(r.Steps, &s)
		if err := j.Step(r.ID, s); err != nil || !safe {
			return err
		}
		return j.Intend(r.ID, run.Intent{Key: s.Key + "/call", Kind: run.IntentCall}, true)
	}
	var err error
	for range 20 {
		if err = step(runs[0], true); err != nil {
			break
		}
	}
	checkFault(t, err, "the disk is full", "free some space")
	if err := step(runs[1], false); err != nil {
		t.Errorf("a write nobody waits for: %v", err)
	}
	small := run.StepRecord{Index: len(runs[1].Steps), Node: "s", Key: "s#0", Ended: 9}
	runs[1].Steps = append(runs[1].Steps, &small)
	if err := j.Step("late", small); err != nil {
		t.Errorf("a write nobody waits for: %v", err)
	}
	checkFault(t, j.Intend("late", run.Intent{Key: "i"}, true), "the disk is full", "free some space")
	runs[0].Status, runs[0].Result = run.Failed, strings.Repeat("y", 50_000)
	checkFault(t, j.End(runs[0], true), "the disk is full", "free some space")
	status, err := j.Status(operator, "big")
	if got, failed := j.Load(operator, "big"); errors.Join(err, failed) != nil || status != run.Failed || got.Status != run.Failed || got.Result != runs[0].Result || len(got.Steps) == 0 {
		t.Errorf("while the disk is full, %s: %+v, %v", status, got, errors.Join(err, failed))
	}
	for status, want := range map[run.Status]string{"": "late big", run.Running: "late", run.Failed: "big"} {
		list, err := j.List(run.Filter{Actor: operator, Status: status})
		var ids []string
		for _, s := range list {
			ids = append(ids, s.ID)
		}
		if got := strings.Join(ids, " "); err != nil || got != want {
			t.Errorf("while the disk is full, the runs with the status %q are %s, want %s: %v", status, got, want, err)
		}
	}
	unknown := &run.Record{ID: "unknown", Principal: "ann", Status: run.Running, Started: time.Now(), Arguments: []byte(`"` + strings.Repeat("z", 60_000) + `"`)}
	if err := j.Begin(unknown, false); err != nil {
		t.Fatal(err)
	}
	unknown.Status, unknown.Fault = run.Failed, diag.Faultf("journal-failed", "the disk is full")
	checkFault(t, j.End(unknown, true), "the disk is full", "free some space")
	if got, err := j.Load(run.Actor{Principal: "ann"}, "unknown"); err != nil || got.Fault.Code != "journal-failed" {
		t.Errorf("a run of which nothing is on disk: %+v, %v", got, err)
	}
	if _, err := j.Load(run.Actor{Principal: "bob"}, "unknown"); !errors.Is(err, run.ErrNoRun) {
		t.Errorf("of another principal: %v", err)
	}

	limit("100000")
	runs[1].Status = run.Succeeded
	if err := j.End(runs[1], true); err != nil {
		t.Errorf("with space again: %v", err)
	}
	if err := j.Begin(&run.Record{ID: "new", Status: run.Running, Started: time.Now()}, true); err != nil {
		t.Errorf("with space again: %v", err)
	}
	j.writeAgain() // as from time to time
	for _, want := range runs {
		got, err := j.Load(operator, want.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.Status != want.Status || len(got.Steps) != len(want.Steps) || got.Unverified != nil {
			t.Errorf("%s: %s with %d steps, want %s with %d", want.ID, got.Status, len(got.Steps), want.Status, len(want.Steps))
		}
		for i := range got.Steps {
			if got.Steps[i].Output != want.Steps[i].Output {
				t.Errorf("%s: step %d lost its output", want.ID, i)
			}
		}
	}
}

// TestJournalAddsColumns: a journal that an earlier version made opens, its runs
// are of no project and its steps tell no branches, and it keeps those of new ones.
func TestJournalAddsColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	filled(t, path)
	execFile(t, path, "DROP INDEX runs_former; DROP INDEX runs_uses; ALTER TABLE runs DROP COLUMN project; ALTER TABLE steps DROP COLUMN branches; PRAGMA user_version = 1")
	for range 2 {
		j := open(t, path, nil)
		if old, err := j.Load(operator, "run"); err != nil || old.Project != "" {
			t.Errorf("the old run: %+v, %v", old, err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	j := open(t, path, nil)
	if err := j.Begin(&run.Record{ID: "new", Project: "p", Status: run.Running, Started: time.Now(), Steps: []*run.StepRecord{{Key: "fork#0", Branches: []string{"b", "a"}}}}, true); err != nil {
		t.Fatal(err)
	}
	if r, err := j.Load(operator, "new"); err != nil || r.Project != "p" || strings.Join(r.Steps[0].Branches, " ") != "b a" {
		t.Errorf("the new run: %+v, %v", r, err)
	}
	list, err := j.List(run.Filter{Actor: operator, Project: "p"})
	if err != nil || len(list) != 1 || list[0].ID != "new" {
		t.Errorf("the project's runs: %+v, %v", list, err)
	}
}

func TestArgumentsThatAreNotJSONCanBeListed(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "runs.db"), nil)
	r := &run.Record{ID: "run", Status: run.Failed, Started: time.Now(), Arguments: json.RawMessage("{bad")} // as earlier programs have stored it
	if err := errors.Join(j.Begin(r, true), j.End(r, true)); err != nil {
		t.Fatal(err)
	}
	list, err := j.List(run.Filter{Actor: operator})
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	one, err := j.Load(operator, "run")
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []json.RawMessage{list[0].Arguments, one.Arguments} {
		if string(got) != `"{bad"` {
			t.Errorf("the arguments are %s", got)
		}
	}
}
