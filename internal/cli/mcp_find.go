package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/serverfile"
)

func mcpFindCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "find WORD…", Short: "Find servers in the configured MCP registry",
		Long:    "Find servers in the MCP registry that the setting registry names. Nothing is installed or started: the add column is a command that adds the server to patchbay.yaml.",
		Example: "  patchbay mcp find filesystem",
		RunE: f.withApp(func(cmd *cobra.Command, p *app.App, words []string) error {
			registry := p.Config().Registry
			if registry == "" {
				return &diag.Fault{Code: "no-registry", Message: "no registry is configured", Hint: "write registry: https://registry.modelcontextprotocol.io, or the URL of another one, into patchbay.yaml"}
			}
			found, err := serverfile.Find(cmd.Context(), registry, strings.Join(words, " "))
			if err != nil {
				return &diag.Fault{Code: "registry-failed", Message: fmt.Sprintf("the registry %s cannot be searched: %v", registry, err)}
			}
			return f.print(cmd, result{
				value: map[string][]serverfile.Listing{"servers": found},
				names: func() []string {
					return each(found, func(s serverfile.Listing) string { return s.Name })
				},
				text: func(w *page) {
					t := newTable("name", "version", "description", "add")
					for _, s := range found {
						t.add(s.Name, s.Version, s.Description, s.Add)
					}
					t.writeOr(w, "no servers found")
				},
			})
		}),
	}
}
