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
// that no process reads is an error.
func Write(path string, data []byte, perm fs.FileMode) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return writeInto(path, data)
	}
	if path, err = target(path); err != nil {
		return err
	}
	if info != nil {
		perm = info.Mode().Perm()
	}
	f, err := createTemp(path, perm)
	if err != nil {
		return err
	}
	if err = fill(f, data, info); err == nil {
		// Not os.Rename alone: on Windows, a program that reads the file just now makes it fail.
		err = robustio.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// fill writes a new file and closes it. It gets the mode and the owner of the file that it
// is to replace, if there is one.
func fill(f *os.File, data []byte, before fs.FileInfo) (err error) {
	if before != nil {
		err = f.Chmod(before.Mode().Perm())
		keepOwner(f, before)
	}
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync() // else a crash could leave an empty file
	}
	return errors.Join(err, f.Close())
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
