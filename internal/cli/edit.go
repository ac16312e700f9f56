package cli

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/library"
)

var editPresenter = command.Presenter{
	Unless: []string{"scaffold", "adapt"},
	Long:   "Edit a graph file with a JSON list of operations: add_node, update_node, remove_node, connect, insert_between, rename_node, set. Comments and layout are preserved. The file is not written if the result is not valid, or with --dry-run. With --scaffold a new graph of nodes of the catalog is printed; with --adapt an idiom or a saved graph of another project, with tools that are here in the places of others.",
	Example: `  patchbay edit graph.yaml '[{"op": "rename_node", "id": "a", "new_id": "fetch"}]'
  patchbay edit --scaffold mcp:workspace/list_directory,mcp:workspace/read_text_file > draft.yaml`,
	Start: command.WithSome,
	Finish: func(i *command.Invocation) error {
		in, r := i.In.(*library.EditInput), i.Out.(*library.EditResult)
		r.Draft = "" // of this process
		if !r.Valid || in.DryRun || in.Name == "-" || r.Graph != "" {
			return nil
		}
		return command.Rewrite(in.Name, r.Source)
	},
	Failed: func(i *command.Invocation) bool { return !i.Out.(*library.EditResult).Valid },
	Print: func(i *command.Invocation, w *term.Page) {
		in, r := i.In.(*library.EditInput), i.Out.(*library.EditResult)
		if r.Graph != "" {
			fmt.Fprint(w, r.Graph)
			for _, line := range r.Adapted {
				fmt.Fprintln(i.Cmd.ErrOrStderr(), line)
			}
			fmt.Fprint(i.Cmd.ErrOrStderr(), diag.Format("draft", r.Source, append(r.Errors, r.Warnings...)))
			return
		}
		fmt.Fprint(w, r.Diff, diag.Format(in.Name, r.Source, append(r.Errors, r.Warnings...)))
	},
}

var evalPresenter = command.Presenter{
	Example: `  patchbay eval '$sum(items.price)' --context '{"items":[{"price":2},{"price":3}]}'`,
	Start:   command.Offline,
	Extend: func(c *cobra.Command) func(*command.Invocation) error {
		file := c.Flags().StringP("context-file", "f", "", "read the context from a file, - is standard input")
		return func(i *command.Invocation) error {
			if *file == "" {
				return nil
			}
			text, err := command.ReadFile(i.Cmd, *file)
			i.In.(*author.EvaluateInput).Context = json.RawMessage(text)
			return err
		}
	},
	Print: func(i *command.Invocation, w *term.Page) {
		r := i.Out.(*author.EvaluateResult)
		if r.Failed() {
			w.Diagnostics(r.Rendered)
			return
		}
		fmt.Fprint(i.Cmd.ErrOrStderr(), r.Rendered) // warnings
		fmt.Fprintln(w, cmp.Or(string(r.Value), r.Type))
	},
}
