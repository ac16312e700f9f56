package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/robustio"
)

// A Folder is the path of a folder that may have come from elsewhere, with a repository for
// example. Its methods take slash-separated paths below it and reach nothing else: a
// symbolic link in place of a folder is an error, and one in place of a file is not
// followed to be written.
type Folder string

// in calls f with the folder, after it has looked for links in place of the folders of name.
func (d Folder) in(name string, f func(*os.Root) error) error {
	root, err := OpenRoot(string(d))
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing is written to it
	for i, c := range name {
		if info, err := root.Lstat(name[:i]); c == '/' && err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s in its folder is a symbolic link, which is not followed: remove the link", name[:i])
		}
	}
	return f(root)
}

// Read is the function [Read] for a file, which must not be a link.
func (d Folder) Read(name string, maxBytes int64) (text []byte, err error) {
	err = d.in(name+"/", func(root *os.Root) error {
		f, err := root.OpenFile(name, OpenAtOnce, 0)
		if err != nil {
			return Reason(err)
		}
		defer f.Close() //nolint:errcheck // nothing was written
		text, err = ReadOpen(f, maxBytes)
		return err
	})
	return text, err
}

// List returns the entries of a folder below.
func (d Folder) List(name string) (list []fs.DirEntry, err error) {
	err = d.in(name+"/", func(root *os.Root) error {
		list, err = fs.ReadDir(root.FS(), name)
		return err
	})
	return list, err
}

// Write replaces a file as a whole or not at all, and makes the folders that it is in. The
// mode and the owner of an existing file stay as in the function [Write].
func (d Folder) Write(name string, data []byte, perm fs.FileMode) error {
	return d.in(name, func(root *os.Root) error {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		before, err := root.Lstat(name)
		if err != nil || !before.Mode().IsRegular() {
			before = nil
		} else {
			perm = before.Mode().Perm()
		}
		temp := path.Join(path.Dir(name), "."+path.Base(name)+"-"+strconv.FormatUint(rand.Uint64(), 36))
		f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if err != nil {
			return err
		}
		if err = fill(f, data, before); err == nil {
			err = rename(root, temp, name)
		}
		if err != nil {
			_ = root.Remove(temp)
		}
		return err
	})
}

// Move renames a file, and makes the folders that it goes into. One that is not there is
// no error.
func (d Folder) Move(from, to string) error {
	return d.in(to, func(root *os.Root) error {
		err := root.MkdirAll(path.Dir(to), 0o755)
		if err == nil {
			err = rename(root, from, to)
		}
		return unlessNone(err)
	})
}

// Remove removes a file, if it is there.
func (d Folder) Remove(name string) error {
	return unlessNone(d.in(name, func(root *os.Root) error { return root.Remove(name) }))
}

func unlessNone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// rename tries again while a program that reads the file on Windows makes it fail.
func rename(root *os.Root, from, to string) (err error) {
	for range 100 {
		if err = root.Rename(from, to); err == nil || !robustio.IsEphemeralError(err) || errors.Is(err, fs.ErrNotExist) {
			break
		}
		time.Sleep(lockPoll)
	}
	return err
}

// Lock is the function [Lock] for the path of a name in the folder. It follows no link.
func (d Folder) Lock(name string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), LockWait)
	defer cancel()
	return lockBeside(ctx, filepath.Join(string(d), name))
}
