package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
)

// The help of every command fits into 80 columns, but for its examples, and says the
// same. Only that of serve is about tools of the product.
func TestHelpIsWrapped(t *testing.T) {
	var every func(c *cobra.Command, path []string)
	every = func(c *cobra.Command, path []string) {
		var out bytes.Buffer
		if code := Execute(t.Context(), append(path, "--help"), strings.NewReader(""), &out, &out); code != command.ExitOK {
			t.Fatalf("%v --help: exit %d: %s", path, code, &out)
		}
		help, examples, _ := strings.Cut(out.String(), "\nExamples:\n")
		_, rest, _ := strings.Cut(examples, "\n\n")
		for line := range strings.Lines(help + rest) {
			if term.Columns(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("%v: %s", path, line)
			}
		}
		if c.Long != "" && !strings.Contains(strings.Join(strings.Fields(out.String()), " "), strings.Join(strings.Fields(c.Long), " ")) {
			t.Errorf("%v --help has lost a part of its text:\n%s", path, &out)
		}
		if name := toolNamed.FindString(out.String()); name != "" && (len(path) == 0 || path[0] != "serve") {
			t.Errorf("%v --help names the tool%s", path, name)
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				every(sub, append(slices.Clip(path), sub.Name()))
			}
		}
	}
	every(Command(), nil)
}

// At a terminal of 80 columns lines break at spaces, below what they continue, and no longer
// word is split.
