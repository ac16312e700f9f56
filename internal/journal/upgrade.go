package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/patchbay-mcp/patchbay/internal/formats"
)

// upgrades bring a journal from a format to the next one.
var upgrades = map[int]func(ctx context.Context, c *sql.Conn) error{
	1: toFormat2,
}

// upgrade brings a journal to the format of this program, in one transaction. Other
// processes may do so at the same moment.
func upgrade(ctx context.Context, c *sql.Conn) error {
	if version, err := versionOf(ctx, c); err != nil || version >= formats.Journal.Version {
		return err
	}
	if err := execAll(ctx, c, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	version, err := versionOf(ctx, c) // another process may have upgraded it
	for ; err == nil && version < formats.Journal.Version; version++ {
		step := upgrades[version]
		if step == nil {
			err = fmt.Errorf("%w: it has the unknown format %d", errNotJournal, version)
			break
		}
		err = errors.Join(step(ctx, c), execAll(ctx, c, setVersion(version+1)))
	}
	if err == nil {
		return execAll(ctx, c, "COMMIT")
	}
	return errors.Join(err, execAll(ctx, c, "ROLLBACK"))
}

func versionOf(ctx context.Context, c *sql.Conn) (version int, err error) {
	err = c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

func setVersion(version int) string { return fmt.Sprintf("PRAGMA user_version = %d", version) }

// columnsSince1 are those that a journal of format 1 may lack: it got them one after the
// other, and kept its number.
var columnsSince1 = []struct{ table, name, definition string }{
	{"runs", "project", "TEXT NOT NULL DEFAULT ''"},
	{"runs", "calls", "INTEGER"},
	{"runs", "called", "INTEGER"},
	{"runs", "replied", "INTEGER"},
	{"steps", "branches", "ANY"},
	{"steps", "call", "TEXT NOT NULL DEFAULT ''"},
	{"steps", "frame", "INTEGER NOT NULL DEFAULT 0"},
}

// toFormat2 adds the columns, tables and indexes that a journal of format 1 lacks.
func toFormat2(ctx context.Context, c *sql.Conn) error {
	for _, of := range columnsSince1 {
		var there int
		if err := c.QueryRowContext(ctx, "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?", of.table, of.name).Scan(&there); err != nil {
			return err
		}
		if there > 0 {
			continue
		}
		if err := execAll(ctx, c, fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", of.table, of.name, of.definition)); err != nil {
			return err
		}
	}
	return execAll(ctx, c, tracesTable, stateTable, schedulesTable, formerIndex, usesIndex)
}
