package setup

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

func (d *diagnosis) version() {
	d.area = areaVersion
	d.ok("", "patchbay %s", command.Version())
}

// configuration examines the files of the operator, and what they allow.
func (d *diagnosis) configuration(p *app.App) {
	d.area = areaConfiguration
	cfg := p.Config()
	switch {
	case cfg.File != "":
		d.ok("", "configuration %s", cfg.File)
	case cfg.Default && cfg.WorkspaceOff == nil:
		d.ok("patchbay init writes a patchbay.yaml to start from", "no configuration: the built-in workspace server offers %s", cfg.Root)
	}
	if cfg.Untrusted != nil {
		d.fault(cfg.Untrusted)
	}
	for _, s := range cfg.Own {
		d.ok("", "server %s of %s is this Patchbay: the entry is for the client, and is left out here", s.Name, s.From)
	}
	if off := cfg.WorkspaceOff; off != nil { // by default nobody has asked for it
		d.check(cfg.Default, off.Hint, "%s", off.Message)
	}
	memory := p.Memory()
	d.ok("", "memory: at most %d MiB (%s)", memory.Bytes>>20, memory.From)
	for _, file := range cfg.Files {
		for _, x := range file.Diagnostics {
			if x.Code == "missing-variable" && strings.HasPrefix(x.Message, "server ") {
				continue // what is said of the server says it
			}
			d.check(x.Severity != diag.Error && x.Severity != diag.Warning, x.Hint, "%s:%d: %s", file.Path, x.Range.Start.Line, x.Message)
		}
	}
	for _, doc := range cfg.Documents {
		_, faults := engine.CompileAll(doc.Graph, engine.Env{Kinds: p.Kinds()})
		if faults = faults.With(diag.Error); len(faults) > 0 {
			d.fail("patchbay validate "+doc.Path+" lists all", "%s:%d: %s (%s)", doc.Path, faults[0].Range.Start.Line, faults[0].Message, term.Count(len(faults), "error"))
		}
	}
	if cfg.Expose.Downstream {
		left, noted := mcpserver.Unlisted(p, cfg.Expose)
		for _, one := range left {
			d.ok("another expose.prefix or expose.deny tells them apart", "left out of the gateway: %s", one)
		}
		for i, one := range noted {
			if i == maxNoted {
				d.ok("", "%d more are listed in another form than their servers do: mcp info NAME says what differs", len(noted)-i)
				break
			}
			d.ok("", "listed in another form than its server does: %s", one)
		}
	}
	if len(cfg.Egress.Allow) > 0 {
		var allowed []string
		for _, prefix := range cfg.Egress.Allow {
			allowed = append(allowed, prefix.String())
		}
		with := ""
		if names := slices.Sorted(maps.Keys(cfg.Egress.Variables)); len(names) > 0 {
			with = ", with the variables " + strings.Join(names, ", ")
		}
		d.ok("", "http nodes may request %s%s", strings.Join(allowed, ", "), with)
	}
}

// maxNoted is how many definitions are named that clients do not accept as they are.
const maxNoted = 20

// paths examines the folders that Patchbay writes to, and who else may read or change its
// files.
func (d *diagnosis) paths(p *app.App) {
	d.area = areaPaths
	cfg := p.Config()
	for _, of := range []struct{ what, dir string }{{"saved graphs", cfg.GraphsDir}, {"state", cfg.StateDir}, {"the cache", cfg.CacheDir}} {
		if of.dir == "" {
			continue
		}
		if err := writable(of.dir); err != nil {
			d.fail("", "the folder of %s, %s, cannot be written to: %v", of.what, of.dir, err)
		}
	}
	if cfg.File != "" {
		d.mode(cfg.File, 0o002, "can be changed by every user of this machine", "chmod o-w ")
	}
	secret := []string{cfg.Serve.TokensFile, cfg.ApprovalsFile, cfg.PermissionsFile()}
	for _, s := range cfg.Servers {
		secret = append(secret, s.Auth.TokenFile)
	}
	if !cfg.Runs.Memory {
		secret = append(secret, cfg.Runs.File)
	}
	for _, file := range secret {
		d.mode(file, 0o077, "can be read or changed by other users", "chmod 600 ")
	}
	d.format(cfg.Serve.TokensFile, formats.Tokens)
	d.format(cfg.ApprovalsFile, formats.Approvals)
	d.format(cfg.PermissionsFile(), formats.Permissions)
	for _, s := range cfg.Servers {
		d.format(s.Auth.TokenFile, formats.Logins)
	}
}

// mode fails for a file that others have rights to.
func (d *diagnosis) mode(file string, others fs.FileMode, what, fix string) {
	if file == "" || runtime.GOOS == "windows" {
		return
	}
	if info, err := os.Stat(file); err == nil && info.Mode().Perm()&others != 0 {
		d.fail(fix+file, "%s %s (mode %04o)", file, what, info.Mode().Perm())
	}
}

// format fails for a file of a later format.
func (d *diagnosis) format(file string, f formats.Format) {
	if file == "" {
		return
	}
	b, err := files.Read(file, command.MaxInput)
	if err != nil {
		return
	}
	var any any
	if newer, ok := errors.AsType[*formats.NewerError](f.Decode(b, &any)); ok {
		d.fail(formats.Hint, "%s cannot be used: %v", file, newer)
	}
}

// writable returns why no file can be written in a folder of Patchbay's, or why the folder
// cannot be created.
func writable(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		for parent := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && parent != filepath.Dir(parent); parent = filepath.Dir(parent) {
			info, err = os.Stat(parent)
		}
		if err == nil && !info.IsDir() {
			return errors.New("a file is in its place")
		}
		return nil
	case err != nil:
		return files.Reason(err)
	case !info.IsDir():
		return errors.New("it is not a folder")
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return files.Reason(err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
