package config

import (
	"os"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/graph"
)

// WorkspaceName is the name of the built-in server.
const WorkspaceName = "workspace"

// ownFile reads patchbay.yaml, if there is one.
func (l *loader) ownFile() {
	path := l.o.File
	if l.o.Standalone {
		return
	}
	if path == "" {
		path = l.find()
	}
	if path == "" {
		return
	}
	o, doc := l.open("configuration", path, nil)
	if o.file == nil {
		return
	}
	l.cfg.File = l.path(path, l.o.Dir)
	l.cfg.WorkflowsDir, l.cfg.Hooks.ModulesDir = filepath.Join(o.base, "workflows"), filepath.Join(o.base, "hooks")
	l.rootWithout(o.base)
	l.withhold(path, o)
	if doc == nil {
		return
	}
	o.file.rootShape(doc)
	if doc.Root.Is(graph.Map) {
		l.table(o, doc.Root, settings)
	}
}

// find returns the first patchbay.yaml: a relative name for the working
// directory's.
func (l *loader) find() string {
	if _, err := os.Stat(filepath.Join(l.o.Dir, FileName)); err == nil {
		return FileName
	}
	dir := l.folder("XDG_CONFIG_HOME", "APPDATA", ".config", "")
	if dir == "" {
		return ""
	}
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// rootShape puts what graph.Parse says of a root that is not a graph into words of
// a configuration: an empty one is fine.
func (f *File) rootShape(doc *graph.Document) {
	if doc.Root.Is(graph.Map) {
		return
	}
	kept := f.Diagnostics[:0]
	for _, d := range f.Diagnostics {
		if d.Path != "" || d.Code == "duplicate-key" {
			kept = append(kept, d)
		}
	}
	f.Diagnostics = kept
	if doc.Root.Kind() == graph.Null || !doc.Root.Exists() {
		return
	}
	d := f.Diagnostics.Report(ruleBadSetting, "", doc.Root.Range(), "the configuration is %s, not a map", doc.Root.Kind())
	d.Hint = "write a map of settings"
}
