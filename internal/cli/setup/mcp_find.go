package setup

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

var (
	codeNoRegistry     = diag.DefineFault("no-registry", diag.RefusesRequest, "`mcp find` was called, and no registry is configured", "name one under [`registry`](configuration.md#patchbayyaml)")
	codeRegistryFailed = diag.DefineFault("registry-failed", diag.RefusesRequest, "the registry did not answer as one", "check `registry` and the network")
)

// MCPFindCommand is patchbay mcp find.
func MCPFindCommand(f *command.Flags) *cobra.Command {
	return &cobra.Command{
		Use: "find WORD…", Short: "Find servers in the configured MCP registry",
		Long:    "Find servers in the MCP registry that the setting registry names. Nothing is installed or started: the add column is a command that adds the server to patchbay.yaml.",
		Example: "  patchbay mcp find filesystem",
		RunE: f.WithApp(func(cmd *cobra.Command, p *app.App, words []string) error {
			registry := p.Config().Registry
			if registry == "" {
				return &diag.Fault{Code: codeNoRegistry, Message: "no registry is configured", Hint: "write registry: https://registry.modelcontextprotocol.io, or the URL of another one, into patchbay.yaml"}
			}
			found, err := serverfile.Find(cmd.Context(), registry, strings.Join(words, " "))
			if err != nil {
				return &diag.Fault{Code: codeRegistryFailed, Message: fmt.Sprintf("the registry %s cannot be searched: %v", registry, err)}
			}
			return f.Print(cmd, command.Result{
				Value: map[string][]serverfile.Listing{"servers": found},
				Names: func() []string {
					return lists.Each(found, func(s serverfile.Listing) string { return s.Name })
				},
				Text: func(w *term.Page) {
					t := term.NewTable("name", "version", "description", "add")
					for _, s := range found {
						t.Add(s.Name, s.Version, s.Description, s.Add)
					}
					t.WriteOr(w, "no servers found")
				},
			})
		}),
	}
}

// MCPLogsPresenter is that of mcp logs.
var MCPLogsPresenter = command.Presenter{
	Long:    "Show the last lines that a server has written to stderr, started by whichever patchbay process. The last 256 KiB of each server are kept in the cache folder, with secrets masked.",
	Example: "  patchbay mcp logs filesystem\n  patchbay mcp logs filesystem --lines 500",
	Start:   command.Offline,
	Print:   command.Printing(func(w *term.Page, r *plans.LogsResult) { fmt.Fprintln(w, r.Text) }),
}

// confinement names the servers that run with the rights of the operator.
func (d *diagnosis) confinement(p *app.App) {
	var free []string
	for _, s := range p.Status() {
		if s.Transport == "stdio" && !s.Confined {
			free = append(free, s.Name)
		}
	}
	if len(free) > 0 {
		d.ok("image or sandbox in an entry of patchbay.yaml confines its server", "unconfined servers, which may do what you may: %s", strings.Join(free, ", "))
	}
}
