package serverfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// A Change is a change of the operator's patchbay.yaml.
type Change struct {
	Path   string // as the operator names it
	Before string
	After  string
	Mode   fs.FileMode

	Release func() // unlocks the file

	NeedsTrust bool // the file is used only if it is trusted
	Unread     bool // the operator has not seen what is added

	trust   *config.Trust
	full    string              // its place, for trust
	known   map[string]bool     // diagnostics of the file as it was
	secrets []*secrets.Redactor // of both texts
}

// Begin reads a patchbay.yaml and locks it until the change is released. Without a file, it is the
// one in effect, or a new one in the working directory.
func Begin(file string, trust *config.Trust) (*Change, error) {
	cfg, _, err := config.Load(config.Options{File: file, Trust: trust})
	if err != nil && (file == "" || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	c := &Change{Path: cmp.Or(file, cfg.File, config.FileName), Mode: 0o600, trust: trust, known: map[string]bool{}}
	if dir, err := os.Getwd(); err == nil && filepath.Join(dir, config.FileName) == c.Path {
		c.Path, c.full, c.NeedsTrust = config.FileName, filepath.Join(dir, config.FileName), true
	} else if file == "" && cfg.File == "" && err == nil {
		c.full, c.NeedsTrust = filepath.Join(dir, config.FileName), true
	} else {
		c.full, _ = filepath.Abs(c.Path)
	}
	if c.Release, err = files.Lock(c.Path); errors.Is(err, files.ErrLocked) {
		return nil, err
	} else if err != nil { // in a folder where there can be no lock, nothing can be written either
		c.Release = func() {}
	}
	text, err := os.ReadFile(c.Path)
	switch {
	case err == nil:
		c.Before = string(text)
		if info, err := os.Stat(c.Path); err == nil {
			c.Mode = info.Mode().Perm()
		}
	case !errors.Is(err, fs.ErrNotExist):
		c.Release()
		return nil, err
	}
	c.After = c.Before
	was, found, _ := config.Load(config.Options{File: c.Path, Text: &c.Before})
	for _, d := range found {
		c.known[d.Message] = true
	}
	c.secrets = append(c.secrets, was.Redactor)
	return c, nil
}

// Check loads the changed file as a start would. The files of the returned configuration have only
// the diagnostics that the change adds.
func (c *Change) Check() (*config.Config, error) {
	cfg, found, err := config.Load(config.Options{File: c.Path, Text: &c.After})
	c.secrets = append(c.secrets, cfg.Redactor)
	if err != nil {
		return cfg, err
	}
	for _, file := range cfg.Files {
		file.Diagnostics = slices.DeleteFunc(file.Diagnostics, func(d *diag.Diagnostic) bool { return c.known[d.Message] })
	}
	if found.HasErrors() {
		return cfg, &diag.Fault{Code: config.CodeBadConfig, Message: "the changed file would have errors, so " + c.Path + " is as it was", Hint: "correct the entry, or the file"}
	}
	return cfg, nil
}

// Add adds servers to the changed text. The built-in server stays on in a file that is
// trusted if saved graphs call it: said then says so.
func (c *Change) Add(entries []Entry, force bool) (said string, err error) {
	if c.After, err = Add(c.After, entries, force); err != nil || !c.Trusted() {
		return "", err
	}
	c.After, said, err = KeptWorkspace(c.Path, c.Before, c.After)
	return said, err
}

// Trusted reports whether the file needs no trust or has it.
func (c *Change) Trusted() bool { return c.Refusal() == nil }

// Refusal returns why the file may not be changed: it is not trusted.
func (c *Change) Refusal() error {
	if !c.NeedsTrust || c.Before == "" || c.trust.Has(config.AsConfiguration, c.full, c.Before) {
		return nil
	}
	return &diag.Fault{Code: diag.CodeUntrustedFile, Message: c.Path + " is not trusted, so it is not changed", Hint: "look at the file, then run patchbay trust"}
}

// Starts are the lines of [config.Trust.Needs] that the change adds.
func (c *Change) Starts() []string {
	had := c.trust.Needs(config.AsConfiguration, c.full, c.Before)
	return slices.DeleteFunc(c.trust.Needs(config.AsConfiguration, c.full, c.After), func(line string) bool { return slices.Contains(had, line) })
}

// Write replaces the file as a whole, so that a reader sees the one text or the other. A
// file that was trusted stays trusted: the operator has made the change.
func (c *Change) Write() error {
	if !c.NeedsTrust {
		if err := os.MkdirAll(filepath.Dir(c.Path), 0o700); err != nil {
			return err
		}
		return files.Write(c.Path, []byte(c.After), c.Mode)
	}
	if err := c.Refusal(); err != nil {
		return err
	}
	if err := files.Write(c.Path, []byte(c.After), c.Mode); err != nil || c.Unread {
		return err
	}
	return c.trust.Carry(c.full, c.Before, c.After)
}

// Diff shows the change, with the secrets in both texts masked.
func (c *Change) Diff() string {
	before, after := c.Before, c.After
	for _, r := range c.secrets {
		before, after = r.Redact(before), r.Redact(after)
	}
	return edit.Diff(c.Path, before, after)
}

// KeptWorkspace returns the changed text of a patchbay.yaml. If the change would turn the built-in
// server off and saved graphs call it, the text keeps it on, and said tells so.
func KeptWorkspace(path, before, after string) (kept, said string, err error) {
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
	after, err = KeepWorkspace(after)
	return after, fmt.Sprintf("the built-in server %s stays on; it is called by %s", config.WorkspaceName, diag.OneOf(names, 9)), err
}
