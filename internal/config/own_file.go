package config

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
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
	if doc.Root.Is(graph.Object) {
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
	if doc.Root.Is(graph.Object) {
		return
	}
	f.Diagnostics = slices.DeleteFunc(f.Diagnostics, func(d *diag.Diagnostic) bool { return d.Path == "" && d.Code != "duplicate-key" })
	if doc.Root.Kind() == graph.Null || !doc.Root.Exists() {
		return
	}
	d := f.Diagnostics.Report(ruleBadSetting, "", doc.Root.Range(), "the configuration is %s, not a map", doc.Root.Kind())
	d.Hint = "write a map of settings"
}

// rootWithout settles the root of the workspace server where workspace.root is not
// written: the folder of the patchbay.yaml, or the working directory without one. A
// patchbay.yaml in the user's configuration directory belongs to no folder.
func (l *loader) rootWithout(base string) {
	user := l.folder("XDG_CONFIG_HOME", "APPDATA", ".config", "")
	if l.o.File != "" || base != user {
		l.cfg.Root = base
	}
}

var codeWorkspaceOff = diag.DefineFault("workspace-off", diag.RefusesRequest, "the built-in workspace would offer a whole disk or your home directory", "write `workspace: {root: …}` if you mean it")

// refuseRoot turns the workspace server off where its root is a whole disk or the
// home directory, and the operator has not written that root: clients start servers
// in such places.
func (l *loader) refuseRoot() {
	if !l.cfg.Workspace || l.rootWritten || !l.tooMuch(l.cfg.Root) {
		return
	}
	l.cfg.Workspace = false
	l.cfg.WorkspaceOff = diag.Faultf(codeWorkspaceOff, "the workspace server is off: it would offer every file in %s", l.cfg.Root)
	l.cfg.WorkspaceOff.Hint = "start patchbay in a folder of your own, name a patchbay.yaml with --config, or write workspace: {root: …} in it"
}

// tooMuch reports whether a folder is the root of a disk or the home directory.
func (l *loader) tooMuch(dir string) bool {
	places := []string{filepath.VolumeName(dir) + string(filepath.Separator)}
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		if home, _ := l.o.Environ(variable); filepath.IsAbs(home) {
			places = append(places, home)
		}
	}
	info, err := os.Stat(dir)
	for _, place := range places {
		if filepath.Clean(place) == dir {
			return true
		}
		if there, wrong := os.Stat(place); err == nil && wrong == nil && os.SameFile(info, there) {
			return true
		}
	}
	return false
}
