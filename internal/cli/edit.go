package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
)

func editCommand(f *flags) *cobra.Command {
	var in app.EditInput
	var tool string
	c := &cobra.Command{
		Use: "edit FILE OPS", Short: "Change a graph file by operations", Args: cobra.ExactArgs(2),
		Long:    "Change a graph file by a JSON list of operations, as edit_graph takes them: add_node, update_node, remove_node, connect, insert_between, rename_node, set. Comments and layout stay. The file is written unless the outcome is not valid or --dry-run is given.",
		Example: `  patchbay edit graph.yaml '[{"op": "rename_node", "id": "a", "new_id": "fetch"}]'`,
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
			if err := json.Unmarshal([]byte(args[1]), &in.Ops); err != nil {
				return &diag.Fault{Code: "bad-argument", Path: "OPS", Message: "not a JSON list of operations: " + err.Error(), Hint: cmd.Example}
			}
			in.GraphInput = app.FromText(args[0], text, tool)
			r, fault := p.Edit(cmd.Context(), in)
			if fault != nil {
				return fault
			}
			if r.Valid && !in.DryRun && args[0] != "-" {
				if err := maybe.WriteFile(args[0], []byte(r.Source), 0o644); err != nil {
					return err
				}
			}
			r.Draft = ""
			if err := f.print(cmd.OutOrStdout(), r, func(w io.Writer) {
				fmt.Fprint(w, r.Diff, diag.Format(args[0], r.Source, append(r.Errors, r.Warnings...)))
			}); err != nil {
				return err
			}
			if !r.Valid {
				return errFailed
			}
			return nil
		},
	}
	c.Flags().BoolVar(&in.DryRun, "dry-run", false, "show the outcome, write nothing")
	c.Flags().StringVar(&tool, "tool", "", "which tool of the document")
	return c
}
