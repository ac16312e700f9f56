package files

import (
	"errors"
	"os"
	"syscall"
)

const errSharing = syscall.Errno(32) // ERROR_SHARING_VIOLATION

// tryLock opens a file that an owner keeps open without sharing it: for others, to
// open it fails as long as the owner lives.
func tryLock(path string, own bool) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	share, create, flags := uint32(syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE|syscall.FILE_SHARE_DELETE), uint32(syscall.OPEN_EXISTING), uint32(syscall.FILE_ATTRIBUTE_NORMAL)
	if own {
		share, create, flags = syscall.FILE_SHARE_DELETE, syscall.OPEN_ALWAYS, syscall.FILE_FLAG_OPEN_REPARSE_POINT // no link is followed
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, share, nil, create, flags, 0)
	if errors.Is(err, errSharing) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
