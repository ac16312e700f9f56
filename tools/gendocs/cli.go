package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

// cliPage describes every command, from the commands themselves.
func cliPage() string {
	root := cli.Command()
	w := newPage("Command line", root.Long)
	w.line("| exit code | meaning |\n|--:|---|")
	for _, c := range command.ExitCodes {
		w.line("| %d | %s |", c.Code, c.Meaning)
	}
	w.line("")
	w.line("Flags of every command:\n")
	w.fence("text", flagsOf(root))
	w.commands(root)
	return w.page()
}

func (w *writer) commands(parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "help" {
			continue
		}
		if c.Runnable() {
			w.command(c)
		}
		w.commands(c)
	}
}

func (w *writer) command(c *cobra.Command) {
	w.line("## %s\n", c.CommandPath())
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	w.line("%s\n", about)
	w.fence("text", strings.TrimSuffix(c.UseLine(), " [flags]"))
	if c.Example != "" {
		w.fence("sh", dedent(c.Example))
	}
	if flags := flagsOf(c); flags != "" {
		w.fence("text", flags)
	}
}

// flagsOf are a command's own flags, without help.
func flagsOf(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	if help := c.Flags().Lookup("help"); help != nil {
		help.Hidden = true
	}
	if !c.HasParent() {
		return c.PersistentFlags().FlagUsages()
	}
	return c.LocalNonPersistentFlags().FlagUsages()
}

func dedent(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}
