package cli

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// Every operation with a command's words is a command, with a flag or a position for
// each argument that it declares one for. Every presenter is the presenter of an operation.
func TestOperationsAreCommands(t *testing.T) {
	root := Command()
	commands := map[string]bool{}
	for _, o := range app.Operations() {
		if o.Command == "" {
			continue
		}
		commands[o.Command] = true
		c, rest, err := root.Find(strings.Fields(o.Command))
		if err != nil || len(rest) > 0 || !c.Runnable() || c.Short != o.Summary {
			t.Errorf("%s is not a command: %v", o.Command, err)
			continue
		}
		for _, f := range o.Fields() {
			flag := c.Flags().Lookup(f.Flag)
			switch {
			case f.Arg != "" && !strings.Contains(c.Use, f.Arg):
				t.Errorf("%s: the usage %q does not show %s", o.Command, c.Use, f.Arg)
			case f.Flag != "" && (flag == nil || flag.Usage == "" || flag.Shorthand != f.Shorthand):
				t.Errorf("%s: the flag --%s is %+v", o.Command, f.Flag, flag)
			}
		}
	}
	for words := range presenters {
		if !commands[words] {
			t.Errorf("%q has a presenter and is not the command of an operation", words)
		}
	}
	for word, about := range groups {
		if c, _, err := root.Find([]string{word}); err != nil || !c.HasSubCommands() || c.Short != about[0] || c.Example != about[1] {
			t.Errorf("%s is not a group of commands", word)
		}
	}
}
