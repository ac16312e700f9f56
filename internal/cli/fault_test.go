package cli

import (
	"bytes"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
)

// A difference is read as its lines, and a value as JSON.
func TestFaultsAtATerminal(t *testing.T) {
	var out bytes.Buffer
	command.PrintFault(&term.Page{Writer: &out, Width: 40}, &diag.Fault{Code: "tool-changed", Message: "tool \"a\" of server \"b\" has changed", Path: "/tool", Got: "-old\n+new\n", Want: "x", Hint: "patchbay mcp approve b a accepts it"})
	const want = `patchbay: tool "a" of server "b" has
  changed [tool-changed]
  at: /tool
  got:
    -old
    +new
  want: "x"
  hint: patchbay mcp approve b a accepts
    it
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
