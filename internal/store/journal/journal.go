// Package journal keeps runs: [Journal] in an SQLite database that survives the
// process, [Memory] for as long as it lasts. It knows neither documents nor plans.
package journal

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// Options of a journal. Zero fields mean the defaults.
type Options struct {
	// Redact is applied to every text that is written, so that no secret reaches
	// the disk: it returns the text without them, JSON as before. It is called at
	// the same time from several goroutines.
	Redact func([]byte) []byte
	// Secrets returns what tells the secrets that Redact replaces from earlier and later ones:
	// what Redact made of a document is used again for the same value. Nil uses nothing again.
	Secrets func() any
	// Restore undoes what Redact did, as far as it can, to every text that is read. Nil
	// leaves it.
	Restore func([]byte) []byte
	// MaxTraced is how many bytes of inputs and outputs each run keeps of the steps whose
	// outcome follows from the rest of it: of later ones they are computed again when
	// somebody looks. 0 means 64 kB, a negative number none.
	MaxTraced int
	// Project is the project that the program is of; the runs of FormerProjects, as
	// earlier versions called it, become its runs when the journal is opened.
	Project        string
	FormerProjects []string
	// Key is that of the codes by which the journal tells the runs that it has written from
	// others. Without a key anybody can write them.
	Key []byte
	// Own says that what an earlier format has in the file is believed: no file from
	// elsewhere can be there.
	Own bool
	// Ungrouped gives every write a transaction of its own: for comparison.
	Ungrouped bool
	Logger    *slog.Logger
}

// A Journal keeps runs in an SQLite file, as they go. Several processes may have one file open; each run belongs to
// one of them at a time. A kill of the process loses nothing that was
// acknowledged, nor does a power cut, as far as the disk keeps what it has synced.
//
// One goroutine writes, all that is queued in one transaction; values are encoded
// by whoever writes them.
type Journal struct {
	path  string
	o     Options
	log   *slog.Logger
	owner *owner

	sealer    *sealer
	documents *cache.Cache[documentKey, *row]
	queue     queue
	writer    *writer
	reads     *sql.DB
	counter   counter
	ended     chan struct{} // closed when the writer has stopped

	mu        sync.Mutex
	active    map[string]*activeRun // begun here and not ended
	unwritten map[string]*activeRun // those with a write that failed; they are written later
	retried   time.Time             // when that was last tried
	onCancel  func(id string)
	onReply   func(id, key string, answer json.RawMessage)
	poller    *time.Timer
	closed    bool
}

// Open opens the journal in a file, or makes it: folders for the owner
// alone (0700), the file too (0600). A file that is not a journal, is damaged or comes
// from a newer version is a fault with the code journal-failed, and is left as it
// is. o may be nil.
func Open(path string, o *Options) (*Journal, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, journalFault(path, "opened", err)
	}
	j := &Journal{documents: newDocuments(), path: path, log: slog.New(slog.DiscardHandler), ended: make(chan struct{}), active: map[string]*activeRun{}, unwritten: map[string]*activeRun{}}
	if o != nil {
		j.o = *o
	}
	if j.o.Logger != nil {
		j.log = j.o.Logger
	}
	j.o.MaxTraced = cmp.Or(j.o.MaxTraced, 64<<10)
	if err := j.open(); err != nil {
		return nil, errors.Join(journalFault(path, "opened", err), j.release())
	}
	j.queue.init()
	j.poller = time.AfterFunc(time.Hour, j.poll)
	j.poller.Stop()
	go j.write()
	return j, nil
}

func (j *Journal) open() error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	owners := j.path + "-owners"
	known, err := look(context.Background(), j.path, func() bool { return anyAlive(owners) })
	if err != nil {
		return err
	}
	f, err := os.OpenFile(j.path, os.O_CREATE|files.OpenAtOnce, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if j.owner, err = newOwner(owners); err != nil {
		return err
	}
	j.sealer = newSealer(j.path, j.o.Key)
	if j.writer, err = openWriter(context.Background(), j.path, known, j.o.Own, j.sealer); err != nil {
		return err
	}
	if err := j.writer.adoptFormer(j.o.FormerProjects, j.o.Project); err != nil {
		return err
	}
	j.owner.sweep()
	j.reads, err = openReads(j.path)
	return err
}

// Close writes what is queued and closes the file. Runs that have not ended are
// then abandoned.
func (j *Journal) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true
	j.poller.Stop()
	j.mu.Unlock()
	j.writeAgain()
	j.queue.close()
	<-j.ended
	if err := j.release(); err != nil {
		return journalFault(j.path, "closed", err)
	}
	return nil
}

func (j *Journal) release() error {
	var errs []error
	j.counter.close()
	if j.reads != nil {
		errs = append(errs, j.reads.Close())
	}
	if j.writer != nil {
		errs = append(errs, j.writer.close())
	}
	if j.owner != nil {
		errs = append(errs, j.owner.release())
	}
	return errors.Join(errs...)
}

// errClosed is what a journal says after Close.
var errClosed = errors.New("it is closed")

// failed turns an error of a write or of a read into the error for the caller.
func (j *Journal) failed(did string, err error) error {
	if err == nil {
		return nil
	}
	return journalFault(j.path, did, err)
}

// running returns the run that was begun here.
func (j *Journal) running(id string) (*activeRun, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if active := j.active[id]; active != nil {
		return active, nil
	}
	return nil, j.failed("written", fmt.Errorf("the run %q was not started in this process", id))
}
