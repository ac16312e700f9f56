// Package files reads and writes the files that people name, and says why one cannot
// be. It knows nothing of what is in them and imports nothing of ours.
package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OpenAtOnce are the flags with which a file is opened to be read, without waiting for
// whoever would write to it if it were a pipe. What it is must be looked at once it is
// open: before, it could be replaced.
const OpenAtOnce = os.O_RDONLY | syscall.O_NONBLOCK

// Read returns the bytes of a regular file of at most so many. It refuses any other
// file, which might never end. The errors do not name the path.
func Read(path string, maxBytes int64) ([]byte, error) {
	f, err := os.OpenFile(path, OpenAtOnce, 0)
	if err != nil {
		return nil, Reason(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return ReadOpen(f, maxBytes)
}

// ReadOpen is [Read] for a file that was opened with [OpenAtOnce].
func ReadOpen(f fs.File, maxBytes int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	var text bytes.Buffer
	text.Grow(int(min(info.Size(), maxBytes)) + bytes.MinRead)
	if _, err := text.ReadFrom(io.LimitReader(f, maxBytes+1)); err != nil {
		return nil, Reason(err)
	}
	if int64(text.Len()) > maxBytes {
		return nil, fmt.Errorf("it is larger than the limit of %d MiB", maxBytes>>20)
	}
	return text.Bytes(), nil
}

// ReadText is [Read] for a text.
func ReadText(path string, maxBytes int64) (string, error) {
	text, err := Read(path, maxBytes)
	return string(text), err
}

// OpenRoot opens a folder. Anything else in its place, such as a pipe, is refused
// before it is opened.
func OpenRoot(dir string) (*os.Root, error) {
	return os.OpenRoot(dir + string(filepath.Separator) + ".")
}

// A Tree is the file system of a folder. It opens files with [OpenAtOnce].
type Tree struct{ *os.Root }

// Open opens a file to be read.
func (t Tree) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return t.OpenFile(name, OpenAtOnce, 0)
}

// Reason returns what the system says went wrong, without the operation and the
// path, which the caller's message names as its reader wrote it.
func Reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// Unchanged reports whether what was seen of a file, nil if there was none, says that it
// is as it was.
func Unchanged(before, now fs.FileInfo) bool {
	if before == nil || now == nil {
		return before == nil && now == nil
	}
	return os.SameFile(before, now) && before.ModTime().Equal(now.ModTime()) && before.Size() == now.Size()
}

// Real returns the absolute path without the symbolic links of a path, as far as it exists.
func Real(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	rest := ""
	for {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(path)
		if parent == path {
			return filepath.Join(path, rest)
		}
		path, rest = parent, filepath.Join(filepath.Base(path), rest)
	}
}

// Within reports whether a path leads into a folder, or is it; links are followed.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(Real(dir), Real(path))
	return dir != "" && err == nil && filepath.IsLocal(rel)
}

// Hash returns the SHA-256 of a text, in hexadecimal.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
