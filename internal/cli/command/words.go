package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
)

// GroupCommand is a word that several commands begin with. By itself it shows its help.
func GroupCommand(word, short, example string) *cobra.Command {
	return &cobra.Command{
		Use: word, Short: short, Example: example,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return UnknownCommand(c, args[0])
			}
			return c.Help()
		},
	}
}

// HelpCommand shows the help of a command, and refuses words that are not one.
func HelpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND…]", Short: "Show the help of a command", Example: "  patchbay help runs resume",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			switch {
			case err != nil && found == nil || found == c.Root() && len(rest) > 0:
				return UnknownCommand(c.Root(), args[0])
			case len(rest) > 0:
				return UnknownCommand(found, rest[0])
			}
			return found.Help()
		},
	}
}

// Help shows the help that another function writes, no wider than the terminal, or 80 columns.
func (f *Flags) Help(write func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(c *cobra.Command, args []string) {
		var b strings.Builder
		w := c.OutOrStdout()
		c.SetOut(&b)
		write(c, args)
		c.SetOut(w)
		fmt.Fprint(w, term.WrapHelp(b.String(), cmp.Or(f.Page(w).Width, helpColumns)))
	}
}

// helpColumns is how wide help is where no terminal says so.
const helpColumns = 80

// UnknownCommand says which command a word may have meant.
func UnknownCommand(parent *cobra.Command, word string) error {
	var names []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	f := &diag.Fault{Code: diag.CodeUsage, Message: fmt.Sprintf("unknown command %q of %q", word, parent.CommandPath()), Suggestions: diag.Closer(word, names, 3)}
	f.Hint = "the commands are " + strings.Join(names, ", ")
	return f
}

// sections are the parts of the program's help, and the commands in each. What is in
// none is under additional commands.
var sections = []struct {
	title    string
	commands []string
}{
	{"Find and write:", []string{"search", "types", "show", "validate", "fmt", "edit", "eval", "export", "skills", "schema"}},
	{"Run:", []string{"run", "call", "test", "runs", "calls", "graphs", "state"}},
	{"Serve and set up:", []string{"serve", "worker", "ui", "init", "trust", "token", "mcp", "workflow", "graphql", "openapi", "hooks", "packs", "doctor", "demo", "completion"}},
}

// Prepare has each command check its arguments by its usage, and note that it runs.
func (f *Flags) Prepare(c *cobra.Command) {
	for _, sub := range c.Commands() {
		f.Prepare(sub)
	}
	if c.Args == nil && !c.HasSubCommands() {
		c.Args = checkArguments()
	}
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			f.runs = true
			return run(c, args)
		}
	}
}

// checkArguments refuses too few and too many arguments, by the usage of the command. If one
// of the flags is given, none is needed; if there are such flags and none is given, all are.
func checkArguments(unless ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		instead := slices.ContainsFunc(unless, func(flag string) bool { return c.Flags().Changed(flag) })
		places := strings.Fields(c.Use)[1:]
		hint := c.UseLine() + "; " + c.CommandPath() + " --help"
		for n, at := range places {
			word, optional := strings.CutPrefix(strings.TrimSuffix(at, "]"), "[")
			word, many := strings.CutSuffix(word, "…")
			if n >= len(args) && !instead && (!optional || len(unless) > 0) {
				return Misuse("", "missing "+word, hint)
			}
			if many {
				return nil
			}
		}
		if len(args) > len(places) {
			return Misuse("", "unexpected argument "+diag.Quote(args[len(places)]), hint)
		}
		return nil
	}
}

// Arrange puts the commands into the sections of the help.
func Arrange(root *cobra.Command) {
	for _, s := range sections {
		root.AddGroup(&cobra.Group{ID: s.title, Title: s.title})
		for _, c := range root.Commands() {
			if slices.Contains(s.commands, c.Name()) {
				c.GroupID = s.title
			}
		}
	}
}
