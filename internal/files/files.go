// Package files reads texts that people name, and says why one cannot be read. It
// knows nothing of what is in them and imports nothing of ours.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// OpenAtOnce are the flags with which a file is opened to be read, without waiting for
// whoever would write to it if it were a pipe. What it is must be looked at once it is
// open: before, it could be replaced.
const OpenAtOnce = os.O_RDONLY | syscall.O_NONBLOCK

// ReadText returns the text of a regular file of at most so many bytes. It refuses
// any other file, which might never end. The errors do not name the path.
func ReadText(path string, maxBytes int64) (string, error) {
	f, err := os.OpenFile(path, OpenAtOnce, 0)
	if err != nil {
		return "", Reason(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return "", Reason(err)
	}
	if int64(len(text)) > maxBytes {
		return "", fmt.Errorf("it is larger than the limit of %d MiB", maxBytes>>20)
	}
	return string(text), nil
}

// Reason returns what the system says went wrong, without the operation and the
// path, which the caller's message names as its reader wrote it.
func Reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
