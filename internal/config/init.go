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

// Init makes dir ready for Patchbay: a commented patchbay.yaml and the graphs
// folder it names. It returns the paths of what it made, none if all was there:
// what exists is never touched.
func Init(dir string) ([]string, error) {
	var made []string
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("folder %s: %w", dir, files.Reason(err))
	}
	path := filepath.Join(dir, FileName)
	switch err := create(path, starter); {
	case err == nil:
		made = append(made, path)
	case !errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("file %s: %w", path, files.Reason(err))
	}
	graphs := filepath.Join(dir, "graphs")
	switch err := os.Mkdir(graphs, 0o755); {
	case err == nil:
		made = append(made, graphs)
	case !errors.Is(err, fs.ErrExist):
		return made, fmt.Errorf("folder %s: %w", graphs, files.Reason(err))
	}
	return made, nil
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
