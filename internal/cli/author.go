package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// startServersIn has the servers started that files define, which the operator names to
// run them.
func (f *flags) startServersIn(files ...string) { f.addServersIn(&f.serverFiles, files) }

// checkServersIn has the servers of files that are only looked at: those of a trusted file
// are started, and with --connect those of any.
func (f *flags) checkServersIn(files ...string) {
	if f.connect {
		f.startServersIn(files...)
		return
	}
	f.addServersIn(&f.checkedFiles, files)
}

func (f *flags) addServersIn(to *[]string, files []string) {
	for _, name := range files {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && !slices.Contains(f.graphs, name) && !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
}

// connectFlag is the flag of the commands that only look at files.
func (f *flags) connectFlag(p *pflag.FlagSet) {
	p.BoolVar(&f.connect, "connect", false, "start the servers that the file defines, also if it is not trusted")
}

// readOnlyCommands look at a file and do not run it.
var readOnlyCommands = []string{"validate", "edit", "export", "graphs save"}

// resumes are the commands that resume a run, whose file may have changed since.
var resumes = []string{"runs resume", "runs answer"}

// needServers has the servers that files define, as the command needs them.
func (i *invocation) needServers(names ...string) {
	switch command := i.operation.Command; {
	case slices.Contains(readOnlyCommands, command):
		i.checkServersIn(names...)
	case command == "run":
		i.startServersIn(names...)
	}
}

// maxInput is the size in bytes of the largest file that a command reads. A graph has a
// limit of its own, and a diagnostic that names it.
const maxInput = 64 << 20

// readFile reads the file that a position or a flag names: - is standard input, and
// @FILE is FILE.
func readFile(cmd *cobra.Command, name string) (string, error) {
	return readFor(cmd, "a file", fileName(name))
}

// readFor reads a file, or standard input for "-". What names what is read.
func readFor(cmd *cobra.Command, what, name string) (string, error) {
	if name == "-" {
		return readStdin(cmd).readAll(cmd.Context(), cmd.ErrOrStderr(), what)
	}
	text, err := files.ReadText(name, maxInput)
	if err != nil {
		return "", unreadable(name, err)
	}
	return text, nil
}

var codeSystemError = diag.DefineFault("system-error", diag.RefusesRequest, "the system refuses a command a file, an address or a program", "the message says which and why")

// unreadable is the fault of a file that cannot be read. For one that is not there it names
// the files of its folder with similar names, or else of its kind.
func unreadable(path string, err error) *diag.Fault {
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

var editPresenter = presenter{
	unless: []string{"scaffold", "adapt"},
	long:   "Edit a graph file with a JSON list of operations: add_node, update_node, remove_node, connect, insert_between, rename_node, set. Comments and layout are preserved. The file is not written if the result is not valid, or with --dry-run. With --scaffold a new graph of nodes of the catalog is printed; with --adapt an idiom or a saved graph of another project, with tools that are here in the places of others.",
	example: `  patchbay edit graph.yaml '[{"op": "rename_node", "id": "a", "new_id": "fetch"}]'
  patchbay edit --scaffold mcp:workspace/list_directory,mcp:workspace/read_text_file > draft.yaml`,
	start: withSome,
	finish: func(i *invocation) error {
		in, r := i.in.(*library.EditInput), i.out.(*library.EditResult)
		r.Draft = "" // of this process
		if !r.Valid || in.DryRun || in.Name == "-" || r.Graph != "" {
			return nil
		}
		return rewrite(in.Name, r.Source)
	},
	failed: func(i *invocation) bool { return !i.out.(*library.EditResult).Valid },
	print: func(i *invocation, w *page) {
		in, r := i.in.(*library.EditInput), i.out.(*library.EditResult)
		if r.Graph != "" {
			fmt.Fprint(w, r.Graph)
			for _, line := range r.Adapted {
				fmt.Fprintln(i.cmd.ErrOrStderr(), line)
			}
			fmt.Fprint(i.cmd.ErrOrStderr(), diag.Format("draft", r.Source, append(r.Errors, r.Warnings...)))
			return
		}
		fmt.Fprint(w, r.Diff, diag.Format(in.Name, r.Source, append(r.Errors, r.Warnings...)))
	},
}

var evalPresenter = presenter{
	example: `  patchbay eval '$sum(items.price)' --context '{"items":[{"price":2},{"price":3}]}'`,
	start:   offline,
	extend: func(c *cobra.Command) func(*invocation) error {
		file := c.Flags().StringP("context-file", "f", "", "read the context from a file, - is standard input")
		return func(i *invocation) error {
			if *file == "" {
				return nil
			}
			text, err := readFile(i.cmd, *file)
			i.in.(*author.EvaluateInput).Context = json.RawMessage(text)
			return err
		}
	},
	print: func(i *invocation, w *page) {
		r := i.out.(*author.EvaluateResult)
		if r.Failed() {
			w.diagnostics(r.Rendered)
			return
		}
		fmt.Fprint(i.cmd.ErrOrStderr(), r.Rendered) // warnings
		fmt.Fprintln(w, cmp.Or(string(r.Value), r.Type))
	},
}
