package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

func searchCommand(f *flags) *cobra.Command {
	var in app.SearchInput
	c := &cobra.Command{
		Use: "search WORDS…", Short: "Find nodes by what they do", Args: cobra.MinimumNArgs(1),
		Example: "  patchbay search list the files of a folder",
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.once(cmd.Context(), cmd.ErrOrStderr(), untilListed)
			if err != nil {
				return err
			}
			defer p.Close()
			in.Query = strings.Join(args, " ")
			r, fault := p.Search(cmd.Context(), in)
			if fault != nil {
				return fault
			}
			return f.print(cmd.OutOrStdout(), r, func(w io.Writer) {
				for _, h := range r.Results {
					fmt.Fprintf(w, "%.2f  %s\n      %s\n      %s\n", h.Score, h.ID, h.Signature, h.Description)
				}
				printHints(w, r.Hint, r.Assumed, r.Corrected, r.Catalog)
				if r.Total > len(r.Results) {
					fmt.Fprintf(w, "%d of %d\n", len(r.Results), r.Total)
				}
			})
		},
	}
	fl := c.Flags()
	fl.IntVarP(&in.MaxResults, "max", "n", 10, "how many, 1 to 50")
	fl.StringVar(&in.TypeFilter, "type", "", "only nodes of this type")
	fl.StringVar(&in.Server, "server", "", "only tools of this server")
	fl.BoolVar(&in.RunnableOnly, "runnable", false, "leave out knowledge about nodes that cannot run here")
	fl.StringVar(&in.CompatibleWith, "compatible-with", "", "only nodes that can take the output of this one")
	fl.StringVar(&in.Mode, "mode", "any", "any, or all: every word must match")
	return c
}

// printHints shows what a discovery says beside its results.
func printHints(w io.Writer, hint string, assumed, corrected map[string]string, state *app.CatalogState) {
	for _, from := range slices.Sorted(maps.Keys(assumed)) {
		fmt.Fprintf(w, "assumed %s for %s\n", assumed[from], from)
	}
	for _, from := range slices.Sorted(maps.Keys(corrected)) {
		fmt.Fprintf(w, "looked for %s instead of %s\n", corrected[from], from)
	}
	if hint != "" {
		fmt.Fprintln(w, hint)
	}
	if state == nil {
		return
	}
	for _, name := range state.Pending {
		fmt.Fprintf(w, "server %s is still starting\n", name)
	}
	for _, name := range slices.Sorted(maps.Keys(state.Failed)) {
		fmt.Fprintf(w, "server %s failed: %s\n", name, state.Failed[name])
	}
}

func typesCommand(f *flags) *cobra.Command {
	var in app.TypesInput
	c := &cobra.Command{
		Use: "types [TYPE]", Short: "List node types and their subtypes", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.once(cmd.Context(), cmd.ErrOrStderr(), untilListed)
			if err != nil {
				return err
			}
			defer p.Close()
			if len(args) > 0 {
				in.TypeFilter = args[0]
			}
			r, fault := p.Types(cmd.Context(), in)
			if fault != nil {
				return fault
			}
			return f.print(cmd.OutOrStdout(), r, func(w io.Writer) {
				for _, name := range slices.Sorted(maps.Keys(r.Types)) {
					fmt.Fprintln(w, name)
					for _, sub := range r.Types[name] {
						fmt.Fprintln(w, "  "+sub)
					}
				}
				printHints(w, r.Hint, r.Assumed, nil, r.Catalog)
				if r.NextCursor != "" {
					fmt.Fprintf(w, "more with --cursor %s\n", r.NextCursor)
				}
			})
		},
	}
	c.Flags().StringVar(&in.Server, "server", "", "only tools of this server")
	c.Flags().StringVar(&in.Cursor, "cursor", "", "the page to show")
	return c
}

func showCommand(f *flags) *cobra.Command {
	var in app.DetailsInput
	c := &cobra.Command{
		Use: "show NODE…", Short: "Show what is known of nodes", Args: cobra.RangeArgs(1, 20),
		Example: "  patchbay show transform mcp:workspace/list_directory",
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.onceFor(cmd.Context(), cmd.ErrOrStderr(), args)
			if err != nil {
				return err
			}
			defer p.Close()
			for _, id := range args {
				in.Nodes = append(in.Nodes, app.NodeRef{ID: id})
			}
			r, fault := p.Details(cmd.Context(), in)
			if fault != nil {
				return fault
			}
			missing := false
			for _, n := range r.Nodes {
				missing = missing || n.Error != ""
			}
			if !missing {
				r.Catalog = nil // other servers do not matter
			}
			if err := f.print(cmd.OutOrStdout(), r, func(w io.Writer) {
				for _, n := range r.Nodes {
					printNode(w, n)
				}
				printHints(w, "", r.Assumed, nil, r.Catalog)
			}); err != nil {
				return err
			}
			if missing {
				return errFailed
			}
			return nil
		},
	}
	c.Flags().IntVar(&in.MaxTokens, "max-tokens", 0, "shorten to about this many tokens")
	return c
}

func printNode(w io.Writer, n app.NodeDetails) {
	if n.Error != "" {
		fmt.Fprintf(w, "%s: %s\n", firstOf(n.ID, n.NodeType), n.Error)
		for _, s := range n.Suggestions {
			fmt.Fprintf(w, "  did you mean: %s\n", s)
		}
		return
	}
	fmt.Fprintf(w, "%s\n  %s\n", n.ID, strings.ReplaceAll(strings.TrimSpace(n.Description), "\n", "\n  "))
	if len(n.Parameters) > 0 {
		fmt.Fprintln(w, "parameters:")
	}
	for _, p := range n.Parameters {
		star := ""
		if p.Required {
			star = "*"
		}
		fmt.Fprintf(w, "  %s%s: %s  %s\n", p.Name, star, p.Type, strings.Join(strings.Fields(p.Description), " "))
	}
	if len(n.Skeleton) > 0 {
		fmt.Fprintf(w, "skeleton:\n  %s\n", n.Skeleton)
	}
	for _, e := range n.Examples {
		fmt.Fprintf(w, "example: %s\n  %s\n", e.Title, strings.ReplaceAll(strings.TrimSpace(e.Graph), "\n", "\n  "))
	}
	fmt.Fprintln(w)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
