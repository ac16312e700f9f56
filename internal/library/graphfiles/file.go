package graphfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

var (
	ruleOneTool  = diag.Define("saved-one-tool", diag.Error, "The file of a saved graph defines no tool, or several and none has the name of the file.")
	ruleFileName = diag.Define("saved-name", diag.Error, "The name of a saved graph is not the name of its file without the extension.")
	ruleExpose   = diag.Define("saved-expose", diag.Error, "The value of expose in a saved graph is not true or false.")
)

// settling is how old a file must be before its time is trusted to tell a later
// change: a second one within the clock's step would go unseen.
const settling = 2 * time.Second

// load returns the graph of a file, or what is wrong with it, or neither if it
// is gone. Files that have not changed are not read again.
func (g *Graphs) load(path string) (*Graph, *Broken) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	broken := &Broken{Name: stem(path), Path: path}
	if err != nil {
		return nil, broken.because("%w", files.Reason(err))
	}
	g.mu.Lock()
	known, ok := g.cache[path]
	g.mu.Unlock()
	if ok && known.is(info) {
		return known.graph, known.broken
	}
	if f := checkName(stem(path)); f != nil {
		broken.because("%s", f.Message).Fault.Hint = "rename the file"
		return nil, broken
	}
	text, err := files.ReadText(path, graph.MaxBytes)
	if err != nil {
		return nil, broken.because("%w", err)
	}
	entry := cached{size: info.Size(), modified: info.ModTime(), settled: time.Since(info.ModTime()) > settling}
	if entry.graph = known.graph; entry.graph == nil || entry.graph.Src != text || !entry.graph.Modified.Equal(info.ModTime()) || entry.graph.real != files.Real(path) {
		if entry.graph, entry.broken = read(path, text); entry.graph != nil {
			entry.graph.Modified = info.ModTime()
		}
	}
	g.mu.Lock()
	g.cache[path] = entry
	g.mu.Unlock()
	return entry.graph, entry.broken
}

// known returns the graph of the file NAME.yaml, without listing the folder, if the file
// is as it was when it was last read. No other file comes before it. Otherwise it
// returns nil.
func (g *Graphs) known(name string) *Graph {
	path := filepath.Join(g.dir, name+extensions[0])
	g.mu.Lock()
	known := g.cache[path]
	g.mu.Unlock()
	if !known.settled || known.graph == nil || known.graph.Name != name {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || !known.is(info) {
		return nil
	}
	return known.graph
}

// is reports whether a file has not changed since it was read.
func (c *cached) is(info fs.FileInfo) bool {
	return c.settled && c.size == info.Size() && c.modified.Equal(info.ModTime())
}

var CodeBrokenGraph = diag.DefineFault("broken-graph", diag.RefusesRequest, "the file of a saved graph cannot be used", "correct the file that the message names")

// because says why a file cannot be served.
func (b *Broken) because(format string, args ...any) *Broken {
	b.Fault = diag.Faultf(CodeBrokenGraph, "saved graph %q cannot be used: %w", b.Name, fmt.Errorf(format, args...))
	b.Fault.Hint = "repair or remove " + filepath.Base(b.Path) + " in the folder of saved graphs"
	return b
}

// read makes a Graph of a file's text, or says what is wrong with it.
func read(path, text string) (*Graph, *Broken) {
	name := stem(path)
	doc, list := graph.Parse(path, text)
	out := &Graph{Name: name, Src: text, Doc: doc, Revision: graph.Revision(text), Path: path, hash: files.Hash(text), real: files.Real(path)}
	if doc != nil && !list.HasErrors() {
		if tool := mainTool(doc, name, &list); tool != nil && tool.Name.Exists() && tool.Name.Text() != name {
			given := tool.Name
			d := list.Report(ruleFileName, given.Path(), given.Range(), "the graph is named %q, its file %q", diag.Excerpt(given.Text()), filepath.Base(path))
			d.Hint = "rename the file or the graph"
			d.Offer(given.Replace(`rename to "`+name+`"`, name))
		}
		switch v := doc.Tree().Expose; v.Kind() {
		case graph.Absent, graph.Null:
		case graph.Boolean:
			on := v.Bool()
			out.Expose = &on
		default:
			list.Report(ruleExpose, v.Path(), v.Range(), "expose is %s, not a boolean", v.Kind()).Hint = "write true or false"
		}
	}
	for _, d := range list {
		if d.Severity == diag.Error {
			b := &Broken{Name: name, Path: path, Src: text, Diagnostics: list}
			if !d.Range.IsZero() {
				return nil, b.because("line %d: %s", d.Range.Start.Line, d.Message)
			}
			return nil, b.because("%s", d.Message)
		}
	}
	out.names = out.ToolNames()
	out.whole = slices.DeleteFunc(slices.Clone(out.names), doc.IsPart)
	return out, nil
}

// mainTool returns the tool that the file of a saved graph is named after: the only
// one, or the one of that name. If there is none, it reports that and returns nil.
func mainTool(doc *graph.Document, name string, list *diag.List) *graph.Tool {
	tools := doc.Tools()
	switch {
	case len(tools) == 1:
		return tools[0]
	case len(tools) == 0:
		list.Report(ruleOneTool, "", diag.Range{}, "the document defines no tool").Hint = "write one tool with its nodes"
		return nil
	}
	if t := named(tools, name); t != nil {
		return t
	}
	d := list.Report(ruleOneTool, "/tools", tools[1].Range(), "the document defines %d tools, and none is named %q", len(tools), diag.Excerpt(name))
	d.Hint = "name the file after one of its tools"
	return nil
}

func named(tools []*graph.Tool, name string) *graph.Tool {
	for _, t := range tools {
		if t.Name.Text() == name {
			return t
		}
	}
	return nil
}

// Tool returns the tool that the graph is named after.
func (g *Graph) Tool() *graph.Tool { return g.Named(g.Name) }

// Named returns the tool of that name, or nil. The only tool of a file needs no name.
func (g *Graph) Named(name string) *graph.Tool {
	if tools := g.Doc.Tools(); len(tools) == 1 && name == g.Name {
		return tools[0]
	}
	return named(g.Doc.Tools(), name)
}

// ToolNames lists the tools of the file: that of its name first, the others as the
// document has them.
func (g *Graph) ToolNames() []string {
	if g.names != nil {
		return g.names
	}
	names := []string{g.Name}
	for _, t := range g.Doc.Tools() {
		if name := t.Name.Text(); name != "" && name != g.Name {
			names = append(names, name)
		}
	}
	return slices.Clip(names)
}

// WholeTools are the ToolNames that are not parts of a function.
func (g *Graph) WholeTools() []string { return g.whole }

// Needs reports whether a node of the graph calls a tool of a server, or another graph.
func (g *Graph) Needs() bool {
	return len(g.Doc.Calls()) > 0 || slices.ContainsFunc(g.Doc.Tools(), func(t *graph.Tool) bool {
		return slices.ContainsFunc(t.Nodes, func(n graph.Node) bool { return n.Has("server") })
	})
}
