package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/packs"
)

func specsCommand(f *flags) *cobra.Command {
	c := &cobra.Command{Use: "specs", Short: "Knowledge packs: descriptions of nodes of other systems"}
	c.AddCommand(&cobra.Command{
		Use: "lint DIR…", Short: "Check knowledge packs", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			failed := false
			for _, dir := range args {
				pack, found, err := packs.LoadPack(dir)
				if err != nil {
					return err
				}
				failed = failed || packs.HasErrors(found)
				if found == nil {
					found = []packs.Finding{}
				}
				report := map[string]any{"pack": pack.Name, "nodes": len(pack.Specs), "findings": found}
				if err := f.print(cmd.OutOrStdout(), report, func(w io.Writer) {
					for _, x := range found {
						fmt.Fprintln(w, x)
					}
					fmt.Fprintf(w, "%s: %d nodes, %d findings\n", pack.Name, len(pack.Specs), len(found))
				}); err != nil {
					return err
				}
			}
			if failed {
				return errFailed
			}
			return nil
		},
	})
	return c
}
