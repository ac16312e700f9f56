package journal

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

var key = []byte("the key of this user")

// written makes a journal with two runs that have every kind of row, with texts that are
// kept by hash: a is parked, and the process of b has gone.
func written(t *testing.T, path string) {
	t.Helper()
	j := open(t, path, &Options{Key: key})
	for _, id := range []string{"a", "b"} {
		r := &run.Record{
			ID: id, Graph: "g", Principal: "ann", Project: "p", Mode: run.DryRun,
			Source:    run.Source{Name: "g.yaml", Text: strings.Repeat("# "+id+"\n", largeText), Tool: "g", Trusted: true},
			Arguments: json.RawMessage(`{"n":1}`), Status: run.Running, Started: time.Unix(1, 2), Result: "none", Fault: diag.Faultf("was", "it was"),
			Options: run.Options{ID: id, Operator: true}, Resumed: []run.Resumption{{At: time.Unix(2, 0), After: "crash"}},
		}
		held := run.Intent{Key: "s#0/call/held#1", Step: "s#0", Kind: run.IntentHeld, At: time.Unix(4, 0), Detail: json.RawMessage(`{"message":"?"}`)}
		steps := []*run.StepRecord{
			{Index: 0, Node: "entry", Type: "entry", Key: "entry#0", Pure: true, Ended: 1, Output: "x"},
			{Index: 1, Node: "s", Type: "mcp", Key: "s#0", Started: time.Unix(3, 0), Ended: 2, Input: "in", Output: strings.Repeat(id, 2*largeValue), Call: "called", Branches: []string{"b"}, Fault: diag.Faultf("f", "caught"), Caught: true},
			{Index: 2, Node: "s", Type: "mcp", Key: "s#1", Started: time.Unix(5, 0), Ended: 3, Input: "in", Output: "out", Call: "called"},
		}
		err := errors.Join(j.Begin(r, id == "a"), j.Step(id, *steps[0]), j.Intend(id, held, true), j.Reply(operator, id, held.Key, json.RawMessage(`{"action":"decline"}`)),
			j.Intend(id, run.Intent{Key: "s#0/call", Step: "s#0", Kind: run.IntentCall, At: time.Unix(4, 5), Until: time.Unix(9, 0), Detail: json.RawMessage(`{"server":"s"}`), Outcome: json.RawMessage(`{}`)}, true),
			j.Step(id, *steps[1]), j.Step(id, *steps[2]))
		r.Steps, r.Status = steps, run.Interrupted
		if id == "a" {
			err = errors.Join(err, j.End(r, true))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// believed reports what is done with the runs of a journal: those that can be taken up are
// in the list.
func believed(t *testing.T, path string, key []byte) (list []string) {
	t.Helper()
	j := open(t, path, &Options{Key: key})
	claimed, err := j.ClaimOrphans("p")
	if err != nil && !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
	for _, r := range claimed {
		list = append(list, "claimed "+r.ID)
	}
	for _, id := range []string{"a", "b"} {
		r, err := j.Load(operator, id)
		if err != nil || r.Unverified != nil {
			if _, err := j.Status(operator, id); err == nil {
				begun := &run.Record{ID: id, Status: run.Running, Begun: 1}
				if f, ok := errors.AsType[*diag.Fault](j.Begin(begun, true)); !ok || f.Code != "unverified-run" && f.Code != "journal-failed" {
					t.Errorf("%s begins: %v", id, f)
				}
				if f, ok := errors.AsType[*diag.Fault](j.End(begun, true)); !ok || f.Code != "unverified-run" && f.Code != "journal-failed" {
					t.Errorf("%s ends: %v", id, f)
				}
			}
			continue
		}
		if err := j.Begin(r, true); err == nil {
			list = append(list, "taken up "+id)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return list
}

// all is what is done with the runs of written.
var all = []string{"claimed b", "taken up a", "taken up b"}

func TestRunsAreBelievedWithTheirKeyOnly(t *testing.T) {
	for name, key := range map[string][]byte{"no key": nil, "another key": []byte("another")} {
		path := filepath.Join(t.TempDir(), "runs.db")
		written(t, path)
		if got := believed(t, path, key); len(got) > 0 {
			t.Errorf("with %s: %v", name, got)
		}
		j := open(t, path, &Options{Key: key})
		list, err := j.List(run.Filter{Actor: operator})
		if err != nil || len(list) != 2 || !list[0].Unverified || list[0].Status != run.Interrupted {
			t.Errorf("with %s: %+v, %v", name, list, err)
		}
		if n, err := j.Adopt([]string{"p"}, "q"); n != 0 || err != nil {
			t.Errorf("adopted %d, %v", n, err)
		}
	}
	path := filepath.Join(t.TempDir(), "runs.db")
	written(t, path)
	if got := believed(t, path, key); !slices.Equal(got, all) {
		t.Errorf("with the key: %v", got)
	}
}

// uncovered are the columns that nobody believes: they are for looking, or say which
// process has the run.
var uncovered = []string{"runs.n", "runs.steps", "runs.owner", "runs.cancel", "runs.calls", "runs.called", "runs.replied", "intents.n", "refs.run", "refs.hash"}

// Each column of each row counts, but for those that are named here.
func TestAChangedColumnIsNoticed(t *testing.T) {
	source := filepath.Join(t.TempDir(), "runs.db")
	written(t, source)
	for _, table := range []string{"runs", "steps", "intents", "traces", "blobs", "journal"} {
		for _, column := range names(t, source, table) {
			if slices.Contains(uncovered, table+"."+column) {
				continue
			}
			path := copied(t, source)
			change := "UPDATE " + table + " SET " + column + " = CASE typeof(" + column + ") WHEN 'integer' THEN 1 - " + column + " - (" + column + " > 1) * 99 WHEN 'text' THEN ' ' || " + column + " WHEN 'null' THEN NULL ELSE zeroblob(32) END"
			if table == "blobs" && column == "hash" {
				change = "UPDATE blobs SET hash = randomblob(32)"
			}
			if slices.Contains([]string{"steps.at", "traces.at"}, table+"."+column) {
				change = "UPDATE " + table + " SET at = at + 4294967296 * 9"
			}
			if err := tryFile(path, change); err != nil {
				t.Fatalf("%s: %v", change, err)
			}
			got := believed(t, path, key)
			if fill := nulls(t, source, table, column); fill { // in rows that have nothing there
				path = copied(t, source)
				if err := errors.Join(tryFile(path, "UPDATE "+table+" SET "+column+" = '1' WHERE "+column+" IS NULL")); err == nil {
					got = append(got, believed(t, path, key)...)
				}
			}
			if len(got) > 0 {
				t.Errorf("%s.%s is changed, and %v", table, column, got)
			}
		}
	}
}

// Rows that are left out, added, moved, exchanged or put back to what they were are noticed.
func TestChangedRowsAreNoticed(t *testing.T) {
	source := filepath.Join(t.TempDir(), "runs.db")
	written(t, source)
	for name, change := range map[string]string{
		"a step is gone":              "DELETE FROM steps WHERE key = 's#0'",
		"an intent is gone":           "DELETE FROM intents WHERE kind = 'call'",
		"a question is gone":          "DELETE FROM intents WHERE kind = 'held'",
		"a trace is gone":             "DELETE FROM traces",
		"a trace is there twice":      "INSERT INTO traces SELECT at + 1, data FROM traces",
		"a step is there twice":       "INSERT INTO steps SELECT at + 7, node, type, key, started, duration, input, output, fault, caught, part, pure, attempts, ended, simulated, definition, branches, call, frame FROM steps",
		"steps are exchanged":         "UPDATE steps SET at = -at; UPDATE steps SET at = CASE -at & 255 WHEN 1 THEN 1 - at ELSE -1 - at END",
		"runs have exchanged steps":   "UPDATE steps SET at = -at; UPDATE steps SET at = CASE WHEN -at >= 8589934592 THEN -at - 4294967296 ELSE -at + 4294967296 END",
		"runs have exchanged intents": "UPDATE intents SET run = -run; UPDATE intents SET run = 3 + run",
		"runs have exchanged names":   "UPDATE runs SET id = 'x' || id; UPDATE runs SET id = CASE id WHEN 'xa' THEN 'b' ELSE 'a' END",
		"runs have exchanged codes":   "CREATE TEMP TABLE t AS SELECT n, seal, head FROM runs; UPDATE runs SET seal = (SELECT seal FROM t WHERE t.n = 3 - runs.n), head = (SELECT head FROM t WHERE t.n = 3 - runs.n)",
	} {
		path := copied(t, source)
		if err := tryFile(path, change); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := believed(t, path, key); len(got) > 0 {
			t.Errorf("%s, and %v", name, got)
		}
	}
}

// A list marks the runs whose rows this program did not write.
func TestListsMarkChangedRuns(t *testing.T) {
	source := filepath.Join(t.TempDir(), "runs.db")
	written(t, source)
	for change, marked := range map[string]bool{
		"SELECT 1": false, "UPDATE runs SET steps = 7": false, "UPDATE runs SET status = 'succeeded' WHERE id = 'a'": true, "UPDATE runs SET result = '1' WHERE id = 'a'": true,
		"UPDATE runs SET fault = '{}' WHERE id = 'a'": true, "UPDATE runs SET ended = ended + 1 WHERE id = 'a'": true, "UPDATE runs SET arguments = '1' WHERE id = 'a'": true,
		"UPDATE runs SET head = substr(head, 33) WHERE id = 'a'": true, "UPDATE runs SET head = NULL WHERE id = 'a'": true,
		"UPDATE runs SET head = (SELECT head FROM runs AS b WHERE b.id = 'b') WHERE id = 'a'": true,
	} {
		path := copied(t, source)
		if err := tryFile(path, change); err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		j := open(t, path, &Options{Key: key})
		list, err := j.List(run.Filter{Actor: operator})
		if err != nil || len(list) != 2 {
			t.Fatal(list, err)
		}
		for _, s := range list {
			if s.Unverified != (marked && s.ID == "a") {
				t.Errorf("%s: %s is marked: %t", change, s.ID, s.Unverified)
			}
		}
	}
}

// A row of an earlier moment, or a run of another journal of the same user, is not believed.
func TestWhatWasValidElsewhere(t *testing.T) {
	dir := t.TempDir()
	path, before, other := filepath.Join(dir, "runs.db"), filepath.Join(dir, "before.db"), filepath.Join(dir, "other.db")
	written(t, path)
	if err := os.Rename(copied(t, path), before); err != nil {
		t.Fatal(err)
	}
	j := open(t, path, &Options{Key: key})
	r, err := j.Load(operator, "a")
	if err == nil {
		r.Steps[2].Caught = !r.Steps[2].Caught
		err = errors.Join(j.Begin(r, true), j.Intend("a", run.Intent{Key: "s#0/call", Step: "s#0", Kind: run.IntentCall, At: time.Unix(4, 5), Outcome: json.RawMessage(`{"fault":null}`)}, true), j.End(r, true), j.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		"INSERT OR REPLACE INTO steps SELECT * FROM before.steps WHERE at = 4294967298",
		"INSERT OR REPLACE INTO intents SELECT * FROM before.intents WHERE run = 1 AND kind = 'call'",
		"INSERT OR REPLACE INTO runs SELECT * FROM before.runs WHERE id = 'a'",
	} {
		at := copied(t, path)
		if err := tryFile(at, "ATTACH '"+before+"' AS before; "+change); err != nil {
			t.Fatal(err)
		}
		if got := believed(t, at, key); slices.Contains(got, "taken up a") || !slices.Contains(got, "taken up b") {
			t.Errorf("%s: %v", change, got)
		}
	}
	if err := open(t, other, &Options{Key: key}).Close(); err != nil {
		t.Fatal(err)
	}
	texts := []string{"ATTACH '" + path + "' AS mine"}
	for _, table := range []string{"runs", "steps", "intents", "traces", "blobs", "refs"} {
		texts = append(texts, "INSERT INTO "+table+" SELECT * FROM mine."+table)
	}
	if err := tryFile(other, strings.Join(texts, "; ")); err != nil {
		t.Fatal(err)
	}
	if got := believed(t, other, key); len(got) > 0 {
		t.Errorf("copied into another journal: %v", got)
	}
}

// What another process answers is verified when the call gets it, and when the run is read.
func TestAForgedAnswerIsNotPassedOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	j := open(t, path, &Options{Key: key})
	told := make(chan string, 2)
	j.OnReply(func(_, _ string, answer json.RawMessage) { told <- string(answer) })
	in := run.Intent{Key: "q", Step: "s", Kind: run.IntentHeld, At: time.Now(), Detail: json.RawMessage(`{}`)}
	r := &run.Record{ID: "r", Status: run.Running, Started: time.Now()}
	if err := errors.Join(j.Begin(r, true), j.Intend("r", in, true)); err != nil {
		t.Fatal(err)
	}
	if err := tryFile(path, `UPDATE intents SET outcome = '{"action":"accept"}'`); err != nil {
		t.Fatal(err)
	}
	if got, err := j.replies(); len(got) > 0 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if r, err := j.Load(operator, "r"); err != nil || r.Unverified == nil {
		t.Errorf("%+v, %v", r, err)
	}
	if err := errors.Join(tryFile(path, `UPDATE intents SET outcome = NULL`), open(t, path, &Options{Key: key}).Reply(operator, "r", "q", json.RawMessage(`{"action":"decline"}`))); err != nil {
		t.Fatal(err)
	}
	if got := <-told; got != `{"action":"decline"}` {
		t.Error(got)
	}
}

// State and marks of schedules that Patchbay did not write are not believed either.
func TestStateAndMarksAreVerified(t *testing.T) {
	for column, change := range map[string]string{"as they were": "", "value": "UPDATE state SET value = '\"y\"'", "expires": "UPDATE state SET expires = 1", "key": "UPDATE state SET key = 'other'", "project": "UPDATE state SET project = 'q'", "mark": "UPDATE schedules SET at = at + 1"} {
		path := filepath.Join(t.TempDir(), "runs.db")
		j := open(t, path, &Options{Key: key})
		if err := j.Begin(&run.Record{ID: "r", Project: "p", Graph: "g", Status: run.Running, Started: time.Now()}, true); err != nil {
			t.Fatal(err)
		}
		set := run.StateChange{Project: "p", Graph: "g", Do: run.StateSet, Key: "k", Value: json.RawMessage(`"x"`)}
		_, err := j.ChangeState("r", run.Intent{Key: "s#0/state", Step: "s#0", Kind: run.IntentState, At: time.Now()}, set, false)
		ours, marked := j.SetScheduleMark("p", "daily", nil, run.ScheduleMark{At: time.Unix(1, 0), Definition: "d"})
		if err := errors.Join(err, marked); err != nil || !ours {
			t.Fatal(err)
		}
		if change != "" {
			if err := tryFile(path, change); err != nil {
				t.Fatal(err)
			}
		}
		get := run.StateChange{Project: "p", Graph: "g", Do: run.StateGet, Key: "k"}
		switch column {
		case "key":
			get.Key = "other"
		case "project":
			get.Project = "q"
		}
		result, err := j.ChangeState("r", run.Intent{}, get, false)
		mark, failed := j.ScheduleMark("p", "daily")
		f, _ := errors.AsType[*diag.Fault](err)
		if stateOK := column == "as they were" || column == "mark"; stateOK != (string(result) == `{"value":"x","found":true}`) || !stateOK && (f == nil || f.Code != "unverified-run" || !strings.Contains(f.Hint, "runs trust "+path)) {
			t.Errorf("%s: %s, %v", column, result, err)
		}
		if failed != nil || (mark != nil) != (column != "mark") {
			t.Errorf("%s: %+v, %v", column, mark, failed)
		}
		if rec, err := j.Load(operator, "r"); err != nil || rec.Unverified != nil {
			t.Errorf("the run: %+v, %v", rec, err)
		}
	}
}

func names(t *testing.T, path, table string) (list []string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), "SELECT name FROM pragma_table_info(?)", table)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		list = append(list, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// nulls reports whether a column of a table is empty in some rows.
func nulls(t *testing.T, path, table, column string) (some bool) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRowContext(t.Context(), fmt.Sprintf("SELECT count(*) > 0 FROM %s WHERE %s IS NULL", table, column)).Scan(&some); err != nil {
		t.Fatal(err)
	}
	return some
}

func copied(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "runs.db")
	write0(t, to, b)
	return to
}

// tryFile changes a journal as any program can.
func tryFile(path, text string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(text) //nolint:noctx // of a test
	return errors.Join(err, db.Close())
}
