package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/author/codein"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
)

func fmtCommand(f *command.Flags) *cobra.Command {
	var check, diff bool
	c := &cobra.Command{
		Use: "fmt FILE|DIR|GLOB…", Short: "Write graph documents in canonical form",
		Example: "  patchbay fmt graphs\n  patchbay fmt --check 'graphs/**/*.yaml'\n  patchbay fmt - < graph.yaml",
		Long: "Write graph documents in canonical form: keys in the order of the format, two spaces of indentation, no trailing spaces. Comments, quotes, and what is written in brackets or as a block are kept. Of a function, the comment before it is formatted, and the code stays as it is. " +
			"The files that change are listed. A document with errors of syntax is not changed, and the exit code is 1. - formats standard input to standard output.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.Watch && !check {
				return command.Misuse("--watch", "--watch needs --check", "patchbay fmt --check --watch lists what is not in canonical form")
			}
			if slices.Contains(args, "-") && !f.Watch {
				return formatInput(f, cmd, args, check, diff)
			}
			return f.Repeat(cmd, command.WatchedFiles{Args: args}, func() error { return formatFiles(f, cmd, args, check, diff) })
		},
	}
	c.Flags().BoolVar(&check, "check", false, "change nothing; list the files that would change, and exit with code 1 if there are any")
	c.Flags().BoolVar(&diff, "diff", false, "change nothing; print what would change")
	c.Flags().BoolVar(&f.Watch, "watch", false, command.WatchUsage+" (with --check)")
	return c
}

// formatInput formats standard input.
func formatInput(f *command.Flags, cmd *cobra.Command, args []string, check, diff bool) error {
	if len(args) > 1 {
		return command.Misuse("", "standard input cannot be formatted together with files", "use - alone")
	}
	text, err := command.ReadFile(cmd, "-")
	if err != nil {
		return err
	}
	file := formatText(f, "-", text)
	report := &formatted{Files: []formattedFile{file}}
	report.count()
	return command.FailedIf(report.failed(check), f.Print(cmd, command.Result{Value: report, Text: func(w *term.Page) {
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
func formatText(f *command.Flags, path, text string) formattedFile {
	file := formattedFile{File: path}
	format := func(text string) (string, error) { return engine.Format(path, text, f.Setup.Kinds) }
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
func formatFiles(f *command.Flags, cmd *cobra.Command, args []string, check, diff bool) error {
	found, err := command.GraphKind.Find(args)
	if err != nil {
		return err
	}
	report := &formatted{}
	for _, path := range found.Files {
		text, err := command.ReadFile(cmd, path)
		if err != nil {
			return err
		}
		file := formatText(f, path, text)
		if file.Changed && !check && !diff {
			if err := command.Rewrite(path, file.text); err != nil {
				return err
			}
		}
		report.Files = append(report.Files, file)
	}
	report.count()
	return command.FailedIf(report.failed(check), f.Print(cmd, command.Result{Value: report, Names: report.names, Text: func(w *term.Page) {
		for _, file := range report.Files {
			file.print(cmd, w, diff)
		}
	}}))
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

func (file *formattedFile) print(cmd *cobra.Command, w *term.Page, diff bool) {
	switch {
	case file.Error != "":
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", file.File, file.Error)
	case diff:
		fmt.Fprint(w, file.Diff)
	case file.Changed:
		fmt.Fprintln(w, file.File)
	}
}
