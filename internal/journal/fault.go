package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// Errors of a file that is there and is not what it should be.
var (
	errNotRegular = errors.New("it is not a regular file")
	errNotJournal = errors.New("it is not a journal of runs")
	errDamaged    = errors.New("it is damaged")
	errNewer      = errors.New("a newer version of patchbay wrote it")
)

const orMemory = "; or start with --store memory, which keeps no runs"

// journalFault says what went wrong with a journal's file, and what to do about
// it. Faults and [ErrNoRun] pass as they are.
func journalFault(path, did string, err error) error {
	if _, ok := errors.AsType[*diag.Fault](err); ok || errors.Is(err, run.ErrNoRun) {
		return err
	}
	f := &diag.Fault{Code: "journal-failed", Err: err}
	say := func(what, hint string) {
		f.Message = fmt.Sprintf("the journal %s cannot be %s: %s", path, did, what)
		f.Hint = hint + orMemory
	}
	away := fmt.Sprintf("move the file away, and %s-wal if it exists; patchbay then creates a new journal", filepath.Base(path))
	code := -1
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		code = e.Code() & 0xff
	}
	switch {
	case errors.Is(err, errNotJournal), errors.Is(err, errNotRegular):
		say(err.Error(), "name another file, or move this one away")
	case errors.Is(err, errNewer):
		say(err.Error(), "install that version of patchbay or a later one, or name another file")
	case code == sqlite3.SQLITE_CORRUPT, code == sqlite3.SQLITE_NOTADB, errors.Is(err, errDamaged):
		say(err.Error(), away)
	case code == sqlite3.SQLITE_FULL, errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		say("the disk is full", "free some space where "+filepath.Dir(path)+" is, for example with: patchbay runs prune")
	case code == sqlite3.SQLITE_READONLY, code == sqlite3.SQLITE_CANTOPEN, code == sqlite3.SQLITE_PERM,
		errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		say(err.Error(), "make the folder and the file writable for this user, or name another file")
	case errors.Is(err, errClosed):
		f.Message, f.Hint = fmt.Sprintf("the journal %s is closed", path), "the process is about to end; unfinished runs continue when patchbay starts again"
	case code == sqlite3.SQLITE_BUSY, code == sqlite3.SQLITE_LOCKED:
		say(fmt.Sprintf("another process has held it for more than %s", busyTimeout), "end that process, or name another file")
	default:
		say(err.Error(), "see that the disk works and has space")
	}
	return f
}
