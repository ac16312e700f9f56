package cli

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/author/codein"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

func fmtCommand(f *flags) *cobra.Command {
	var check, diff bool
	c := &cobra.Command{
		Use: "fmt FILE|DIR|GLOB…", Short: "Write graph documents in canonical form",
		Example: "  patchbay fmt graphs\n  patchbay fmt --check 'graphs/**/*.yaml'\n  patchbay fmt - < graph.yaml",
		Long: "Write graph documents in canonical form: keys in the order of the format, two spaces of indentation, no trailing spaces. Comments, quotes, and what is written in brackets or as a block are kept. Of a function, the comment before it is formatted, and the code stays as it is. " +
			"The files that change are listed. A document with errors of syntax is not changed, and the exit code is 1. - formats standard input to standard output.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.watch && !check {
				return misuse("--watch", "--watch needs --check", "patchbay fmt --check --watch lists what is not in canonical form")
			}
			if slices.Contains(args, "-") && !f.watch {
				return f.formatInput(cmd, args, check, diff)
			}
			return f.repeat(cmd, watchedFiles{args: args}, func() error { return f.formatFiles(cmd, args, check, diff) })
		},
	}
	c.Flags().BoolVar(&check, "check", false, "change nothing; list the files that would change, and exit with code 1 if there are any")
	c.Flags().BoolVar(&diff, "diff", false, "change nothing; print what would change")
	c.Flags().BoolVar(&f.watch, "watch", false, watchUsage+" (with --check)")
	return c
}

// formatInput formats standard input.
func (f *flags) formatInput(cmd *cobra.Command, args []string, check, diff bool) error {
	if len(args) > 1 {
		return misuse("", "standard input cannot be formatted together with files", "use - alone")
	}
	text, err := readFile(cmd, "-")
	if err != nil {
		return err
	}
	file := f.formatText("-", text)
	report := &formatted{Files: []formattedFile{file}}
	report.count()
	return failedIf(report.failed(check), f.print(cmd, result{value: report, text: func(w *page) {
		switch {
		case file.Error != "":
			file.print(cmd, w, diff)
		case diff:
			fmt.Fprint(w, file.Diff)
		case !check:
			fmt.Fprint(w, file.text)
		}
	}}))
}

// formatted is the result of fmt.
type formatted struct {
	Files   []formattedFile `json:"files"`
	Changed int             `json:"changed"` // or would be
	Failed  int             `json:"failed"`
}

type formattedFile struct {
	File    string `json:"file"`
	Changed bool   `json:"changed"`
	Diff    string `json:"diff,omitempty"`
	Error   string `json:"error,omitempty"` // why it has no canonical form

	text string
}

// formatText formats a document.
func (f *flags) formatText(path, text string) formattedFile {
	file := formattedFile{File: path}
	format := func(text string) (string, error) { return engine.Format(path, text, f.setup.Kinds) }
	write := format
	if codein.Is(text) {
		write = func(text string) (string, error) { return codein.Format(text, format) }
	}
	out, err := write(text)
	if err != nil {
		file.Error = err.Error()
		return file
	}
	file.text, file.Changed, file.Diff = out, out != text, edit.Diff(path, text, out)
	return file
}

// formatFiles formats files.
func (f *flags) formatFiles(cmd *cobra.Command, args []string, check, diff bool) error {
	found, err := graphKind.find(args)
	if err != nil {
		return err
	}
	report := &formatted{}
	for _, path := range found.files {
		text, err := readFile(cmd, path)
		if err != nil {
			return err
		}
		file := f.formatText(path, text)
		if file.Changed && !check && !diff {
			if err := rewrite(path, file.text); err != nil {
				return err
			}
		}
		report.Files = append(report.Files, file)
	}
	report.count()
	return failedIf(report.failed(check), f.print(cmd, result{value: report, names: report.names, text: func(w *page) {
		for _, file := range report.Files {
			file.print(cmd, w, diff)
		}
	}}))
}

// rewrite replaces the text of a file at once, and keeps its permissions, its approval, and
// the trust in a workflow next to a patchbay.yaml.
func rewrite(path, text string) error {
	before, err := files.ReadText(path, maxInput)
	if err == nil {
		err = graphfiles.Approvals{File: config.ApprovalsFile(os.LookupEnv)}.Replaced(path, before, text)
	}
	if err != nil {
		return err
	}
	cfg, _, _ := config.Load(config.Options{Trust: ownTrust()})
	return cfg.Beside.Carry(path, func() error { return files.Write(path, []byte(text), 0o644) })
}

func (r *formatted) count() {
	for _, file := range r.Files {
		if file.Changed {
			r.Changed++
		}
		if file.Error != "" {
			r.Failed++
		}
	}
}

func (r *formatted) failed(check bool) bool { return r.Failed > 0 || check && r.Changed > 0 }

func (r *formatted) names() (names []string) {
	for _, file := range r.Files {
		if file.Changed {
			names = append(names, file.File)
		}
	}
	return names
}

func (file *formattedFile) print(cmd *cobra.Command, w *page, diff bool) {
	switch {
	case file.Error != "":
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", file.File, file.Error)
	case diff:
		fmt.Fprint(w, file.Diff)
	case file.Changed:
		fmt.Fprintln(w, file.File)
	}
}
