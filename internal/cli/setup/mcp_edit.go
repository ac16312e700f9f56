package setup

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
)

// beginEdit begins a change of the patchbay.yaml in effect.
func beginEdit(f *command.Flags) (*serverfile.Change, error) {
	return serverfile.Begin(f.Config, command.OwnTrust())
}

// check reads the changed file as a start would, and says what the change makes wrong.
func check(f *command.Flags, cmd *cobra.Command, c *serverfile.Change) error {
	cfg, err := c.Check()
	f.Redactor.Store(cfg.Redactor)
	for _, file := range cfg.Files {
		fmt.Fprint(cmd.ErrOrStderr(), file.Render())
	}
	return err
}

// finish checks the changed file and, unless it is a dry run, writes it.
func finish(f *command.Flags, cmd *cobra.Command, c *serverfile.Change, dryRun bool) error {
	if err := check(f, cmd, c); err != nil || dryRun {
		return err
	}
	return c.Write()
}
