package graphfiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/files"
)

// UnreviewedDir is the folder of what only agents have seen, in the folder of saved graphs:
// a file for each name, with a line for each revision.
const UnreviewedDir = ".unreviewed"

// maxUnreviewed is the size in bytes of the largest list of revisions that is read.
const maxUnreviewed = 64 << 20

func (g *Graphs) unreviewedPath(name string) string {
	return filepath.Join(g.dir, UnreviewedDir, name)
}

// unreviewed lists the revisions of a graph that agents have saved and nobody has reviewed.
func (g *Graphs) unreviewed(name string) ([]string, error) {
	b, err := files.Read(g.unreviewedPath(name), maxUnreviewed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return strings.Fields(string(b)), err
}

// Unreviewed reports whether an agent has saved a revision of a graph that no person has
// saved or reviewed since. A list that cannot be read has all revisions. What is written by
// hand is a person's.
func (g *Graphs) Unreviewed(name, revision string) bool {
	if checkName(name) != nil {
		return false
	}
	list, err := g.unreviewed(name)
	return err != nil || slices.Contains(list, revision)
}

// Review takes note that a person has looked at a revision of a saved graph.
//
// Faults: graphs-busy, not-saved.
func (g *Graphs) Review(name, revision string) *diag.Fault {
	unlock, f := g.lock()
	if f != nil {
		return f
	}
	defer unlock()
	if err := g.noteAuthor(name, revision, false); err != nil {
		return notSaved(name, err)
	}
	return nil
}

// noteAuthor takes note of who has saved a revision, or reviewed it. The caller holds the
// lock.
func (g *Graphs) noteAuthor(name, revision string, agent bool) error {
	list, err := g.unreviewed(name)
	if err != nil {
		return err
	}
	if slices.Contains(list, revision) == agent {
		return nil
	}
	if agent {
		list = append(list, revision)
	} else {
		list = slices.DeleteFunc(list, func(r string) bool { return r == revision })
	}
	path := g.unreviewedPath(name)
	if len(list) == 0 {
		return os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return put(path, []byte(strings.Join(list, "\n")+"\n"), 0o644)
}
