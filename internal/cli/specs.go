package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/packs"
)

// A packReport says what was found in a knowledge pack.
type packReport struct {
	Pack     string          `json:"pack"`
	Nodes    int             `json:"nodes"`
	Findings []packs.Finding `json:"findings"`
}

func packsCommand(f *flags) *cobra.Command {
	c := groupCommand("packs", "Knowledge packs: descriptions of nodes of other systems", "  patchbay packs lint ./knowledge")
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
			if err := f.print(cmd, result{value: map[string]any{"packs": reports}, text: func(w *page) {
				for _, r := range reports {
					for _, x := range r.Findings {
						fmt.Fprintln(w, x)
					}
					fmt.Fprintf(w, "%s: %s, %s\n", r.Pack, counted(r.Nodes, "node"), counted(len(r.Findings), "finding"))
				}
			}}); err != nil {
				return err
			}
			if failed {
				return errFailed
			}
			return nil
		},
	})
	return c
}
