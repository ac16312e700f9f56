package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// look reads a journal before it is opened to be written, and changes nothing: neither
// the file nor what SQLite keeps next to it, which a mere reader would write again. It
// returns why the journal cannot be used. What another process has open is not looked
// at, since it changes meanwhile and that process has looked: then known is false.
func look(ctx context.Context, path string, inUse func() bool) (known bool, err error) {
	for range maxLooks {
		if inUse() {
			return false, nil
		}
		before := readFileState(path)
		known, err := lookOnce(ctx, path, &before)
		if inUse() {
			return false, nil
		}
		if before == readFileState(path) {
			return known, err
		}
	}
	return false, nil
}

// maxLooks is how often a file is looked at that others change and leave at once.
const maxLooks = 5

// sideFiles are what SQLite appends to the name of a database for the files that make
// its content together with it: the write-ahead log, and the journal of a transaction
// that was not finished.
var sideFiles = [...]string{"-wal", "-journal"}

// fileState tells whether a journal has changed: of the file and the side files.
type fileState struct {
	size    [1 + len(sideFiles)]int64
	changed [1 + len(sideFiles)]time.Time
}

func readFileState(path string) (s fileState) {
	for i, suffix := range append([]string{""}, sideFiles[:]...) {
		if info, err := os.Stat(path + suffix); err == nil {
			s.size[i], s.changed[i] = info.Size(), info.ModTime()
		}
	}
	return s
}

// small reports whether the journal is checked as a whole.
func (s *fileState) small() bool { return slices.Max(s.size[:]) <= checkedWhole }

// alone reports whether the file has all of the content.
func (s *fileState) alone() bool { return slices.Max(s.size[1:]) == 0 }

// lookOnce looks at a file of a state.
func lookOnce(ctx context.Context, path string, s *fileState) (known bool, err error) {
	f, err := os.OpenFile(path, files.OpenAtOnce, 0)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return true, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err == nil {
		err = checkHeader(f)
	}
	switch err = errors.Join(err, f.Close()); {
	case err != nil || s.size[0] == 0:
		return true, err
	case s.alone():
		return true, checkIn(ctx, path, s.small(), url.Values{"mode": {"ro"}, "immutable": {"1"}})
	case s.small():
		return checkCopy(ctx, path)
	}
	return false, nil
}

// checkCopy checks a copy of a journal with side files, which SQLite reads only where it
// may write. A journal that cannot be copied is not known.
func checkCopy(ctx context.Context, path string) (known bool, err error) {
	dir, err := os.MkdirTemp("", "patchbay-journal-")
	if err != nil {
		return false, nil //nolint:nilerr // it is checked when it is open
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a copy for this moment
	to := filepath.Join(dir, "runs.db")
	for _, suffix := range append([]string{""}, sideFiles[:]...) {
		data, err := files.Read(path+suffix, checkedWhole)
		if err == nil {
			err = os.WriteFile(to+suffix, data, 0o600)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return false, nil //nolint:nilerr // it is checked when it is open
		}
	}
	return true, checkIn(ctx, to, true, url.Values{})
}

// checkIn checks a file that is not empty as a connection of its own sees it.
func checkIn(ctx context.Context, path string, whole bool, options url.Values) error {
	db, err := openSQLite(path, options)
	if err != nil {
		return err
	}
	c, err := db.Conn(ctx)
	if err == nil {
		_, err = checkTables(ctx, c, whole)
		err = errors.Join(err, c.Close())
	}
	return errors.Join(err, db.Close())
}

// checkTables reports whether a database has tables. It returns an error if these are
// not a journal's, have what SQLite executes, are newer than this program, or damaged; damage is looked for if whole is
// set.
func checkTables(ctx context.Context, c *sql.Conn, whole bool) (has bool, err error) {
	var tables, version, mark int64
	for _, of := range []struct {
		text string
		into *int64
	}{
		{"SELECT count(*) FROM sqlite_schema", &tables},
		{"PRAGMA user_version", &version},
		{"PRAGMA application_id", &mark},
	} {
		if err := c.QueryRowContext(ctx, of.text).Scan(of.into); err != nil {
			return false, err
		}
	}
	switch {
	case tables > 0 && mark != journalMark:
		return true, errNotJournal
	case version > int64(formats.Journal.Version):
		return true, fmt.Errorf("%w: its format is %d, and this program reads up to %d", errNewer, version, formats.Journal.Version)
	case tables == 0:
		return false, nil
	}
	var found string
	switch err := c.QueryRowContext(ctx, "SELECT type || ' ' || name FROM sqlite_schema WHERE type IN ('trigger', 'view') OR sql LIKE 'CREATE VIRTUAL%'").Scan(&found); {
	case err == nil:
		return true, fmt.Errorf("%w: it has the %q, which SQLite could execute", errNotJournal, found)
	case !errors.Is(err, sql.ErrNoRows):
		return true, err
	case !whole:
		return true, nil
	}
	if err := c.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
		return true, err
	}
	if found != "ok" {
		return true, fmt.Errorf("%w: %s", errDamaged, strings.Join(strings.Fields(found), " "))
	}
	return true, nil
}

// checkHeader refuses a file that is not empty and no SQLite file.
func checkHeader(f io.Reader) error {
	var header [16]byte
	n, err := io.ReadFull(f, header[:])
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case string(header[:n]) != "SQLite format 3\x00":
		return errNotJournal
	}
	return nil
}
