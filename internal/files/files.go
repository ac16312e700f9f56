// Package files reads texts that people name, and says why one cannot be read. It
// knows nothing of what is in them and imports nothing of ours.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadText returns the text of a regular file of at most so many bytes. It refuses
// any other file, which might never end. The errors do not name the path.
func ReadText(path string, maxBytes int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", Reason(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", Reason(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return "", Reason(err)
	}
	if int64(len(text)) > maxBytes {
		return "", fmt.Errorf("it is larger than the limit of %d MB", maxBytes>>20)
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
