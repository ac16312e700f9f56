package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

const (
	journalMark = 0x50424a31 // application_id: PBJ1
	busyTimeout = 10 * time.Second

	// A file up to this size is checked as a whole when it is opened, a larger one
	// where it is read.
	checkedWhole = 16 << 20
)

// A step's row id is its run's, shifted, plus its index: the steps of a run lie
// together and need no other index. A column of type ANY holds a JSON text, or the
// hash of one that is kept in blobs; NULL is undefined. Of a run that has stopped, calls
// are those that gave a result, called the bytes of these results, and replied those of
// its own.
const allTables = `
CREATE TABLE runs (
	n INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE,
	principal TEXT NOT NULL,
	graph TEXT NOT NULL,
	mode TEXT NOT NULL,
	source_name TEXT NOT NULL, source_text ANY, source_tool TEXT NOT NULL, source_trusted INTEGER NOT NULL,
	arguments ANY,
	options ANY,
	resumed ANY,
	status TEXT NOT NULL,
	result ANY,
	fault ANY,
	started INTEGER NOT NULL,
	ended INTEGER NOT NULL,
	steps INTEGER NOT NULL,
	owner TEXT NOT NULL,
	begun INTEGER NOT NULL,
	cancel INTEGER NOT NULL,
	project TEXT NOT NULL DEFAULT '',
	calls INTEGER, called INTEGER, replied INTEGER,
	seal BLOB, head BLOB
) STRICT;
CREATE INDEX runs_started ON runs (started);
CREATE INDEX runs_ended ON runs (ended) WHERE status NOT IN ('running', 'interrupted');
CREATE INDEX runs_running ON runs (owner) WHERE status = 'running';
CREATE INDEX runs_cancel ON runs (owner) WHERE cancel = 1;
CREATE TABLE steps (
	at INTEGER PRIMARY KEY,
	node TEXT NOT NULL, type TEXT NOT NULL, key TEXT NOT NULL,
	started INTEGER NOT NULL, duration INTEGER NOT NULL,
	input ANY, output ANY, fault ANY,
	caught INTEGER NOT NULL, part INTEGER NOT NULL, pure INTEGER NOT NULL,
	attempts INTEGER NOT NULL, ended INTEGER NOT NULL, simulated TEXT NOT NULL, definition INTEGER NOT NULL,
	branches ANY,
	call TEXT NOT NULL DEFAULT '',
	frame INTEGER NOT NULL DEFAULT 0
) STRICT;
` + tracesTable + stateTable + schedulesTable + journalTable + formerIndex + usesIndex + statusIndex + spentTable + `
CREATE TABLE intents (
	n INTEGER PRIMARY KEY,
	run INTEGER NOT NULL, key TEXT NOT NULL, step TEXT NOT NULL, kind TEXT NOT NULL,
	at INTEGER NOT NULL, until TEXT NOT NULL,
	detail ANY, outcome ANY,
	code BLOB,
	UNIQUE (run, key)
) STRICT;
CREATE TABLE blobs (hash BLOB PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE refs (run INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (run, hash)) STRICT, WITHOUT ROWID;
CREATE INDEX refs_hash ON refs (hash);
`

// journalTable has one row, with the random ID of the journal: codes are valid in it alone.
const journalTable = `CREATE TABLE IF NOT EXISTS journal (id TEXT NOT NULL) STRICT;
INSERT INTO journal SELECT lower(hex(randomblob(16))) WHERE NOT EXISTS (SELECT 1 FROM journal);`

// tracesTable holds the steps of runs whose outcome follows from the rest of the
// run, many in a row: see trace. Row ids are like those of steps. Programs that do not
// know it make these steps again.
const tracesTable = `CREATE TABLE IF NOT EXISTS traces (at INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;`

// formerIndex finds the runs of projects as earlier versions called them: a hash of 32
// digits. There are none in a new file.
const formerIndex = `CREATE INDEX IF NOT EXISTS runs_former ON runs (project) WHERE length(project) = 32;`

// statusIndex lists runs by status. A file that earlier programs have made gets it when it is opened.
const statusIndex = `CREATE INDEX IF NOT EXISTS runs_status ON runs (status, started);`

// openSQLite opens a database with options of SQLite and of the driver.
func openSQLite(path string, options url.Values) (*sql.DB, error) {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	options["_pragma"] = append([]string{fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds())}, options["_pragma"]...)
	return sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: slashed, RawQuery: options.Encode()}).String())
}

func openReads(path string) (*sql.DB, error) {
	db, err := openSQLite(path, url.Values{"_pragma": {"query_only(1)"}})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(5) // one of them may count
	return db, nil
}

// prepareFile makes an empty file a journal, and checks any other unless it is known to
// be sound. It brings earlier formats to this one: then own says that the runs are believed.
func (w *writer) prepareFile(known, own bool) error {
	ctx, c := w.ctx, w.conn
	var pages, size int64
	for text, into := range map[string]*int64{"PRAGMA page_count": &pages, "PRAGMA page_size": &size} {
		if err := c.QueryRowContext(ctx, text).Scan(into); err != nil {
			return err
		}
	}
	has, err := checkTables(ctx, c, !known && pages*size <= checkedWhole)
	switch {
	case err != nil:
		return err
	case has:
		err = w.upgrade(own)
		if err == nil {
			err = execAll(ctx, c, statusIndex, spentTable)
		}
	default:
		err = createTables(ctx, c)
	}
	if err != nil {
		return err
	}
	return w.readID()
}

// readID has codes be those of this journal.
func (w *writer) readID() error {
	err := w.conn.QueryRowContext(w.ctx, "SELECT id FROM journal").Scan(&w.sealer.journal)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%w: it has no ID", errDamaged)
	}
	return err
}

// createTables makes the tables unless another process does so at this moment.
func createTables(ctx context.Context, c *sql.Conn) error {
	if err := execAll(ctx, c, "PRAGMA auto_vacuum = incremental", "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	var tables int
	err := c.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	if err == nil && tables == 0 {
		err = execAll(ctx, c, allTables, setVersion(formats.Journal.Version), fmt.Sprintf("PRAGMA application_id = %d", journalMark))
	}
	if err == nil {
		return execAll(ctx, c, "COMMIT")
	}
	return errors.Join(err, execAll(ctx, c, "ROLLBACK"))
}

// useWAL sets the write-ahead log, which wants the file to itself for a moment
// when it is new and does not wait for it by itself.
func useWAL(ctx context.Context, c *sql.Conn) error {
	for end := time.Now().Add(busyTimeout); ; time.Sleep(5 * time.Millisecond) {
		var mode string
		err := c.QueryRowContext(ctx, "PRAGMA journal_mode = wal").Scan(&mode)
		if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code()&0xff == sqlite3.SQLITE_BUSY && time.Now().Before(end) {
			continue
		}
		if err == nil && mode != "wal" {
			err = fmt.Errorf("its file system does not support a write-ahead log (the journal mode is still %s)", mode)
		}
		return err
	}
}

func execAll(ctx context.Context, c *sql.Conn, texts ...string) error {
	for _, text := range texts {
		if _, err := c.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
