package blobs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Files keeps blobs in a folder, which it makes. Several processes can share it.
func Files(dir string) Store { return files(dir) }

type files string

func (d files) path(hash string) string { return filepath.Join(string(d), hash[:2], hash) }

// Put implements [Store]. A blob is there as a whole, or not at all.
func (d files) Put(_ context.Context, hash string, b []byte) (err error) {
	path := d.path(hash)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Delete implements [Store].
func (d files) Delete(_ context.Context, hash string) error { return os.Remove(d.path(hash)) }

// Get implements [Store].
func (d files) Get(_ context.Context, hash string) ([]byte, error) {
	b, err := os.ReadFile(d.path(hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	return b, err
}
