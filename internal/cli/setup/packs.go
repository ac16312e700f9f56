package setup

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/packs"
)

// A packReport says what was found in a knowledge pack.
type packReport struct {
	Pack     string          `json:"pack"`
	Nodes    int             `json:"nodes"`
	Findings []packs.Finding `json:"findings"`
}

// PacksCommand is patchbay packs.
func PacksCommand(f *command.Flags) *cobra.Command {
	c := command.GroupCommand("packs", "Knowledge packs: descriptions of nodes of other systems", "  patchbay packs lint ./knowledge")
	c.Aliases = []string{"specs"} // its earlier name
	c.AddCommand(&cobra.Command{
		Use: "lint DIR…", Short: "Check knowledge packs", Example: "  patchbay packs lint ./knowledge",
		RunE: func(cmd *cobra.Command, args []string) error {
			failed := false
			reports := []packReport{}
			for _, dir := range args {
				pack, found, err := packs.Load(dir)
				if err != nil {
					return err
				}
				failed = failed || packs.HasErrors(found)
				if found == nil {
					found = []packs.Finding{}
				}
				reports = append(reports, packReport{pack.Name, len(pack.Specs), found})
			}
			return command.FailedIf(failed, f.Print(cmd, command.Result{Value: map[string]any{"packs": reports}, Text: func(w *term.Page) {
				for _, r := range reports {
					for _, x := range r.Findings {
						fmt.Fprintln(w, x)
					}
					fmt.Fprintf(w, "%s: %s, %s\n", r.Pack, term.Count(r.Nodes, "node"), term.Count(len(r.Findings), "finding"))
				}
			}}))
		},
	})
	return c
}
