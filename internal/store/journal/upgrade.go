package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// upgrades bring a journal from a format to the next one.
var upgrades = map[int]func(w *writer, own bool) error{
	1: (*writer).toFormat2,
	2: (*writer).toFormat3,
}

// upgrade brings a journal to the format of this program, in one transaction. Other
// processes may do so at the same moment.
func (w *writer) upgrade(own bool) error {
	ctx, c := w.ctx, w.conn
	if version, err := formatVersion(ctx, c); err != nil || version >= formats.Journal.Version {
		return err
	}
	if err := execAll(ctx, c, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	version, err := formatVersion(ctx, c) // another process may have upgraded it
	for ; err == nil && version < formats.Journal.Version; version++ {
		step := upgrades[version]
		if step == nil {
			err = fmt.Errorf("%w: it has the unknown format %d", errNotJournal, version)
			break
		}
		err = errors.Join(step(w, own), execAll(ctx, c, setVersion(version+1)))
	}
	if err == nil {
		return execAll(ctx, c, "COMMIT")
	}
	return errors.Join(err, execAll(ctx, c, "ROLLBACK"))
}

func formatVersion(ctx context.Context, c *sql.Conn) (version int, err error) {
	err = c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

func setVersion(version int) string { return fmt.Sprintf("PRAGMA user_version = %d", version) }

type column struct{ table, name, definition string }

// columnsSince1 are those that a journal of format 1 may lack: it got them one after the
// other, and kept its number.
var columnsSince1 = []column{
	{"runs", "project", "TEXT NOT NULL DEFAULT ''"},
	{"runs", "calls", "INTEGER"},
	{"runs", "called", "INTEGER"},
	{"runs", "replied", "INTEGER"},
	{"steps", "branches", "ANY"},
	{"steps", "call", "TEXT NOT NULL DEFAULT ''"},
	{"steps", "frame", "INTEGER NOT NULL DEFAULT 0"},
}

// columnsSince2 are those of codes.
var columnsSince2 = []column{
	{"runs", "seal", "BLOB"},
	{"runs", "head", "BLOB"},
	{"intents", "code", "BLOB"},
	{"state", "code", "BLOB"},
	{"schedules", "code", "BLOB"},
}

// toFormat2 adds the columns, tables and indexes that a journal of format 1 lacks.
func (w *writer) toFormat2(bool) error {
	return errors.Join(w.addColumns(columnsSince1), execAll(w.ctx, w.conn, tracesTable, stateTable, schedulesTable, formerIndex, usesIndex))
}

// toFormat3 adds the codes, and computes them for what is there in a journal of the user's
// own.
func (w *writer) toFormat3(own bool) error {
	err := errors.Join(w.addColumns(columnsSince2), execAll(w.ctx, w.conn, journalTable))
	if err == nil {
		err = w.readID()
	}
	if err == nil && own {
		err = w.sealAll()
	}
	return err
}

func (w *writer) addColumns(list []column) error {
	for _, of := range list {
		var there int
		if err := w.conn.QueryRowContext(w.ctx, "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?", of.table, of.name).Scan(&there); err != nil {
			return err
		}
		if there > 0 {
			continue
		}
		if err := execAll(w.ctx, w.conn, fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", of.table, of.name, of.definition)); err != nil {
			return err
		}
	}
	return nil
}
