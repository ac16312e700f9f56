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
	f := &diag.Fault{Code: diag.CodeJournalFailed, Err: err}
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

// maxUnwritten is how many runs that have ended are kept in memory while they cannot
// be written.
const maxUnwritten = 1000

// keepUnwritten remembers a run with a write that failed, to try again.
func (j *Journal) keepUnwritten(a *activeRun, err error) {
	if !a.failed {
		a.failed = true
		j.log.Error("a run could not be saved", "run", a.id, "error", err)
	}
	ended := a.end()
	j.mu.Lock()
	defer j.mu.Unlock()
	if ended != nil && len(j.unwritten) >= maxUnwritten && j.unwritten[a.id] == nil {
		j.log.Error("a run is lost: too many runs that could not be saved are waiting", "run", a.id)
		return
	}
	j.unwritten[a.id] = a
	j.schedulePoll()
}

// end returns how the run stopped, without its steps and intents; nil if it has not.
func (a *activeRun) end() *run.Record {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ended
}

// unwrittenEnd returns how a run of this process stopped that the disk says is running, since
// its end could not be written; nil for others.
func (j *Journal) unwrittenEnd(id string) *run.Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	if a := j.unwritten[id]; a != nil {
		return a.end()
	}
	return nil
}

// forgetUnwritten notes that a run was written after all.
func (j *Journal) forgetUnwritten(a *activeRun) {
	j.log.Info("a run that could not be saved is now saved", "run", a.id)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.unwritten[a.id] == a {
		delete(j.unwritten, a.id)
	}
}

// writeAgain tries to write the runs that could not be written.
func (j *Journal) writeAgain() {
	j.mu.Lock()
	again := make([]*activeRun, 0, len(j.unwritten))
	for _, a := range j.unwritten {
		again = append(again, a)
	}
	j.mu.Unlock()
	for _, a := range again {
		if j.flush(a, true) != nil {
			return // for all the same reason
		}
	}
}
