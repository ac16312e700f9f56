package graphfiles

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/files"
)

// testsExtension is what follows the name of a graph in the name of its tests' file.
const testsExtension = ".test.yaml"

// TestsPath is where the tests of a graph are, if it has any: next to it.
func (g *Graphs) TestsPath(name string) string { return filepath.Join(g.dir, name+testsExtension) }

// deletedTests is the file of the tests of a deleted graph.
func deletedTests(name string) string { return historyDir + "/" + name + "/" + name + testsExtension }

// Tests returns the text of the tests of a graph, "" if it has none. If deleted is set,
// these are the tests that it had when it was deleted.
func (g *Graphs) Tests(name string, deleted bool) (string, *diag.Fault) {
	file := name + testsExtension
	if deleted {
		file = deletedTests(name)
	}
	if checkName(name) != nil {
		return "", nil
	}
	text, err := files.Folder(g.dir).Read(file, graph.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", diag.Faultf("bad-test", "the tests of graph %q cannot be read: %w", name, err).
			WithHint("repair or remove " + path.Base(file) + " in the folder of saved graphs")
	}
	return string(text), nil
}

// writeTests replaces the tests of a graph; "" removes them. The caller holds the lock.
func (g *Graphs) writeTests(name, text string) error {
	if text == "" {
		return files.Folder(g.dir).Remove(name + testsExtension)
	}
	return files.Folder(g.dir).Write(name+testsExtension, []byte(text), 0o644)
}

// putAwayTests moves the tests of a graph that is deleted to its history, so that they
// are not those of the next graph of that name. The caller holds the lock.
func (g *Graphs) putAwayTests(name string) error {
	return errors.Join(files.Folder(g.dir).Remove(deletedTests(name)), files.Folder(g.dir).Move(name+testsExtension, deletedTests(name)))
}
