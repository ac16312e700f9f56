package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/robustio"
)

// ErrLocked says that another process holds the lock.
var ErrLocked = errors.New("locked by another process")

// Bounds on the wait for a lock. A change of a file takes milliseconds.
const (
	LockWait = 10 * time.Second
	lockPoll = 10 * time.Millisecond
)

// Lock takes the lock of a path across processes and goroutines, and returns what
// releases it. It waits for at most ten seconds; its error is then an [ErrLocked].
// The holder of the lock must not take it again, also not with [Update].
func Lock(path string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), LockWait)
	defer cancel()
	return LockContext(ctx, path)
}

// LockContext is [Lock], which waits until ctx ends.
//
// The lock is held on a file beside the one that symbolic links lead to. It is there
// only while somebody holds the lock or has died with it.
func LockContext(ctx context.Context, path string) (release func(), err error) {
	path, err = target(path)
	if err != nil {
		return nil, err
	}
	return lockBeside(ctx, path)
}

func lockBeside(ctx context.Context, path string) (release func(), err error) {
	dir, base := filepath.Split(path)
	name := dir + "." + base + ".lock"
	for began, wait := time.Now(), time.Millisecond; ; wait = min(2*wait, lockPoll) {
		f, err := TryLock(name, true)
		if err == nil {
			return func() {
				_ = os.Remove(name)
				_ = f.Close()
			}, nil
		}
		if !errors.Is(err, ErrLocked) && !robustio.IsEphemeralError(err) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			if !errors.Is(err, ErrLocked) {
				return nil, errors.Join(context.Cause(ctx), err)
			}
			return nil, fmt.Errorf("%s has been %w for %s; try again, and if that fails too, look for a suspended patchbay process",
				path, err, time.Since(began).Round(time.Millisecond))
		case <-time.After(wait):
		}
	}
}

// TryLock opens a file and locks it until it is closed: an owner creates it and locks it
// for itself; others, who look whether an owner lives, share the lock. It returns
// [ErrLocked] at once where that is not possible. An owner may remove the file first.
func TryLock(path string, own bool) (*os.File, error) {
	f, err := tryLock(path, own)
	if err != nil || !own {
		return f, err
	}
	// Its last owner may have removed it after it was opened here.
	if locked, err := f.Stat(); err == nil {
		if there, err := os.Stat(path); err == nil && os.SameFile(locked, there) {
			return f, nil
		}
	}
	_ = f.Close()
	return nil, ErrLocked
}
