package graphfiles

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// MaxRevisions is how many texts of a saved graph are kept, the current one included.
const MaxRevisions = 20

// historyDir is the folder of former texts, in the folder of saved graphs: a folder for
// each name, with a file for each text. The names of the files give their order, and
// when the text was saved.
const historyDir = ".revisions"

const (
	historyFile = "%06d-%s-%s.yaml"
	historyTime = "20060102T150405Z"
)

var historyName = regexp.MustCompile(`^([0-9]{6,})-([0-9]{8}T[0-9]{6}Z)-([0-9a-f]{16})\.yaml$`)

// A Revision is a text that a saved graph has or had.
type Revision struct {
	ID    string    // as [graph.Revision] gives it
	Saved time.Time // when the text was written
}

// formerText is the file of a text that a graph had.
type formerText struct {
	Revision
	number int
	file   string // below the folder
}

// Revisions lists what is kept of a graph, the latest first. The first is the current
// text, unless the graph has been deleted. What cannot be read is left out.
func (g *Graphs) Revisions(name string) []Revision {
	if checkName(name) != nil {
		return nil
	}
	var list []Revision
	if now, fault := g.Get(name); fault == nil {
		list = append(list, Revision{now.Revision, now.Modified})
	}
	for _, f := range slices.Backward(g.history(name)) {
		if !slices.ContainsFunc(list, func(r Revision) bool { return r.ID == f.ID }) {
			list = append(list, f.Revision)
		}
	}
	return list[:min(len(list), MaxRevisions)]
}

var CodeUnknownRevision = diag.DefineFault("unknown-revision", diag.RefusesRequest, "the text of this revision of a saved graph is not kept, or its file was changed", "take one of the suggestions; `patchbay graphs show NAME --revisions` lists them")

// Revision returns a text that a graph has or had, by its revision or at least four
// characters of its beginning.
//
// Faults: unknown-graph, unknown-revision.
func (g *Graphs) Revision(name, id string) (Revision, string, *diag.Fault) {
	known := g.Revisions(name)
	if len(known) == 0 {
		_, fault := g.Get(name)
		return Revision{}, "", fault
	}
	meant := lists.Only(known, func(r Revision) bool { return r.ID == id || len(id) >= 4 && strings.HasPrefix(r.ID, id) })
	if len(meant) != 1 {
		return Revision{}, "", unknownRevision(name, id, known)
	}
	r := meant[0]
	if now, fault := g.Get(name); fault == nil && now.Revision == r.ID {
		return r, now.Src, nil
	}
	for _, f := range g.history(name) {
		if f.ID != r.ID {
			continue
		}
		if text, err := files.Folder(g.dir).Read(f.file, graph.MaxBytes); err == nil && graph.Revision(string(text)) == f.ID {
			return r, string(text), nil
		}
	}
	f := diag.Faultf(CodeUnknownRevision, "revision %s of graph %q cannot be read: its file was changed", r.ID, name)
	f.Path, f.Got, f.Hint = "/revision", r.ID, "take another revision"
	return Revision{}, "", f
}

func unknownRevision(name, id string, known []Revision) *diag.Fault {
	ids := lists.Each(known, func(r Revision) string { return r.ID })
	f := diag.Faultf(CodeUnknownRevision, "graph %q has no revision %q", name, diag.Excerpt(id))
	f.Path, f.Got, f.Suggestions = "/revision", diag.Excerpt(id), ids[:min(len(ids), 5)]
	f.Hint = fmt.Sprintf("its last %d revisions are kept; the latest is %s", MaxRevisions, ids[0])
	return f
}

// history lists the former texts of a graph, the oldest first.
func (g *Graphs) history(name string) []formerText {
	dir := historyDir + "/" + name
	entries, err := files.Folder(g.dir).List(dir)
	if err != nil {
		return nil // there is none, or it cannot be read: that must not keep the graph from being used
	}
	var list []formerText
	for _, e := range entries {
		m := historyName.FindStringSubmatch(e.Name())
		if m == nil || e.IsDir() {
			continue
		}
		number, errNumber := strconv.Atoi(m[1])
		saved, errTime := time.Parse(historyTime, m[2])
		if errNumber == nil && errTime == nil {
			list = append(list, formerText{Revision{m[3], saved}, number, dir + "/" + e.Name()})
		}
	}
	slices.SortFunc(list, func(a, b formerText) int { return a.number - b.number })
	return list
}

// remember keeps the text of the file at path among those that a graph had. A text that
// it had before is kept once. The caller holds the lock.
func (g *Graphs) remember(name, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	text, err := files.ReadText(path, graph.MaxBytes)
	if err != nil {
		return nil //nolint:nilerr // what cannot be read as text is not a graph's
	}
	list, id, next := g.history(name), graph.Revision(text), 1
	if n := len(list); n > 0 {
		if list[n-1].ID == id {
			return nil
		}
		next = list[n-1].number + 1
	}
	file := historyDir + "/" + name + "/" + fmt.Sprintf(historyFile, next, info.ModTime().UTC().Format(historyTime), id)
	if err := files.Folder(g.dir).Write(file, []byte(text), info.Mode().Perm()); err != nil {
		return err
	}
	for _, f := range list {
		if f.ID == id {
			_ = files.Folder(g.dir).Remove(f.file) // or it is listed twice, with the same text
		}
	}
	return nil
}

// trim deletes the oldest former texts of a graph, down to so many. The caller holds
// the lock.
func (g *Graphs) trim(name string, most int) {
	list := g.history(name)
	for _, f := range list[:max(0, len(list)-most)] {
		_ = files.Folder(g.dir).Remove(f.file) // it is deleted with the next one
	}
}
