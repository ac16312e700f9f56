// Package audit keeps a log of who called what: one line of JSON for each call, in a
// file of the operator's that is rotated by size. An entry has no arguments and no
// results, only their sizes. The package knows nothing of calls.
package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// What a file may take unless [Options] say otherwise.
const (
	DefaultMaxBytes = 10 << 20
	DefaultKeep     = 5
)

// An Entry is one call. Fields that do not apply are left out.
type Entry struct {
	Time      time.Time `json:"time"`
	Event     string    `json:"event"` // [Request], [Call] or [Start]
	Principal string    `json:"principal,omitempty"`
	Client    string    `json:"client,omitempty"` // as the client calls itself
	Session   string    `json:"session,omitempty"`
	Server    string    `json:"server,omitempty"`
	Tool      string    `json:"tool,omitempty"`
	Graph     string    `json:"graph,omitempty"`
	Run       string    `json:"run,omitempty"`
	Node      string    `json:"node,omitempty"`
	Step      string    `json:"step,omitempty"`
	Outcome   string    `json:"outcome"` // ok, or the code of what went wrong
	Ms        float64   `json:"ms"`
	Sent      int       `json:"request_bytes"` // size of the arguments
	Received  int       `json:"reply_bytes"`   // size of the result
}

// The events.
const (
	Request = "request" // of a client: the call of a tool
	Call    = "call"    // of a downstream tool, or an HTTP request, that a run has made
	Start   = "start"   // of a run by a schedule or a webhook
)

// Options of a log.
type Options struct {
	File     string // its folder is created
	MaxBytes int64  // of the file, before it is rotated; 0 means DefaultMaxBytes
	Keep     int    // rotated files, FILE.1 the latest; 0 means DefaultKeep
}

// A Log appends entries to a file. Several processes may write to the same file. A nil Log
// writes nothing. It is safe for concurrent use.
type Log struct {
	o Options

	mu   sync.Mutex
	file *os.File // nil after [Log.Close]
	size int64
}

// Open opens a log, or creates it so that only its user can read it.
func Open(o Options) (*Log, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Keep <= 0 {
		o.Keep = DefaultKeep
	}
	if err := os.MkdirAll(filepath.Dir(o.File), 0o700); err != nil {
		return nil, err
	}
	l := &Log{o: o}
	if err := l.open(); err != nil {
		return nil, err
	}
	return l, nil
}

// open opens the file. The caller holds mu, or is the only one.
func (l *Log) open() error {
	f, err := os.OpenFile(l.o.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		err = f.Chmod(0o600)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Write appends an entry as one line.
func (l *Log) Write(e *Entry) error {
	if l == nil {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return os.ErrClosed
	}
	if err := l.follow(int64(len(line))); err != nil {
		return err
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	return err
}

// follow makes the open file the one at its path, with room for a line: another process
// may have written to it or rotated it.
func (l *Log) follow(line int64) error {
	at, err := os.Stat(l.o.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ours, statErr := l.file.Stat()
	if err != nil || statErr != nil || !os.SameFile(at, ours) {
		_ = l.file.Close()
		if err := l.open(); err != nil {
			return err
		}
	} else {
		l.size = at.Size()
	}
	if l.size == 0 || l.size+line <= l.o.MaxBytes {
		return nil
	}
	_ = l.file.Close()
	_ = l.rotate(line) // a file that cannot be renamed grows: no entry is lost
	return l.open()
}

// rotate renames the file to FILE.1, and each older one to the next number, unless another
// process has made room for a line by then.
func (l *Log) rotate(line int64) error {
	release, err := files.Lock(l.o.File)
	if err != nil {
		return err
	}
	defer release()
	if at, err := os.Stat(l.o.File); err != nil || at.Size()+line <= l.o.MaxBytes {
		return err
	}
	for i := l.o.Keep; i > 1; i-- {
		err := os.Rename(l.numbered(i-1), l.numbered(i))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(l.o.File, l.numbered(1))
}

func (l *Log) numbered(i int) string { return fmt.Sprintf("%s.%d", l.o.File, i) }

// Close closes the file.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}
