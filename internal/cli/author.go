package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// withServersOf has the servers started that files define: they are the
// operator's own, and their graphs cannot be checked without.
func (f *flags) withServersOf(files ...string) {
	for _, name := range files {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && !slices.Contains(f.graphs, name) {
			f.beside = append(f.beside, name)
		}
	}
}

// readFile reads a graph from a file, or from standard input for "-".
func readFile(cmd *cobra.Command, name string) (string, error) {
	if name == "-" {
		b, err := io.ReadAll(cmd.InOrStdin())
		return string(b), err
	}
	b, err := os.ReadFile(name)
	return string(b), err
}

func validateCommand(f *flags) *cobra.Command {
	var fix bool
	var tool string
	c := &cobra.Command{
		Use: "validate FILE…", Short: "Check graphs; --fix repairs them", Args: cobra.MinimumNArgs(1),
		Long: "Check graph documents (- is standard input) against the tools of the servers that the configuration and the documents themselves define: these are started. Exit code 1 says that one is not valid. --fix applies the first fix of every diagnostic, rewrites the file and shows the diff. It never applies a fix that removes nodes.",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.withServersOf(args...)
			p, err := f.once(cmd.Context(), cmd.ErrOrStderr(), briefly)
			if err != nil {
				return err
			}
			defer p.Close()
			failed := false
			for _, name := range args {
				text, err := readFile(cmd, name)
				if err != nil {
					return err
				}
				r, fault := p.Validate(cmd.Context(), app.ValidateInput{GraphInput: app.FromText(name, text, tool), ApplyFixes: fix})
				if fault != nil {
					return fault
				}
				failed = failed || !r.Valid
				if err := f.printValidation(cmd, name, r, fix); err != nil {
					return err
				}
			}
			if failed {
				return errFailed
			}
			return nil
		},
	}
	c.Flags().BoolVar(&fix, "fix", false, "apply the fixes")
	c.Flags().StringVar(&tool, "tool", "", "only this tool of the document")
	return c
}

func (f *flags) printValidation(cmd *cobra.Command, name string, r *app.ValidateResult, fix bool) error {
	if fix && r.Diff != "" && name != "-" {
		if err := maybe.WriteFile(name, []byte(r.Source), 0o644); err != nil {
			return err
		}
	}
	r.Draft = ""
	return f.print(cmd.OutOrStdout(), r, func(w io.Writer) {
		if fix && name == "-" {
			fmt.Fprint(w, r.Source)
			fmt.Fprint(cmd.ErrOrStderr(), r.Rendered)
			return
		}
		fmt.Fprint(w, r.Diff, r.Rendered)
		if r.More > 0 {
			fmt.Fprintf(w, "and %d more\n", r.More)
		}
		if r.Valid {
			fmt.Fprintf(w, "%s: valid\n  %s\n", name, strings.ReplaceAll(r.Flow, "\n", "\n  "))
		}
		printHints(w, "", nil, nil, r.Catalog)
	})
}

func evalCommand(f *flags) *cobra.Command {
	var in app.EvaluateInput
	var data, file string
	c := &cobra.Command{
		Use: "eval EXPRESSION", Short: "Evaluate JSONata or JSON Logic", Args: cobra.ExactArgs(1),
		Example: `  patchbay eval '$sum(items.price)' --context '{"items":[{"price":2},{"price":3}]}'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Expression, _ = json.Marshal(args[0])
			in.Context = json.RawMessage(data)
			if file != "" {
				text, err := readFile(cmd, file)
				if err != nil {
					return err
				}
				in.Context = json.RawMessage(text)
			}
			pb := app.New(app.Options{})
			if in.RunID != "" {
				f.offline = true
				p, err := f.assemble(cmd.Context(), cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				defer p.Close()
				pb = p.App
			}
			r, fault := pb.Evaluate(cmd.Context(), in)
			if fault != nil {
				return fault
			}
			if err := f.print(cmd.OutOrStdout(), r, func(w io.Writer) {
				if r.Failed() {
					fmt.Fprint(w, r.Rendered)
					return
				}
				fmt.Fprint(cmd.ErrOrStderr(), r.Rendered) // warnings
				fmt.Fprintln(w, firstOf(string(r.Value), r.Type))
			}); err != nil {
				return err
			}
			if r.Failed() {
				return errFailed
			}
			return nil
		},
	}
	c.Flags().StringVarP(&in.Language, "language", "l", "jsonata", "jsonata or jsonlogic")
	c.Flags().StringVarP(&data, "context", "c", "", "what $ is, as JSON")
	c.Flags().StringVar(&in.RunID, "run", "", "`ID` of a run that was kept: its context, and its history functions")
	c.Flags().StringVarP(&file, "context-file", "f", "", "read the context from a file, - is standard input")
	return c
}

func graphsCommand(f *flags) *cobra.Command {
	c := &cobra.Command{Use: "graphs", Short: "Saved graphs: list, show, save, delete"}
	list := &cobra.Command{
		Use: "list", Short: "List saved graphs", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.offline = true
			p, err := f.assemble(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer p.Close()
			r, fault := p.Graphs(cmd.Context(), app.GraphsInput{})
			if fault != nil {
				return fault
			}
			return f.print(cmd.OutOrStdout(), r, func(w io.Writer) {
				for _, g := range r.Graphs {
					fmt.Fprintf(w, "%s  %s\n      %s\n", g.Name, g.Revision, g.Description)
				}
				for _, b := range r.Broken {
					printFault(cmd.ErrOrStderr(), b)
				}
			})
		},
	}
	show := &cobra.Command{
		Use: "show NAME", Short: "Print a saved graph", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.offline = true
			p, err := f.assemble(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer p.Close()
			ctx, cancel := context.WithTimeout(cmd.Context(), f.glance) // its flow may need servers
			defer cancel()
			r, fault := p.GetGraph(ctx, app.GetGraphInput{Name: args[0]})
			if fault != nil {
				return fault
			}
			return f.print(cmd.OutOrStdout(), r, func(w io.Writer) { fmt.Fprint(w, r.Graph) })
		},
	}
	remove := &cobra.Command{
		Use: "delete NAME", Short: "Delete a saved graph", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.offline = true
			p, err := f.assemble(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer p.Close()
			r, fault := p.Delete(cmd.Context(), app.DeleteInput{Name: args[0]})
			if fault != nil {
				return fault
			}
			return f.print(cmd.OutOrStdout(), r, func(w io.Writer) { fmt.Fprintf(w, "deleted %s\n", r.Name) })
		},
	}
	c.AddCommand(list, show, saveCommand(f), remove)
	return c
}

func saveCommand(f *flags) *cobra.Command {
	var in app.SaveInput
	var tool string
	c := &cobra.Command{
		Use: "save FILE", Short: "Keep a valid graph as a tool", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.withServersOf(args[0])
			p, err := f.once(cmd.Context(), cmd.ErrOrStderr(), briefly)
			if err != nil {
				return err
			}
			defer p.Close()
			text, err := readFile(cmd, args[0])
			if err != nil {
				return err
			}
			in.GraphInput = app.FromText(args[0], text, tool)
			r, fault := p.Save(cmd.Context(), in)
			if fault != nil {
				return fault
			}
			if err := f.print(cmd.OutOrStdout(), r, func(w io.Writer) { printSaved(w, r) }); err != nil {
				return err
			}
			if r.Failed() {
				return errFailed
			}
			return nil
		},
	}
	c.Flags().StringVar(&in.As, "name", "", "save under this name")
	c.Flags().StringVar(&tool, "tool", "", "which tool of the document")
	c.Flags().BoolVar(&in.Overwrite, "overwrite", false, "replace a saved graph of the name")
	return c
}

func printSaved(w io.Writer, r *app.SaveResult) {
	if !r.Failed() {
		fmt.Fprintf(w, "saved %s (%s)\n%s\n", r.Name, r.Revision, r.HowToCall)
		for _, note := range r.Notes {
			fmt.Fprintf(w, "note: %s\n", note)
		}
		return
	}
	fmt.Fprint(w, r.Rendered)
	if r.Error != nil {
		printFault(w, r.Error)
	}
}
