package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
)

var exportPresenter = presenter{
	long: "Draw a graph as Mermaid or Graphviz, or write typed functions for tools and saved graphs, for scripts: --typescript. " +
		"Without a NODE or SERVER they are for all tools and saved graphs. The file needs no library; its functions call a patchbay serve that it starts, or the program that PATCHBAY names.",
	example: "  patchbay export count_files.yaml --format mermaid\n  patchbay export --typescript --file tools.ts\n  patchbay export --typescript workspace graph:count_files --file tools.ts",
	start: func(i *invocation) (*app.App, error) {
		if i.in.(*author.ExportInput).IsCode() {
			return withListed(i)
		}
		return offline(i)
	},
	extend: func(c *cobra.Command) func(*invocation) error {
		c.Flags().Bool("typescript", false, "write TypeScript functions, same as --format typescript")
		c.MarkFlagsMutuallyExclusive("typescript", "format")
		return func(i *invocation) error {
			if in := i.in.(*author.ExportInput); !in.IsCode() && in.Saved == "" && in.Text == "" && !in.Trusted {
				return misuse("", "no graph is named", "name a file or a saved graph, or use --typescript")
			}
			return nil
		}
	},
	words: func(i *invocation, args []string) []string {
		in := i.in.(*author.ExportInput)
		if set, err := i.cmd.Flags().GetBool("typescript"); err == nil && set {
			in.Format = "typescript"
		}
		if !in.IsCode() {
			return args
		}
		in.Nodes = args
		return nil
	},
	finish: func(i *invocation) error {
		if r := i.out.(*author.ExportResult); r.Catalog != nil {
			printHints(i.page(i.cmd.ErrOrStderr()), "", nil, nil, r.Catalog)
		}
		return nil
	},
	print: printing(func(w *page, r *author.ExportResult) { fmt.Fprint(w, r.Rendered, r.Picture, r.Code) }),
}
