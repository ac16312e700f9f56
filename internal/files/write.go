package files

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/rogpeppe/go-internal/robustio"
)

// maxShared is the largest file that [Update] reads, in bytes.
const maxShared = 256 << 20

// maxLinks is how many symbolic links a path may lead through, as in Linux.
const maxLinks = 40

// Write replaces the file as a whole or not at all, on Windows too. A symbolic link is
// followed and stays a link. The mode of an existing file stays, and its owner where the
// system allows it. What is not a regular file, such as a pipe, is written to; a pipe
// that nobody reads is an error.
func Write(path string, data []byte, perm fs.FileMode) (err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return writeInto(path, data)
	}
	exists := err == nil
	if path, err = target(path); err != nil {
		return err
	}
	if exists {
		perm = info.Mode().Perm()
	}
	f, err := createTemp(path, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if exists {
		if err := f.Chmod(perm); err != nil {
			return err
		}
		keepOwner(f, info)
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil { // else a crash could leave an empty file
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	// Not os.Rename alone: on Windows, a program that reads the file just now makes it fail.
	return robustio.Rename(f.Name(), path)
}

// writeInto writes to what is not a regular file.
func writeInto(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// createTemp creates a file in the folder of path, with the mode that the umask leaves.
func createTemp(path string, perm fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(path)
	for {
		name := dir + "." + base + "-" + strconv.FormatUint(rand.Uint64(), 36)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// target returns the path that symbolic links lead to, where nothing needs to be yet.
func target(path string) (string, error) {
	for range maxLinks {
		dir, base := filepath.Split(path) // not Dir, which removes "a/.." though a may be a link
		dir, err := filepath.EvalSymlinks(dir + ".")
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, base)
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // it is not a link
		}
		if !filepath.IsAbs(to) {
			to = dir + string(filepath.Separator) + to
		}
		path = to
	}
	return "", &fs.PathError{Op: "write", Path: path, Err: errors.New("too many symbolic links")}
}

// Update changes a file that processes share: it takes the file's lock, reads the file
// (nil if there is none), and writes what change returns. Nil data and a nil error leave
// the file as it is. It creates the folder, for this user alone.
func Update(path string, perm fs.FileMode, change func(old []byte) ([]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	release, err := Lock(path)
	if err != nil {
		return err
	}
	defer release()
	old, err := Read(path, maxShared)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "read", Path: path, Err: err}
	}
	data, err := change(old)
	if err != nil || data == nil || old != nil && bytes.Equal(old, data) {
		return err
	}
	return Write(path, data, perm)
}
