package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// A removed is the result of mcp remove.
type removed struct {
	File    string   `json:"file"`
	Removed []string `json:"removed"`
	Written bool     `json:"written"`
	Diff    string   `json:"diff,omitempty"`
}

// MCPRemoveCommand is patchbay mcp remove.
func MCPRemoveCommand(f *command.Flags) *cobra.Command {
	var dryRun bool
	c := &cobra.Command{
		Use: "remove NAME…", Aliases: []string{"rm"}, Short: "Remove servers from patchbay.yaml",
		Example: "  patchbay mcp remove fs\n  patchbay mcp remove fs --dry-run",
		RunE: func(cmd *cobra.Command, names []string) error {
			e, err := beginEdit(f)
			if err != nil {
				return err
			}
			defer e.Release()
			for _, name := range names {
				text, had, err := serverfile.Remove(e.After, name)
				if err != nil {
					return fmt.Errorf("%s: %w", e.Path, err)
				}
				if !had {
					return notInFile(e, name)
				}
				e.After = text
			}
			if err := finish(f, cmd, e, dryRun); err != nil {
				return err
			}
			out := removed{File: e.Path, Removed: names, Written: !dryRun, Diff: e.Diff()}
			return f.Print(cmd, command.Result{Value: out, Names: func() []string { return names }, Text: func(w *term.Page) {
				if dryRun {
					fmt.Fprint(w, out.Diff)
					return
				}
				for _, name := range names {
					fmt.Fprintf(w, "removed %s from %s\n", name, out.File)
				}
			}})
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "show the change and write nothing")
	return c
}

// notInFile says that the file has no such server, and which it has.
func notInFile(e *serverfile.Change, name string) *diag.Fault {
	cfg, _, _ := config.Load(config.Options{File: e.Path, Text: &e.Before})
	names := lists.Each(cfg.Servers, func(s config.Server) string { return s.Name })
	slices.Sort(names)
	fault := downstream.UnknownServer(name, names)
	fault.Message = fmt.Sprintf("%s has no server %q", e.Path, name)
	if _, err := os.Stat(e.Path); errors.Is(err, fs.ErrNotExist) {
		fault.Message, fault.Hint = "there is no "+e.Path, "patchbay mcp add makes it"
	} else if len(names) == 0 {
		fault.Hint = "it defines no servers"
	}
	return fault
}
