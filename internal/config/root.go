package config

import (
	"os"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/diag"
)

// rootWithout settles the root of the workspace server where workspace.root is not
// written: the folder of the patchbay.yaml, or the working directory without one. A
// patchbay.yaml in the user's configuration directory belongs to no folder.
func (l *loader) rootWithout(base string) {
	user := l.folder("XDG_CONFIG_HOME", "APPDATA", ".config", "")
	if l.o.File != "" || base != user {
		l.cfg.Root = base
	}
}

// refuseRoot turns the workspace server off where its root is a whole disk or the
// home directory, and the operator has not written that root: clients start servers
// in such places.
func (l *loader) refuseRoot() {
	if !l.cfg.Workspace || l.rootWritten || !l.tooMuch(l.cfg.Root) {
		return
	}
	l.cfg.Workspace = false
	l.cfg.WorkspaceOff = diag.Faultf("workspace-off", "the workspace server is off: it would offer every file in %s", l.cfg.Root)
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
