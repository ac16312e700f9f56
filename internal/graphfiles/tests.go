package graphfiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/files"
)

// testsExtension is what follows the name of a graph in the name of its tests' file.
const testsExtension = ".test.yaml"

// TestsPath is where the tests of a graph are, if it has any: next to it.
func (g *Graphs) TestsPath(name string) string { return filepath.Join(g.dir, name+testsExtension) }

// deletedTests is where the tests of a deleted graph are.
func (g *Graphs) deletedTests(name string) string {
	return filepath.Join(g.dir, historyDir, name, name+testsExtension)
}

// Tests returns the text of the tests of a graph, "" if it has none. If deleted is set,
// these are the tests that it had when it was deleted.
func (g *Graphs) Tests(name string, deleted bool) (string, *diag.Fault) {
	path := g.TestsPath(name)
	if deleted {
		path = g.deletedTests(name)
	}
	if checkName(name) != nil {
		return "", nil
	}
	text, err := files.ReadText(path, graph.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		f := diag.Faultf("bad-test", "the tests of graph %q cannot be read: %w", name, err)
		f.Hint = "repair or remove " + filepath.Base(path) + " in the folder of saved graphs"
		return "", f
	}
	return text, nil
}

// writeTests replaces the tests of a graph; "" removes them. The caller holds the lock.
func (g *Graphs) writeTests(name, text string) error {
	if text == "" {
		if err := os.Remove(g.TestsPath(name)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return put(g.TestsPath(name), []byte(text), 0o644)
}

// putAwayTests moves the tests of a graph that is deleted to its history, so that they
// are not those of the next graph of that name. The caller holds the lock.
func (g *Graphs) putAwayTests(name string) error {
	to := g.deletedTests(name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(g.TestsPath(name), to); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
