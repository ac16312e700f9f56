package cli

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

// A package whose program is not there is added, with the way to get the program.
func TestMCPAddSaysWhatIsNotInstalled(t *testing.T) {
	newFolder(t)
	t.Setenv("PATH", t.TempDir())
	var out, log strings.Builder
	code := runWith(t.Context(), &command.Flags{}, []string{"mcp", "add", "pypi:mcp-server-git"}, strings.NewReader(""), &out, &log)
	if code != command.ExitOK || !strings.Contains(out.String(), "git: it needs uvx, which is not on the PATH: it comes with uv, https://docs.astral.sh/uv\n") {
		t.Errorf("exit %d\n%s%s", code, out.String(), log.String())
	}
	if got := text(t, "patchbay.yaml"); !strings.Contains(got, "uvx") {
		t.Error(got)
	}
}
