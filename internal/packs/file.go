package packs

import (
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// A packFile is one file, read as graphs are: in the data model of JSON, with the
// place of every value.
type packFile struct {
	name  string
	doc   *graph.Document // nil when it cannot be read
	data  any             // its value, numbers as json.Number
	found []finding
}

type place struct{ line, column int }

// A finding is a [Finding] before it is placed.
type finding struct {
	file, path, code, message, hint string
	warning                         bool
	at                              place // where no path leads
}

func (f *packFile) fail(path, code, message, hint string) {
	f.found = append(f.found, finding{file: f.name, path: path, code: code, message: message, hint: hint})
}

// readPackFile reads a file of one YAML or JSON document.
func readPackFile(fsys fs.FS, name string) *packFile {
	f := &packFile{name: name}
	text, err := readLimited(fsys, name)
	if err != nil {
		f.fail("", "unreadable-file", err.Error(), "")
		return f
	}
	doc, found := graph.Parse(name, text)
	for _, d := range found {
		if d.Code == "empty-document" || d.Code == "wrong-shape" { // a graph is a map, too, but another
			d.Hint = "write a node, or {nodes: […]}"
		}
		f.found = append(f.found, finding{
			file: name, path: d.Path, code: d.Code, message: d.Message, hint: d.Hint, warning: d.Severity != diag.Error, at: place{d.Range.Start.Line, d.Range.Start.Column},
		})
	}
	if doc == nil || found.HasErrors() {
		return f
	}
	if err := decode(doc.Root.JSON(), &f.data); err != nil {
		f.fail("", "unreadable-file", err.Error(), "")
		return f
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
	data, err := io.ReadAll(io.LimitReader(r, maxPackFile+1))
	if err == nil && len(data) > maxPackFile {
		err = fmt.Errorf("the file is larger than %d MB", maxPackFile>>20)
	}
	return data, err
}

// place is where a pointer leads: the key of a member, else the value; or the
// nearest place above it.
func (f *packFile) place(path string) place {
	if f.doc == nil {
		return place{}
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
			return place{start.Line, start.Column}
		}
		if i < 0 {
			return place{}
		}
		path = path[:i]
	}
}
