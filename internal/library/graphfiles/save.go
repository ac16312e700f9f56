package graphfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// SaveOptions say what a save may do.
type SaveOptions struct {
	Overwrite bool    // replace a graph of that name
	Revision  string  // replace it only if this is its revision
	Expose    *bool   // what its key "expose" shall say; nil leaves it as it is
	Tests     *string // what its tests are to be, "" for none; nil leaves them as they are
	Pins      Pins    // of the tools that it uses; they replace those that it has
	Agent     bool    // an agent saves it: for a text that is new, it answers
	Restore   bool    // it is a former text: a person answers only if one did before
}

// Save stores src as the graph called name and returns it as stored. The text is
// kept with its comments and its order of keys; only the tool's name and, if
// need be, the key "expose" are written into it. The file is replaced as a
// whole or not at all; the text that it replaces is kept, see [Graphs.Revisions].
//
// Faults: invalid-name, invalid-document, already-exists, stale-revision,
// graphs-busy, not-saved.
func (g *Graphs) Save(name, src string, o SaveOptions) (*Graph, *diag.Fault) {
	if f := checkName(name); f != nil {
		return nil, f
	}
	unlock, f := g.lock()
	if f != nil {
		return nil, f
	}
	saved, f := func() (*Graph, *diag.Fault) {
		defer unlock()
		return g.save(name, src, o)
	}()
	g.replaced(saved) // after the lock, whose end changes the time of the folder
	return saved, f
}

// save is [Graphs.Save] under the lock.
func (g *Graphs) save(name, src string, o SaveOptions) (*Graph, *diag.Fault) {
	o.Agent = o.Agent || o.Restore && !g.hadPerson(name, src)
	path := filepath.Join(g.dir, name+extensions[0])
	var old *Graph
	var f *diag.Fault
	there := g.isThere(path)
	if !there {
		files, _, err := g.files()
		if err != nil {
			return nil, notSaved(name, err)
		}
		if other := fileNamed(files, name); other != "" {
			path, there = other, true
		} else {
			f = vacant(name, files, o)
		}
	}
	if there {
		old, f = g.replaceable(name, path, o)
	}
	if f != nil {
		return nil, f
	}
	text, f := fitted(name, src, o.Expose, old)
	if f != nil {
		return nil, f
	}
	if old == nil && isLink(path) {
		return nil, notSaved(name, errors.New("its file is a symbolic link that does not lead to a graph: remove the link, or choose another name"))
	}
	if old == nil || old.Src != text {
		if err := g.remember(name, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, notSaved(name, err)
		}
		g.trim(name, MaxRevisions-1)
	}
	sameText := old != nil && old.Src == text
	by, to := person, fileFor(path, text)
	if o.Agent {
		by = agent
	}
	if !o.Agent || !sameText {
		if err := g.sign(to, text, by); err != nil {
			return nil, notSaved(name, err)
		}
	}
	if err := write(path, to, text); err != nil {
		return nil, notSaved(name, err)
	}
	if err := g.writePins(name, o.Pins); err != nil {
		f := notSaved(name, err)
		f.Message = fmt.Sprintf("graph %q is saved, but the pins of its tools cannot be written: %v", name, err)
		return nil, f
	}
	if o.Tests != nil {
		if err := g.writeTests(name, *o.Tests); err != nil {
			f := notSaved(name, err)
			f.Message = fmt.Sprintf("graph %q is saved, but its tests cannot be written: %v", name, err)
			return nil, f
		}
	}
	saved, broken := g.load(to)
	switch {
	case broken != nil:
		return nil, broken.Fault
	case saved == nil:
		return nil, notSaved(name, errors.New("the file was deleted in the meantime"))
	case (!o.Agent || !sameText) && saved.Src != text: // it is read otherwise than written
		if err := g.sign(to, saved.Src, by); err != nil {
			return nil, notSaved(name, err)
		}
	}
	return saved, nil
}

// isThere reports whether a file that has been listed by this very name is still there: not
// every file system tells capitals apart.
func (g *Graphs) isThere(path string) bool {
	g.mu.Lock()
	_, listed := g.cache[path]
	g.mu.Unlock()
	_, err := os.Lstat(path)
	return listed && err == nil
}

// isLink reports whether a symbolic link is at path.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// fileFor is the path for a text in place of that of a former one: YAML does not go into a
// file that is called .json.
func fileFor(path, text string) string {
	if base, ok := strings.CutSuffix(path, ".json"); ok && !strings.HasPrefix(strings.TrimLeft(text, "\ufeff \t\r\n"), "{") {
		return base + extensions[0]
	}
	return path
}

// write puts text into the file to, as a whole or not at all and with the mode it had, in
// place of the one at path.
func write(path, to, text string) error {
	if err := files.Write(to, []byte(text), 0o644); err != nil {
		return err
	}
	if to != path {
		return os.Remove(path)
	}
	return nil
}

var (
	CodeAlreadyExists   = diag.DefineFault("already-exists", diag.RefusesRequest, "a graph of this name is saved", "`--overwrite`, or another name")
	codeInvalidDocument = diag.DefineFault("invalid-document", diag.RefusesRequest, "the text cannot be saved as a graph", "correct it as the message says")
)

// vacant checks that a new graph may be called name.
func vacant(name string, files []string, o SaveOptions) *diag.Fault {
	for _, path := range files {
		if other := stem(path); strings.EqualFold(other, name) {
			f := diag.Faultf(CodeAlreadyExists, "a graph named %q is saved, and %q differs only in capitals", other, name)
			f.Path, f.Hint, f.Suggestions = "/name", "choose another name, or use exactly "+other, []string{other}
			return f
		}
	}
	if o.Revision != "" {
		f := diag.Faultf(diag.CodeStaleRevision, "graph %q has no revision %q: it is not saved", name, diag.Excerpt(o.Revision))
		f.Path, f.Got, f.Hint = "/revision", diag.Excerpt(o.Revision), "leave revision out to save it as a new graph"
		return f
	}
	return nil
}

// replaceable checks that the graph at path may be replaced and returns it, nil
// if it cannot be read.
func (g *Graphs) replaceable(name, path string, o SaveOptions) (*Graph, *diag.Fault) {
	old, broken := g.load(path)
	if f := current(name, old, o.Revision); f != nil {
		return nil, f
	}
	if !o.Overwrite && o.Revision == "" && (old != nil || broken != nil) {
		f := diag.Faultf(CodeAlreadyExists, "a graph named %q is already saved", name)
		f.Path, f.Hint = "/name", "the argument overwrite replaces it, the argument name saves another"
		if old != nil {
			f.Got = old.Revision
			f.Hint += fmt.Sprintf(", or set the argument revision to %q", old.Revision)
		}
		return nil, f
	}
	return old, nil
}

// current checks a revision the caller has seen against the graph that is
// there, nil for one that cannot be read.
func current(name string, have *Graph, revision string) *diag.Fault {
	if revision == "" || have != nil && have.Revision == revision {
		return nil
	}
	f := diag.Faultf(diag.CodeStaleRevision, "graph %q has changed since revision %q", name, diag.Excerpt(revision))
	f.Path, f.Got, f.Hint = "/revision", diag.Excerpt(revision), "get it again and repeat the change on the current version"
	if have != nil {
		f.Want = have.Revision
	}
	return f
}

// fitted returns src with the graph's name and expose written into it. What
// neither the caller nor src says of expose is as in the graph it replaces.
func fitted(name, src string, expose *bool, old *Graph) (string, *diag.Fault) {
	if src != "" && !strings.HasSuffix(src, "\n") {
		src += "\n"
	}
	for _, edit := range []func(doc *graph.Document, tool *graph.Tool) diag.Fix{
		func(_ *graph.Document, tool *graph.Tool) diag.Fix {
			if tool.Name.Text() == name {
				return diag.Fix{}
			}
			return tool.Insert("", "name", name, "")
		},
		func(doc *graph.Document, _ *graph.Tool) diag.Fix {
			have := doc.Tree().Expose
			if expose == nil && old != nil && !have.Exists() {
				expose = old.Expose
			}
			if expose == nil || have.Is(graph.Boolean) && have.Bool() == *expose {
				return diag.Fix{}
			}
			return doc.Root.Insert("", "expose", *expose, after(doc))
		},
	} {
		doc, list := graph.Parse(name, src)
		var tool *graph.Tool
		if doc != nil {
			tool = mainTool(doc, name, &list)
		}
		if list.HasErrors() {
			first := list.With(diag.Error)[0]
			f := diag.Faultf(codeInvalidDocument, "the graph cannot be saved: %s", first.Message)
			f.Path, f.Hint = "/graph"+first.Path, first.Hint
			return "", f
		}
		src = diag.ApplyEdits(src, edit(doc, tool).Edits)
	}
	return src, nil
}

// after is the key after which expose reads best.
func after(doc *graph.Document) string {
	for _, key := range []string{"description", "name", "version"} {
		if doc.Root.Has(key) {
			return key
		}
	}
	return ""
}

// Delete removes a saved graph, if it has that revision; "" is any. A file that
// cannot be read as a graph is removed too, if no revision is asked for. Its text is
// kept, see [Graphs.Revisions].
//
// Faults: unknown-graph, stale-revision, graphs-busy, not-saved.
func (g *Graphs) Delete(name, revision string) *diag.Fault {
	if _, err := os.Stat(g.dir); errors.Is(err, fs.ErrNotExist) {
		return unknown(name, nil)
	}
	unlock, f := g.lock()
	if f != nil {
		return f
	}
	defer unlock()
	defer g.replaced(nil)
	files, _, err := g.files()
	if err != nil {
		return notSaved(name, err)
	}
	path := fileNamed(files, name)
	if path == "" {
		return unknown(name, files)
	}
	old, _ := g.load(path)
	if f := current(name, old, revision); f != nil {
		return f
	}
	if old != nil || !isLink(path) { // else it may lead to a file of another kind
		err = g.remember(name, path)
	}
	if err == nil {
		g.trim(name, MaxRevisions)
		err = os.Remove(path)
	}
	if err == nil {
		err = errors.Join(g.putAwayTests(name), g.writePins(name, nil), g.writeOrigin(name, nil))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return unknown(name, files)
	case err != nil:
		return notSaved(name, err)
	}
	return nil
}
