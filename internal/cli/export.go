package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

func exportCommand(f *flags) *cobra.Command {
	var format, tool string
	c := &cobra.Command{
		Use: "export FILE|NAME", Short: "Draw a graph as Mermaid or Graphviz", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.withServersOf(args[0])
			p, err := f.once(cmd.Context(), cmd.ErrOrStderr(), briefly)
			if err != nil {
				return err
			}
			defer p.Close()
			id := app.RunInput{GraphInput: app.GraphInput{Tool: tool}}
			if err := graphToRun(cmd, args[0], &id); err != nil {
				return err
			}
			r, fault := p.Export(cmd.Context(), app.ExportInput{GraphInput: id.GraphInput, Saved: id.Saved, Format: format})
			if fault != nil {
				return fault
			}
			if err := f.print(cmd.OutOrStdout(), r, func(w io.Writer) { fmt.Fprint(w, r.Rendered, r.Picture) }); err != nil {
				return err
			}
			if len(r.Diagnostics) > 0 {
				return errFailed
			}
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "mermaid", "mermaid or dot")
	c.Flags().StringVar(&tool, "tool", "", "which tool of the document")
	return c
}
