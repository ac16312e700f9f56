package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
)

var exportPresenter = command.Presenter{
	Long: "Draw a graph as Mermaid or Graphviz, or write typed functions for tools and saved graphs, for scripts: --typescript. " +
		"Without a NODE or SERVER they are for all tools and saved graphs. The file needs no library; its functions call a patchbay serve that it starts, or the program that PATCHBAY names.",
	Example: "  patchbay export count_files.yaml --format mermaid\n  patchbay export --typescript --file tools.ts\n  patchbay export --typescript workspace graph:count_files --file tools.ts",
	Start: func(i *command.Invocation) (*app.App, error) {
		if i.In.(*author.ExportInput).IsCode() {
			return command.WithListed(i)
		}
		return command.Offline(i)
	},
	Extend: func(c *cobra.Command) func(*command.Invocation) error {
		c.Flags().Bool("typescript", false, "write TypeScript functions, same as --format typescript")
		c.MarkFlagsMutuallyExclusive("typescript", "format")
		return func(i *command.Invocation) error {
			if in := i.In.(*author.ExportInput); !in.IsCode() && in.Saved == "" && in.Text == "" && !in.Trusted {
				return command.Misuse("", "no graph is named", "name a file or a saved graph, or use --typescript")
			}
			return nil
		}
	},
	Words: func(i *command.Invocation, args []string) []string {
		in := i.In.(*author.ExportInput)
		if set, err := i.Cmd.Flags().GetBool("typescript"); err == nil && set {
			in.Format = "typescript"
		}
		if !in.IsCode() {
			return args
		}
		in.Nodes = args
		return nil
	},
	Finish: func(i *command.Invocation) error {
		if r := i.Out.(*author.ExportResult); r.Catalog != nil {
			printHints(i.Page(i.Cmd.ErrOrStderr()), "", nil, nil, r.Catalog)
		}
		return nil
	},
	Print: command.Printing(func(w *term.Page, r *author.ExportResult) { fmt.Fprint(w, r.Rendered, r.Picture, r.Code) }),
}
