package config

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/internal/files"
)

//go:embed starter.yaml
var starter string

// Init writes a patchbay.yaml into dir that explains every setting and changes none. It
// returns the path of the file, or "" if there was one, which is never touched.
func Init(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("folder %s: %w", dir, files.Reason(err))
	}
	path := filepath.Join(dir, FileName)
	switch err := create(path, starter); {
	case errors.Is(err, fs.ErrExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("file %s: %w", path, files.Reason(err))
	}
	return path, nil
}

// create writes a file that must not exist yet.
func create(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
