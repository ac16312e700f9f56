// Package graphfiles keeps saved graphs, one text file each, written atomically, with
// their tests and their last revisions. It reads documents and compiles nothing.
package graphfiles

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// A Graph is one saved graph. It is not changed once returned.
type Graph struct {
	Name     string
	Src      string          // the file's text
	Doc      *graph.Document // Src, parsed: one of its tools has the name
	Revision string          // of Src
	Path     string
	Expose   *bool // the top-level key "expose" of the file; nil where it has none
	Modified time.Time

	names      []string // of the tools of a file that has been read
	whole      []string // of these, those that are not parts of a function
	hash, real string   // of Src, and the path without symbolic links: what approvals are about
}

// CallsServer reports whether a node of the graph calls a tool of a server.
func (g *Graph) CallsServer(server string) bool {
	return slices.ContainsFunc(g.Doc.Tools(), func(t *graph.Tool) bool {
		return slices.ContainsFunc(t.Nodes, func(n graph.Node) bool { return n.Get("server").Text() == server && n.Has("tool") })
	})
}

// A Broken file is one in the graphs directory that cannot be served.
type Broken struct {
	Name        string // what the graph would be called
	Path        string
	Src         string      // "" if it could not be read
	Diagnostics diag.List   // why, if it could be read
	Fault       *diag.Fault // why, in one sentence
}

// Graphs are the saved graphs of one directory: a file <name>.yaml each (.yml
// and .json are read too). Files may come, change and go at any time; several
// processes may share the directory. It is safe for concurrent use.
type Graphs struct {
	dir       string
	approvals Approvals

	signed   formats.Shared[signatures]
	noLegacy atomic.Bool // the folder had no legacyDir when it was last listed

	mu      sync.Mutex
	cache   map[string]cached // by path
	seen    listing
	told    bool                  // somebody watches the folder, and calls Touched
	touched map[string]bool       // files that may have changed since the listing
	pins    map[string]cachedPins // by name
}

// FewGraphs is how many graphs are read, described and indexed together. Of more, a change
// costs what changed.
const FewGraphs = 200

// lookEvery is how long a listing of more graphs holds while the time of the folder stays the
// same. After it, List notices a file that another program has written over in place. Where
// the folder is watched it is lookTold: the machine that shares it may not tell all changes.
const lookEvery, lookTold = time.Second, 30 * time.Second

// tick is how exact the times of files are: of two changes within it, the second may not
// show in the time of a folder.
const tick = 20 * time.Millisecond

// A listing is what the folder had when it was looked at.
type listing struct {
	at     time.Time // zero: it has to be looked at
	folder time.Time // when the folder had changed last
	linked bool      // files elsewhere are among them
	graphs []*Graph
	broken []*Broken
}

// cached is what a file was found to hold when it had that size and time.
type cached struct {
	size     int64
	modified time.Time
	settled  bool // a later change would show in size or modified
	graph    *Graph
	broken   *Broken
}

// extensions are those of graph files, the one that is written first.
var extensions = []string{".yaml", ".yml", ".json"}

// OpenGraphs returns the saved graphs of a directory, which need not exist
// before the first save. It fails if dir is something else than a directory or
// cannot be read.
func OpenGraphs(dir string) (*Graphs, error) {
	g := &Graphs{dir: dir, cache: map[string]cached{}, pins: map[string]cachedPins{}}
	g.UseApprovals(Approvals{})
	f, err := openFolder(dir)
	if err == nil {
		_, err = f.Readdirnames(1)
		_ = f.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, io.EOF) {
		return nil, unreadable(dir, err)
	}
	return g, nil
}

// openFolder opens a folder, and nothing else: to open a pipe would wait for its other end.
func openFolder(dir string) (*os.File, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: dir, Err: errors.New("not a directory")}
	}
	if err != nil {
		return nil, err
	}
	return os.Open(dir)
}

// Dir is the directory.
func (g *Graphs) Dir() string { return g.dir }

// List returns the saved graphs and the files that cannot be served, both
// sorted by name. A directory that cannot be read is one broken file. Of many graphs, a change
// by another program is there after a second at most. The lists must not be changed.
func (g *Graphs) List() ([]*Graph, []*Broken) {
	info, err := os.Stat(g.dir)
	if err != nil {
		return g.look()
	}
	g.mu.Lock()
	seen, touched, every := g.seen, g.touched, lookEvery
	if g.told && !seen.linked {
		every = lookTold
	}
	g.touched = nil
	g.mu.Unlock()
	fresh := len(seen.graphs) > FewGraphs && time.Since(seen.at) < every && seen.folder.Equal(info.ModTime())
	for path := range touched {
		fresh = fresh && seen.has(g.load(path))
	}
	if fresh {
		return seen.graphs, seen.broken
	}
	began := time.Now()
	seen = listing{folder: info.ModTime()}
	seen.graphs, seen.broken = g.look()
	if began.Sub(seen.folder) > tick {
		seen.at = began
	}
	dir := files.Real(g.dir)
	seen.linked = slices.ContainsFunc(seen.graphs, func(one *Graph) bool { return one.real != filepath.Join(dir, filepath.Base(one.Path)) }) ||
		slices.ContainsFunc(seen.broken, func(b *Broken) bool { return isLink(b.Path) })
	g.mu.Lock()
	g.seen = seen
	g.mu.Unlock()
	return seen.graphs, seen.broken
}

// has reports whether a graph that has just been read is in the listing.
func (l *listing) has(now *Graph, _ *Broken) bool {
	if now == nil {
		return false
	}
	i, found := slices.BinarySearchFunc(l.graphs, now.Name, byName)
	return found && l.graphs[i] == now
}

func byName(a *Graph, name string) int { return cmp.Compare(a.Name, name) }

// Watched says that somebody watches the folder from now on, and calls [Graphs.Touched] for
// each file that changes, or no longer does.
func (g *Graphs) Watched(is bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.told != is {
		g.told, g.seen = is, listing{}
	}
}

// Touched says that a file may have changed; "" is any.
func (g *Graphs) Touched(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case path == "":
		g.seen = listing{}
	case IsDocument(path) && !isTests(path):
		if g.touched == nil {
			g.touched = map[string]bool{}
		}
		g.touched[filepath.Join(g.dir, filepath.Base(path))] = true
	}
}

// replaced puts a graph into the listing that this process has just saved; nil for any
// other change means that the folder has to be looked at.
func (g *Graphs) replaced(now *Graph) {
	info, err := os.Stat(g.dir)
	g.mu.Lock()
	defer g.mu.Unlock()
	if now == nil || err != nil || g.seen.at.IsZero() || slices.ContainsFunc(g.seen.broken, func(b *Broken) bool { return b.Name == now.Name }) {
		g.seen = listing{}
		return
	}
	i, found := slices.BinarySearchFunc(g.seen.graphs, now.Name, byName)
	graphs := slices.Clone(g.seen.graphs)
	if found {
		graphs[i] = now
	} else {
		graphs = slices.Insert(graphs, i, now)
	}
	g.seen.graphs, g.seen.folder = graphs, info.ModTime()
}

// look reads the folder.
func (g *Graphs) look() ([]*Graph, []*Broken) {
	files, broken, err := g.files()
	if err != nil {
		return nil, []*Broken{{Path: g.dir, Fault: diag.Faultf(CodeBrokenGraph, "%w", err)}}
	}
	var list []*Graph
	for _, path := range files {
		graph, bad := g.load(path)
		switch {
		case graph != nil:
			list = append(list, graph)
		case bad != nil:
			broken = append(broken, bad)
		}
	}
	g.forget(files)
	slices.SortFunc(broken, func(a, b *Broken) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path)) })
	return list, broken
}

// More reports whether more than n files of graphs are in the folder. It reads no more names
// than it has to.
func (g *Graphs) More(n int) bool {
	f, err := openFolder(g.dir) // [Graphs.List] says why it cannot be read
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	for err == nil {
		var names []string
		names, err = f.Readdirnames(FewGraphs)
		for _, name := range names {
			if IsDocument(name) && !isTests(name) {
				if n--; n < 0 {
					return true
				}
			}
		}
	}
	return false
}

// Get returns the saved graph of that name, or the fault unknown-graph with the
// nearest names, or broken-graph.
func (g *Graphs) Get(name string) (*Graph, *diag.Fault) {
	if graph := g.known(name); graph != nil {
		return graph, nil
	}
	if path := filepath.Join(g.dir, name+extensions[0]); checkName(name) == nil && g.isThere(path) {
		if graph, broken := g.load(path); graph != nil {
			return graph, nil
		} else if broken != nil {
			return nil, broken.Fault
		}
	}
	files, _, err := g.files()
	if err != nil {
		return nil, diag.Faultf(CodeBrokenGraph, "%w", err)
	}
	if path := fileNamed(files, name); path != "" {
		graph, broken := g.load(path)
		if graph != nil {
			return graph, nil
		}
		if broken != nil {
			return nil, broken.Fault
		}
	}
	return nil, unknown(name, files)
}

// Find returns the saved graph of that name, or the one whose document has a tool of
// that name, and the tool. Its faults are those of [Graphs.Get].
func (g *Graphs) Find(name string) (*Graph, *graph.Tool, *diag.Fault) {
	own, fault := g.Get(name)
	if fault == nil {
		tool := own.Tool()
		return own, tool, nil
	}
	if fault.Code == diag.CodeUnknownGraph {
		list, _ := g.List()
		for _, one := range list {
			if tool := one.Named(name); tool != nil {
				return one, tool, nil
			}
		}
	}
	return nil, nil, fault
}

// unknown is the fault of a name that no file has.
func unknown(name string, files []string) *diag.Fault {
	names := lists.Each(files, stem)
	return Unknown(name, names)
}

// Unknown returns the fault of a graph that is not among those of these names.
func Unknown(name string, names []string) *diag.Fault {
	f := diag.Faultf(diag.CodeUnknownGraph, "there is no saved graph %q", diag.Excerpt(name))
	f.Path, f.Got = "/name", diag.Excerpt(name)
	f.Suggestions = diag.Closer(name, names, 5)
	switch {
	case len(f.Suggestions) > 0:
		f.Hint = fmt.Sprintf("did you mean %q?", f.Suggestions[0])
	case len(names) > 0:
		f.Hint = "the saved graphs are " + diag.OneOf(names, 10)
	default:
		f.Hint = "no graphs are saved yet; save one first"
	}
	return f
}

// files returns the paths of the graph files, sorted by name, one per name, and
// those whose name is taken by another.
func (g *Graphs) files() ([]string, []*Broken, error) {
	entries, err := os.ReadDir(g.dir)
	if err != nil {
		g.noLegacy.Store(false)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, unreadable(g.dir, err)
	}
	type named struct{ stem, path string }
	var paths []named
	g.noLegacy.Store(!slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == legacyDir }))
	for _, e := range entries {
		if IsDocument(e.Name()) && !e.IsDir() && !isTests(e.Name()) {
			paths = append(paths, named{stem(e.Name()), filepath.Join(g.dir, e.Name())})
		}
	}
	slices.SortFunc(paths, func(a, b named) int {
		return cmp.Or(
			cmp.Compare(a.stem, b.stem),
			cmp.Compare(slices.Index(extensions, filepath.Ext(a.path)), slices.Index(extensions, filepath.Ext(b.path))))
	})
	var broken []*Broken
	var files []string
	for i, p := range paths {
		path := p.path
		if i == 0 || paths[i-1].stem != p.stem {
			files = append(files, path)
			continue
		}
		f := diag.Faultf(CodeBrokenGraph, "file %q is not used: %q contains the graph of that name", filepath.Base(path), filepath.Base(files[len(files)-1]))
		f.Hint = "remove or rename one of the two"
		broken = append(broken, &Broken{Name: stem(path), Path: path, Fault: f})
	}
	return files, broken, nil
}

func unreadable(dir string, err error) error {
	return fmt.Errorf("folder of saved graphs %s: %w", dir, files.Reason(err))
}

// IsDocument reports whether a file in a folder of graphs has a graph, or tests of one.
func IsDocument(file string) bool {
	return slices.Contains(extensions, filepath.Ext(file)) && !strings.HasPrefix(file, ".")
}

// isTests reports whether a file has the tests of a graph.
func isTests(file string) bool {
	return strings.HasSuffix(strings.TrimSuffix(file, filepath.Ext(file)), ".test")
}

// stem is the name a file gives its graph.
func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// fileNamed returns the path of exactly that name, or "".
func fileNamed(files []string, name string) string {
	for _, path := range files {
		if stem(path) == name {
			return path
		}
	}
	return ""
}

// forget drops from the cache what is no longer there.
func (g *Graphs) forget(files []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.cache) <= len(files) {
		return
	}
	kept := make(map[string]cached, len(files))
	for _, path := range files {
		if c, ok := g.cache[path]; ok {
			kept[path] = c
		}
	}
	g.cache = kept
}
