package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
)

var validatePresenter = command.Presenter{
	Example: "  patchbay validate graph.yaml\n  patchbay validate --fix graphs\n  patchbay validate 'graphs/**/*.yaml' -o json",
	Long:    "Check graph documents (- is standard input) against the tools of the servers that the configuration and the documents define. Of a server whose list is cached the list is used; others are started when a node of theirs is checked. Exits with code 1 if a document is not valid. --fix applies the first fix of every diagnostic, rewrites the file and shows the diff; the file as it was is kept with .orig after its name, unless git tracks it. It never applies a fix that removes nodes. Of a folder or a quoted glob (** is any number of folders), the graph documents are checked: test files, settings, hidden folders and node_modules are skipped.",
	Start:   command.WithSome,
	Extend: func(c *cobra.Command) func(*command.Invocation) error {
		watch := c.Flags().Bool("watch", false, command.WatchUsage)
		return func(i *command.Invocation) error {
			i.Watch = *watch
			return nil
		}
	},
	Finish: func(i *command.Invocation) error {
		in, r := i.In.(*author.ValidateInput), i.Out.(*author.ValidateResult)
		r.Draft = "" // of this process
		if !in.ApplyFixes || r.Diff == "" || in.Name == "-" {
			return nil
		}
		kept, err := command.KeepOriginal(i.Cmd.Context(), in.Name)
		if err != nil {
			return err
		}
		if kept != "" {
			fmt.Fprintf(i.Cmd.ErrOrStderr(), "patchbay: the original of %s is kept in %s\n", in.Name, kept)
		}
		return command.Rewrite(in.Name, r.Source)
	},
	Failed:  func(i *command.Invocation) bool { return !i.Out.(*author.ValidateResult).Valid },
	Summary: validateSummary,
	Print: func(i *command.Invocation, w *term.Page) {
		in, r := i.In.(*author.ValidateInput), i.Out.(*author.ValidateResult)
		if in.ApplyFixes && in.Name == "-" {
			fmt.Fprint(w, r.Source)
			fmt.Fprint(i.Cmd.ErrOrStderr(), r.Rendered)
			return
		}
		fmt.Fprint(w, edit.Diff(in.Name, r.Before, r.Source))
		w.Diagnostics(r.Rendered)
		if r.More > 0 {
			fmt.Fprintf(w, "and %d more\n", r.More)
		}
		if r.Valid {
			note := ""
			if r.Why != nil {
				note = ", but it cannot run: " + r.Why.Message
			}
			fmt.Fprintf(w, "%s: valid%s\n  %s\n", in.Name, note, strings.ReplaceAll(r.Flow, "\n", "\n  "))
		}
		printHints(w, "", nil, nil, r.Catalog)
	},
}

// validated is the result of validate for several files.
type validated struct {
	Files   []validatedFile `json:"files"`
	Valid   int             `json:"valid"`
	Invalid int             `json:"invalid"`
}

type validatedFile struct {
	File string `json:"file"`
	*author.ValidateResult
}

// validateSummary is what several files came to. Its names are the files with errors.
func validateSummary(all []*command.Invocation) command.Result {
	sum := &validated{}
	var invalid []string
	for _, each := range all {
		in, r := each.In.(*author.ValidateInput), each.Out.(*author.ValidateResult)
		sum.Files = append(sum.Files, validatedFile{in.Name, r})
		if r.Valid {
			sum.Valid++
		} else {
			invalid = append(invalid, in.Name)
		}
	}
	sum.Invalid = len(invalid)
	return command.Result{Value: sum, Names: func() []string { return invalid }, Text: func(w *term.Page) {
		for _, each := range all {
			each.Text(w)
		}
		fmt.Fprintf(w, "%d valid, %d with errors\n", sum.Valid, sum.Invalid)
	}}
}
