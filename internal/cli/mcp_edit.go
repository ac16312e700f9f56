package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"

	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// A fileEdit is a change of the operator's patchbay.yaml.
type fileEdit struct {
	path   string // as the operator names it
	before string
	after  string
	mode   fs.FileMode

	release func() // ends what keeps other changes of the file out

	trust  *config.Trust // nil if the file needs none
	full   string        // its place, for trust
	unread bool          // the operator has not seen what is added

	known   map[string]bool     // diagnostics of the file as it was
	secrets []*secrets.Redactor // of both texts
}

// beginEdit reads the patchbay.yaml in effect, or one that there will be in the working
// directory, and keeps other changes of it out until the edit is released.
func (f *flags) beginEdit() (*fileEdit, error) {
	cfg, _, err := config.Load(config.Options{File: f.config, Trust: ownTrust()})
	if err != nil && (f.config == "" || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	e := &fileEdit{path: cmp.Or(f.config, cfg.File, config.FileName), mode: 0o600, known: map[string]bool{}}
	if dir, err := os.Getwd(); err == nil && filepath.Join(dir, config.FileName) == e.path {
		e.path, e.full, e.trust = config.FileName, filepath.Join(dir, config.FileName), ownTrust()
	} else if f.config == "" && cfg.File == "" && err == nil {
		e.full, e.trust = filepath.Join(dir, config.FileName), ownTrust()
	}
	if e.release, err = files.Lock(e.path); errors.Is(err, files.ErrLocked) {
		return nil, err
	} else if err != nil { // in a folder where there can be no lock, nothing can be written either
		e.release = func() {}
	}
	text, err := os.ReadFile(e.path)
	switch {
	case err == nil:
		e.before = string(text)
		if info, err := os.Stat(e.path); err == nil {
			e.mode = info.Mode().Perm()
		}
	case !errors.Is(err, fs.ErrNotExist):
		e.release()
		return nil, err
	}
	was, found, _ := config.Load(config.Options{File: e.path, Text: &e.before})
	for _, d := range found {
		e.known[d.Message] = true
	}
	e.secrets = append(e.secrets, was.Redactor)
	return e, nil
}

// check reads the changed file as a start would, and says what the change makes wrong.
func (f *flags) check(cmd *cobra.Command, e *fileEdit) error {
	cfg, found, err := config.Load(config.Options{File: e.path, Text: &e.after})
	f.redactor.Store(cfg.Redactor)
	e.secrets = append(e.secrets, cfg.Redactor)
	if err != nil {
		return err
	}
	for _, file := range cfg.Files {
		file.Diagnostics = slices.DeleteFunc(file.Diagnostics, func(d *diag.Diagnostic) bool { return e.known[d.Message] })
		fmt.Fprint(cmd.ErrOrStderr(), file.Render())
	}
	if found.HasErrors() {
		return &diag.Fault{Code: config.CodeBadConfig, Message: "the changed file would have errors, so " + e.path + " is as it was", Hint: "correct the entry, or the file"}
	}
	return nil
}

// finish checks the changed file and, unless it is a dry run, writes it.
func (f *flags) finish(cmd *cobra.Command, e *fileEdit, dryRun bool) error {
	if err := f.check(cmd, e); err != nil || dryRun {
		return err
	}
	return e.write()
}

// trusted reports whether the file may be changed, and what it names looked at.
func (e *fileEdit) trusted() bool {
	return e.trust == nil || e.before == "" || e.trust.Has(config.AsConfiguration, e.full, e.before)
}

// write replaces the file as a whole, so that a reader sees the one text or the other. A
// file that was trusted stays trusted: the operator has made the change.
func (e *fileEdit) write() error {
	if e.trust == nil {
		if err := os.MkdirAll(filepath.Dir(e.path), 0o700); err != nil {
			return err
		}
		return files.Write(e.path, []byte(e.after), e.mode)
	}
	if !e.trusted() {
		return &diag.Fault{Code: diag.CodeUntrustedFile, Message: e.path + " is not trusted, so it is not changed", Hint: "look at the file, then run patchbay trust"}
	}
	if err := files.Write(e.path, []byte(e.after), e.mode); err != nil || e.unread {
		return err
	}
	return e.trust.Carry(e.full, e.before, e.after)
}

// diff shows the change, with the secrets in both texts masked.
func (e *fileEdit) diff() string {
	before, after := e.before, e.after
	for _, r := range e.secrets {
		before, after = r.Redact(before), r.Redact(after)
	}
	return edit.Diff(e.path, before, after)
}

// keepWorkspace returns the changed text of a patchbay.yaml with the built-in server on, if the
// change would turn it off and saved graphs call it, and what then is to be said.
func keepWorkspace(path, before, after string) (kept, said string, err error) {
	was, _, err := config.Load(config.Options{File: path, Text: &before})
	if err != nil {
		return "", "", err
	}
	now, _, err := config.Load(config.Options{File: path, Text: &after})
	if err != nil || !was.Workspace || !now.WorkspaceReplaced {
		return after, "", err
	}
	saved, err := graphfiles.OpenGraphs(now.GraphsDir)
	if err != nil {
		return "", "", err
	}
	var names []string
	list, _ := saved.List()
	for _, g := range list {
		if g.CallsServer(config.WorkspaceName) {
			names = append(names, g.Name)
		}
	}
	if len(names) == 0 {
		return after, "", nil
	}
	after, err = serverfile.KeepWorkspace(after)
	return after, fmt.Sprintf("the built-in server %s stays on; it is called by %s", config.WorkspaceName, diag.OneOf(names, 9)), err
}
