package reply

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// FirstLine joins a description's first paragraph to one line.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n\n")
	return diag.OneLine(s)
}
