package around

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/around/hooks"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// hookModules are the scripts that several hooks use by a name: the files NAME.js of a
// folder.
type hookModules struct {
	dir    string // "" has none
	beside *config.Beside
}

// moduleName is what a hook module can be called.
var moduleName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`) })

// names lists the modules, sorted.
func (m *hookModules) names() []string {
	if m.dir == "" {
		return nil
	}
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return nil // there is no such folder, or the error of each module says why
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), config.ModuleSuffix); ok && !e.IsDir() && moduleName().MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (m *hookModules) path(name string) string { return filepath.Join(m.dir, name+config.ModuleSuffix) }

var (
	codeHookModule    = diag.DefineFault("hook-module", diag.FailsAttempt, "the file of a hook module cannot be read or written", "the message says why")
	codeNoHookModule  = diag.DefineFault("no-hook-module", diag.FailsAttempt, "no hook module has this name", "`patchbay hooks list` shows what there is")
	codeNoHookModules = diag.DefineFault("no-hook-modules", diag.FailsAttempt, "hook modules are stored next to a trusted `patchbay.yaml`, and there is none", "`patchbay init` writes one, `patchbay trust` trusts one")
)

// read returns the text of a module.
func (m *hookModules) read(name string) (string, *diag.Fault) {
	if m.dir == "" || !moduleName().MatchString(name) {
		return "", m.unknown(name)
	}
	text, err := files.ReadText(m.path(name), hooks.MaxScript)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", m.unknown(name)
	case err != nil:
		return "", diag.Faultf(codeHookModule, "the hook module %q cannot be read: %w", name, err)
	case !m.beside.Has(m.path(name), text):
		return "", diag.Faultf(diag.CodeUntrustedFile, "the hook module %q is new or has changed, and is not trusted", name).
			WithHint("look at its file, then run patchbay trust in the folder of patchbay.yaml")
	}
	return text, nil
}

// unknown is the fault of a module that is not there.
func (m *hookModules) unknown(name string) *diag.Fault {
	names := m.names()
	f := diag.Faultf(codeNoHookModule, "there is no hook module %q", name)
	f.Suggestions = diag.Closer(name, names, 3)
	f.Hint = "patchbay hooks add FILE adds one"
	if len(names) > 0 {
		f.Hint = "the hook modules are " + diag.OneOf(names, 12)
	}
	return f
}

// write makes a text the module of a name.
func (m *hookModules) write(name, text string) *diag.Fault {
	if m.dir == "" {
		return diag.Faultf(codeNoHookModules, "hook modules are kept next to a patchbay.yaml that is trusted, and there is none").
			WithHint("patchbay init writes one; patchbay trust trusts the one that is there")
	}
	return m.beside.Change(func() *diag.Fault {
		err := os.MkdirAll(m.dir, 0o755)
		if err == nil {
			err = files.Folder(m.dir).Write(filepath.Base(m.path(name)), []byte(text), 0o644)
		}
		if err != nil {
			return diag.Faultf(codeHookModule, "the hook module %q cannot be written: %w", name, err)
		}
		return nil
	})
}

// remove removes a module.
func (m *hookModules) remove(name string) *diag.Fault {
	return m.beside.Change(func() *diag.Fault {
		switch err := os.Remove(m.path(name)); {
		case errors.Is(err, fs.ErrNotExist):
			return m.unknown(name)
		case err != nil:
			return diag.Faultf(codeHookModule, "the hook module %q cannot be removed: %w", name, err)
		}
		return nil
	})
}
