package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// StartServersIn has the servers started that files define, which the operator names to
// run them.
func (f *Flags) StartServersIn(files ...string) { f.addServersIn(&f.ServerFiles, files) }

// CheckServersIn has the servers of files that are only looked at: those of a trusted file
// are started, and with --connect those of any.
func (f *Flags) CheckServersIn(files ...string) {
	if f.connect {
		f.StartServersIn(files...)
		return
	}
	f.addServersIn(&f.CheckedFiles, files)
}

func (f *Flags) addServersIn(to *[]string, files []string) {
	for _, name := range files {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && !slices.Contains(f.Graphs, name) && !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
}

// ConnectFlag is the flag of the commands that only look at files.
func (f *Flags) ConnectFlag(p *pflag.FlagSet) {
	p.BoolVar(&f.connect, "connect", false, "start the servers that the file defines, also if it is not trusted")
}

// readOnlyCommands look at a file and do not run it.
var readOnlyCommands = []string{"validate", "edit", "export", "graphs save"}

// resumes are the commands that resume a run, whose file may have changed since.
var resumes = []string{"runs resume", "runs answer"}

// needServers has the servers that files define, as the command needs them.
func (i *Invocation) needServers(names ...string) {
	switch command := i.Operation.Command; {
	case slices.Contains(readOnlyCommands, command):
		i.CheckServersIn(names...)
	case command == "run":
		i.StartServersIn(names...)
	}
}

// MaxInput is the size in bytes of the largest file that a command reads. A graph has a
// limit of its own, and a diagnostic that names it.
const MaxInput = 64 << 20

// ReadFile reads the file that a position or a flag names: - is standard input, and
// @FILE is FILE.
func ReadFile(cmd *cobra.Command, name string) (string, error) {
	return readFor(cmd, "a file", FileName(name))
}

// readFor reads a file, or standard input for "-". What names what is read.
func readFor(cmd *cobra.Command, what, name string) (string, error) {
	if name == "-" {
		return ReadStdin(cmd).readAll(cmd.Context(), cmd.ErrOrStderr(), what)
	}
	text, err := files.ReadText(name, MaxInput)
	if err != nil {
		return "", Unreadable(name, err)
	}
	return text, nil
}

var codeSystemError = diag.DefineFault("system-error", diag.RefusesRequest, "the system refuses a command a file, an address or a program", "the message says which and why")

// Unreadable is the fault of a file that cannot be read. For one that is not there it names
// the files of its folder with similar names, or else of its kind.
func Unreadable(path string, err error) *diag.Fault {
	f := &diag.Fault{Code: codeSystemError, Message: fmt.Sprintf("open %s: %v", path, err), Err: err}
	if errors.Is(err, os.ErrNotExist) {
		names, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"+filepath.Ext(path)))
		f.Suggestions = diag.Closer(filepath.Clean(path), names, 3)
		if len(f.Suggestions) == 0 && len(names) > 0 {
			f.Hint = "its folder has " + diag.OneOf(names, 5)
		}
	}
	return f
}

// Rewrite replaces the text of a file at once, and keeps its permissions, its approval, and
// the trust in a workflow next to a patchbay.yaml.
func Rewrite(path, text string) error {
	before, err := files.ReadText(path, MaxInput)
	if err == nil {
		err = graphfiles.Approvals{File: config.ApprovalsFile(os.LookupEnv)}.Replaced(path, before, text)
	}
	if err != nil {
		return err
	}
	cfg, _, _ := config.Load(config.Options{Trust: OwnTrust()})
	return cfg.Beside.Carry(path, func() error { return files.Write(path, []byte(text), 0o644) })
}
