package cli

import (
	"strings"
	"testing"
)

// A package whose program is not there is added, with the way to get the program.
func TestMCPAddSaysWhatIsNotInstalled(t *testing.T) {
	newFolder(t)
	t.Setenv("PATH", t.TempDir())
	var out, log strings.Builder
	code := runWith(t.Context(), &flags{}, []string{"mcp", "add", "pypi:mcp-server-git"}, strings.NewReader(""), &out, &log)
	if code != exitOK || !strings.Contains(out.String(), "git: it needs uvx, which is not on the PATH: it comes with uv, https://docs.astral.sh/uv\n") {
		t.Errorf("exit %d\n%s%s", code, out.String(), log.String())
	}
	if got := text(t, "patchbay.yaml"); !strings.Contains(got, "uvx") {
		t.Error(got)
	}
}
