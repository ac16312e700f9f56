package setup

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// A toggled is the result of mcp tools that has changed something.
type toggled struct {
	File     string   `json:"file"`
	Enabled  []string `json:"enabled,omitempty"`
	Disabled []string `json:"disabled,omitempty"`
	Written  bool     `json:"written"`
	Diff     string   `json:"diff,omitempty"`
}

// MCPToolsCommand is patchbay mcp tools.
func MCPToolsCommand(f *command.Flags) *cobra.Command {
	var enabled, disabled []string
	var dryRun bool
	c := &cobra.Command{
		Use: "tools SERVER", Short: "List the tools of a server, and enable or disable them",
		Long: "List the tools of a server and whether they can be used. With --enable or --disable, change which of them can: tools.allow and tools.deny of the server's entry in patchbay.yaml, whose comments stay. " +
			"A tool that is disabled is not listed, not found, not called, and not used in graphs. A running patchbay serve follows within seconds.",
		Example: "  patchbay mcp tools fs\n  patchbay mcp tools fs --disable 'write_*' --disable move_file\n  patchbay mcp tools fs --enable move_file",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(enabled)+len(disabled) == 0 {
				return f.WithApp(func(cmd *cobra.Command, p *app.App, args []string) error { return printTools(f, cmd, p, args) })(cmd, args)
			}
			e, err := beginEdit(f)
			if err != nil {
				return err
			}
			defer e.Release()
			for _, change := range []struct {
				on       bool
				patterns []string
			}{{true, enabled}, {false, disabled}} {
				text, had, err := serverfile.EnableTools(e.After, args[0], change.on, change.patterns)
				if err != nil {
					return fmt.Errorf("%s: %w", e.Path, err)
				}
				if len(change.patterns) > 0 && !had {
					return notInFile(e, args[0])
				}
				e.After = text
			}
			if err := finish(f, cmd, e, dryRun || e.After == e.Before); err != nil {
				return err
			}
			out := toggled{File: e.Path, Enabled: enabled, Disabled: disabled, Written: !dryRun && e.After != e.Before, Diff: e.Diff()}
			return f.Print(cmd, command.Result{Value: out, Text: func(w *term.Page) {
				if e.After == e.Before {
					fmt.Fprintf(w, "%s says so already\n", e.Path)
					return
				}
				fmt.Fprint(w, out.Diff)
			}})
		},
	}
	c.Flags().StringArrayVar(&enabled, "enable", nil, "let the tools that match `GLOB` be used (repeatable)")
	c.Flags().StringArrayVar(&disabled, "disable", nil, "let the tools that match `GLOB` not be used (repeatable)")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "show the change and write nothing")
	return c
}

// printTools prints the tools of a server and their state. A server whose tools are not
// cached is started.
func printTools(f *command.Flags, cmd *cobra.Command, p *app.App, args []string) error {
	tools, fault := p.ToolStates(cmd.Context(), args[0])
	if fault != nil {
		return fault
	}
	return f.Print(cmd, command.Result{
		Value: struct {
			Server string            `json:"server"`
			Tools  []plans.ToolState `json:"tools"`
		}{args[0], tools},
		Names: func() []string {
			return lists.Each(tools, func(t plans.ToolState) string { return t.Name })
		},
		Text: func(w *term.Page) {
			t := term.NewTable("tool", "state", "description")
			for _, tool := range tools {
				state, style := "enabled", term.Good
				if tool.DeniedBy != "" {
					state, style = "disabled by "+tool.DeniedBy, term.Bad
				}
				t.Add(tool.Name, term.Cell{Text: state, Style: style}, diag.Cut(diag.OneLine(tool.Description), 100))
			}
			t.WriteOr(w, "no tools")
		},
	})
}
