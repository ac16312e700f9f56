package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// An owner is a journal that is open: the runs that it has begun are its own. It
// holds a lock on a file, which the system takes away when the process ends,
// however it ends.
type owner struct {
	id   string
	dir  string
	file *os.File
}

const (
	lockSuffix = ".lock"
	callSuffix = ".cancel" // of a file that tells an owner to look for runs that were cancelled, and for answers
)

// call tells another owner to look for runs that were cancelled, and for answers.
func (o *owner) call(id string) error {
	return os.WriteFile(filepath.Join(o.dir, id+callSuffix), nil, 0o600)
}

// called reports whether somebody has called since it was asked last.
func (o *owner) called() bool {
	return os.Remove(filepath.Join(o.dir, o.id+callSuffix)) == nil
}

func newOwner(dir string) (*owner, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for range 10 {
		id := ulid.Make().String()
		f, err := files.TryLock(lockFile(dir, id), true)
		if errors.Is(err, files.ErrLocked) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &owner{id: id, dir: dir, file: f}, nil
	}
	return nil, fmt.Errorf("no lock file can be created in %s", dir)
}

func (o *owner) path(id string) string { return lockFile(o.dir, id) }

func lockFile(dir, id string) string { return filepath.Join(dir, id+lockSuffix) }

func (o *owner) release() error {
	o.called()
	return errors.Join(os.Remove(o.path(o.id)), o.file.Close())
}

// alive reports whether the process of an owner still has its journal open.
func (o *owner) alive(id string) bool {
	if id == o.id {
		return true
	}
	if id == "" {
		return false
	}
	return held(o.path(id))
}

// anyAlive reports whether a process has the journal open whose owners are in dir.
func anyAlive(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), lockSuffix) && held(filepath.Join(dir, e.Name()))
	})
}

// held reports whether an owner holds a lock file.
func held(path string) bool {
	f, err := files.TryLock(path, false)
	if err == nil {
		_ = f.Close()
	}
	return err != nil && !errors.Is(err, os.ErrNotExist)
}

// sweep removes the lock files of the dead.
func (o *owner) sweep() {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return
	}
	for _, file := range entries {
		id, ok := strings.CutSuffix(file.Name(), lockSuffix)
		if !ok || id == o.id {
			continue
		}
		// Removed while it is locked, so that no newcomer takes it for its own.
		if f, err := files.TryLock(o.path(id), false); err == nil {
			_ = os.Remove(o.path(id))
			_ = os.Remove(filepath.Join(o.dir, id+callSuffix))
			_ = f.Close()
		}
	}
}
