package graphfiles

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// originsDir is the folder of the origins, in the folder of saved graphs.
const originsDir = ".origins"

// An Origin says where a graph was taken from.
type Origin struct {
	Source   string    `json:"source"`
	Commit   string    `json:"commit,omitempty"` // of a git repository
	SHA256   string    `json:"sha256"`           // of what was fetched
	Revision string    `json:"revision"`         // of the graph as it was saved then
	Added    time.Time `json:"added"`
}

func originFile(name string) string { return originsDir + "/" + name + ".json" }

// Origin returns where a saved graph was taken from, nil for one that was made here.
//
// Faults: broken-graph.
func (g *Graphs) Origin(name string) (*Origin, *diag.Fault) {
	if checkName(name) != nil {
		return nil, nil
	}
	b, err := files.Folder(g.dir).Read(originFile(name), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	o := &Origin{}
	if err == nil {
		err = formats.Origins.Decode(b, o)
	}
	if err != nil {
		return nil, diag.Faultf(CodeBrokenGraph, "the origin of graph %q cannot be read: %w", name, files.Reason(err)).WithHint("graphs add --force takes the graph anew")
	}
	return o, nil
}

// SetOrigin takes note of where a graph was taken from; nil forgets it.
//
// Faults: graphs-busy, not-saved.
func (g *Graphs) SetOrigin(name string, o *Origin) *diag.Fault {
	unlock, f := g.lock()
	if f != nil {
		return f
	}
	defer unlock()
	if err := g.writeOrigin(name, o); err != nil {
		return notSaved(name, err)
	}
	return nil
}

func (g *Graphs) writeOrigin(name string, o *Origin) error {
	if o == nil {
		return files.Folder(g.dir).Remove(originFile(name))
	}
	b, err := json.MarshalIndent(formats.Origins.Wrap(o), "", "  ")
	if err != nil {
		return err
	}
	return files.Folder(g.dir).Write(originFile(name), append(b, '\n'), 0o644)
}

// testsExtension is what follows the name of a graph in the name of its tests' file.
const testsExtension = ".test.yaml"

// TestsPath is where the tests of a graph are, if it has any: next to it.
func (g *Graphs) TestsPath(name string) string { return filepath.Join(g.dir, name+testsExtension) }

// deletedTests is the file of the tests of a deleted graph.
func deletedTests(name string) string { return historyDir + "/" + name + "/" + name + testsExtension }

var CodeBadTest = diag.DefineFault("bad-test", diag.RefusesRequest, "a test file cannot be read, or its graph cannot be found", "see [tests](tests.md#tests)")

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
		return "", diag.Faultf(CodeBadTest, "the tests of graph %q cannot be read: %w", name, err).
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
