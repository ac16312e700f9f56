package journal

import (
	"compress/gzip"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
	"github.com/patchbay-mcp/patchbay/run"
)

// unpack writes a journal of testdata into a folder of its own.
func unpack(t *testing.T, file string) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	path := filepath.Join(t.TempDir(), "runs.db")
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// earlier are journals that earlier programs have written: one for each set of tables and
// columns that there has been. Each has a run that is done and one whose process has gone.
func earlier(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("testdata", "format*.db.gz"))
	if err != nil || len(found) < formats.Journal.Version-1 {
		t.Fatalf("%v, %v", found, err)
	}
	return found
}

func TestEarlierFormatsAreUpgraded(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "runs.db")
	if err := open(t, fresh, nil).Close(); err != nil {
		t.Fatal(err)
	}
	want := columns(t, fresh)
	for _, file := range earlier(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			path := unpack(t, file)
			j := open(t, path, &Options{Own: true, Key: key})
			done, err := j.Load(operator, "run_done")
			if err != nil || done.Unverified != nil {
				t.Fatal(err, done.Unverified)
			}
			if done.Status != run.Succeeded || done.Result != "hello" || done.Graph != "greet" || len(done.Steps) != 3 || done.Source.Text != "name: greet\n" {
				t.Errorf("%+v", done)
			}
			if s := done.Steps[1]; s.Node != "call" || s.Output != strings.Repeat("hello ", 1000) {
				t.Errorf("%+v", s)
			}
			stopped, err := j.Load(operator, "run_open")
			if err != nil || stopped.Unverified != nil || stopped.Status != run.Interrupted || len(stopped.Intents) != 1 || len(stopped.Steps) != 1 {
				t.Errorf("%+v, %v", stopped, err)
			}
			r := &run.Record{ID: "run_new", Graph: "greet", Status: run.Running, Started: time.Now(), Project: "p"}
			err = errors.Join(j.Begin(r, true), j.Step("run_new", run.StepRecord{Node: "entry", Key: "entry#0", Ended: 1, Branches: []string{"a"}}))
			r.Status = run.Succeeded
			if err := errors.Join(err, j.End(r, true), j.Close()); err != nil {
				t.Fatal(err)
			}
			if got := columns(t, path); got != want {
				t.Errorf("the columns are\n%s\nwant\n%s", got, want)
			}
			list, err := open(t, path, &Options{Key: key}).List(run.Filter{Actor: operator})
			if err != nil || len(list) != 3 || slices.ContainsFunc(list, func(s run.Summary) bool { return s.Unverified }) {
				t.Errorf("%+v, %v", list, err)
			}
		})
	}
}

// What is in a journal from elsewhere is believed when somebody says so, run by run.
func TestARunOfAnEarlierFormatElsewhere(t *testing.T) {
	for _, file := range earlier(t) {
		j := open(t, unpack(t, file), &Options{Key: key})
		claimed, err := j.ClaimOrphans("")
		unverified, failed := j.Unverified()
		if errors.Join(err, failed) != nil || len(claimed) > 0 || len(unverified) != 2 {
			t.Fatal(claimed, unverified, err, failed)
		}
		for _, of := range unverified {
			if of.ID == "run_open" {
				_, err = j.Trust([]UnverifiedRun{of})
			}
		}
		claimed, failed = j.ClaimOrphans("")
		if errors.Join(err, failed) != nil || len(claimed) != 1 || claimed[0].ID != "run_open" {
			t.Error(claimed, err, failed)
		}
		if left, err := j.Unverified(); err != nil || len(left) != 1 || left[0].ID != "run_done" {
			t.Error(left, err)
		}
	}
}

// A process that ends during the upgrade leaves it to the next one.
func TestTheUpgradeIsOneTransaction(t *testing.T) {
	for _, file := range earlier(t) {
		path := unpack(t, file)
		db, err := openSQLite(path, url.Values{})
		if err != nil {
			t.Fatal(err)
		}
		w := &writer{ctx: t.Context(), db: db, stmts: map[string]*sql.Stmt{}, sealer: newSealer(path, key)}
		w.conn, err = db.Conn(t.Context())
		if err == nil {
			err = execAll(t.Context(), w.conn, "BEGIN IMMEDIATE")
		}
		if err := errors.Join(err, w.toFormat2(true), w.toFormat3(true), w.close()); err != nil {
			t.Fatal(err)
		}
		j := open(t, path, &Options{Own: true, Key: key})
		if left, err := j.Unverified(); err != nil || len(left) > 0 {
			t.Error(left, err)
		}
		if claimed, err := j.ClaimOrphans(""); err != nil || len(claimed) != 1 {
			t.Error(claimed, err)
		}
	}
}

// columns are the tables, columns and indexes of a journal, and its format.
func columns(t *testing.T, path string) string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), `SELECT m.type, m.name, group_concat(c.name, ' ') FROM sqlite_schema m
		LEFT JOIN (SELECT p.name, s.name AS owner FROM sqlite_schema s, pragma_table_info(s.name) p ORDER BY s.name, p.name) c ON c.owner = m.name
		GROUP BY m.type, m.name ORDER BY m.type, m.name`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var out strings.Builder
	for rows.Next() {
		var kind, name string
		var fields sql.NullString
		if err := rows.Scan(&kind, &name, &fields); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %s (%s)\n", kind, name, fields.String)
	}
	var version int
	if err := errors.Join(rows.Err(), db.QueryRowContext(t.Context(), "PRAGMA user_version").Scan(&version)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&out, "format", version)
	return out.String()
}

// A journal with a number that no program wrote is refused as it is.
func TestUnknownFormat(t *testing.T) {
	path := unpack(t, earlier(t)[0])
	execFile(t, path, "PRAGMA user_version = 0")
	_, err := Open(path, nil)
	checkFault(t, err, "unknown format 0", "another file")
}

func TestInspect(t *testing.T) {
	path := unpack(t, earlier(t)[0])
	j := open(t, path, nil)
	in, err := Inspect(t.Context(), path)
	if err != nil || in.Format != formats.Journal.Version || in.Runs != 2 || in.Bytes < 4096 || !in.Whole {
		t.Errorf("%+v, %v", in, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	execFile(t, path, "PRAGMA user_version = 99")
	_, err = Inspect(t.Context(), path)
	checkFault(t, err, "newer version", "install")
}
