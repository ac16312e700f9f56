package packs

import (
	"io/fs"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

// A packFile is one file, read as graphs are: in the data model of JSON, with the
// place of every value.
type packFile struct {
	name  string
	doc   *graph.Document // nil when it cannot be read
	data  any             // its value, numbers as json.Number
	found []Finding
}

func (f *packFile) unreadable(err error) *packFile {
	f.found = append(f.found, violation(ruleUnreadableFile, "", err.Error(), ""))
	return f
}

// readPackFile reads a file of one YAML or JSON document.
func readPackFile(fsys fs.FS, name string) *packFile {
	f := &packFile{name: name}
	text, err := readLimited(fsys, name)
	if err != nil {
		return f.unreadable(err)
	}
	doc, found := graph.Parse(name, text)
	for _, d := range found {
		if d.Code == "wrong-shape" && doc != nil && doc.Root.Is(graph.Array) {
			continue // a list of nodes
		}
		if d.Code == "empty-document" || d.Code == "wrong-shape" { // a graph is a map, too, but another
			d.Hint = "write a node, or {nodes: […]}"
		}
		f.found = append(f.found, Finding{
			Line: d.Range.Start.Line, Column: d.Range.Start.Column, Path: d.Path,
			Code: d.Code, Severity: d.Severity, Message: d.Message, Hint: d.Hint,
		})
	}
	if doc == nil || HasErrors(f.found) {
		return f
	}
	if err := plainjson.Decode(doc.Root.JSON(), &f.data); err != nil {
		return f.unreadable(err)
	}
	f.doc = doc
	return f
}

func readLimited(fsys fs.FS, name string) ([]byte, error) {
	r, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // only read
	return files.ReadOpen(r, maxPackFile)
}

// place is where a pointer leads: the key of a member, else the value; or the
// nearest place above it.
func (f *packFile) place(path string) (line, column int) {
	if f.doc == nil {
		return 0, 0
	}
	for {
		at := f.doc.Root.At(path)
		i := strings.LastIndexByte(path, '/')
		if i >= 0 {
			if key := f.doc.Root.At(path[:i]).Key(diag.UnescapePointer(path[i+1:])); key.Exists() {
				at = key
			}
		}
		if at.Exists() {
			start := at.Range().Start
			return start.Line, start.Column
		}
		if i < 0 {
			return 0, 0
		}
		path = path[:i]
	}
}
