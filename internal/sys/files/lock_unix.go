//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks the file itself, for its owner alone or shared. An owner follows no link,
// through which it would create a file elsewhere.
func tryLock(path string, own bool) (*os.File, error) {
	flag, how := os.O_RDWR, syscall.LOCK_SH
	if own {
		flag, how = os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, syscall.LOCK_EX
	}
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrLocked
	}
	return nil, err
}
