package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

// At a terminal graphs add asks, and an empty answer saves nothing.
func TestGraphsAddAsks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data"))
	const text = "name: same\ndescription: \"Returns its \\e[31marguments\"\ninputSchema: {type: object}\noutputSchema: {type: object}\nnodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit}\n"
	if err := os.WriteFile("same.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range [][2]string{{"\n", "not added"}, {"n\n", "not added"}, {"y\n", "added same"}} {
		answer, want := tt[0], tt[1]
		f := &command.Flags{OptionalWait: command.MaxOptionalWait, AtTerminal: func() bool { return true }}
		var out, log bytes.Buffer
		code := runWith(t.Context(), f, []string{"graphs", "add", "same.yaml", "--force"}, strings.NewReader(answer), &out, &log)
		if !strings.Contains(out.String(), want) || (code == 0) != (want == "added same") {
			t.Errorf("%q: %d\n%s%s", answer, code, &out, &log)
		}
		if shown := log.String() + out.String(); !strings.Contains(shown, "Save it as same? [y/N] ") || strings.Contains(shown, "\x1b[31m") {
			t.Errorf("%q: shown %q", answer, shown)
		}
	}
}
