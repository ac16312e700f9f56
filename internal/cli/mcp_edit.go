package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
)

// beginEdit begins a change of the patchbay.yaml in effect.
func (f *flags) beginEdit() (*serverfile.Change, error) {
	return serverfile.Begin(f.config, ownTrust())
}

// check reads the changed file as a start would, and says what the change makes wrong.
func (f *flags) check(cmd *cobra.Command, c *serverfile.Change) error {
	cfg, err := c.Check()
	f.redactor.Store(cfg.Redactor)
	for _, file := range cfg.Files {
		fmt.Fprint(cmd.ErrOrStderr(), file.Render())
	}
	return err
}

// finish checks the changed file and, unless it is a dry run, writes it.
func (f *flags) finish(cmd *cobra.Command, c *serverfile.Change, dryRun bool) error {
	if err := f.check(cmd, c); err != nil || dryRun {
		return err
	}
	return c.Write()
}
