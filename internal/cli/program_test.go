package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

// A program of another name calls itself by it: in help, in hints, in the scripts that
// complete commands and in what clients start.
func TestProgramHasItsOwnName(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for _, tt := range []struct {
		args string
		want []string
		not  string
	}{
		{"help runs resume", []string{"patchbay-temporal runs resume", "  patchbay-temporal runs resume "}, "patchbay runs"},
		{"--help", []string{"patchbay-temporal [command]", "Patchbay lets an agent"}, "patchbay-temporal-"},
		{"runs show no-such-run", []string{"patchbay-temporal: ", "hint: "}, "patchbay runs"},
		{"no-such-command", []string{`patchbay-temporal: unknown command "no-such-command" of "patchbay-temporal"`}, "patchbay:"},
		{"completion bash", []string{"__start_patchbay-temporal"}, "__start_patchbay "},
		{"init --client claude-code --print", []string{`"command": "patchbay-temporal"`, `"patchbay": {`}, ""},
	} {
		var out bytes.Buffer
		f := &command.Flags{OptionalWait: command.MaxOptionalWait, Setup: app.Setup{Program: "patchbay-temporal"}}
		runWith(t.Context(), f, strings.Fields(tt.args), strings.NewReader(""), &out, &out)
		for _, want := range tt.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s lacks %q:\n%.1500s", tt.args, want, out.String())
			}
		}
		if tt.not != "" && strings.Contains(out.String(), tt.not) {
			t.Errorf("%s has %q:\n%.1500s", tt.args, tt.not, out.String())
		}
	}
}

// A value of a log line that is called as the program is not the program.
func TestValuesAreNotTheProgram(t *testing.T) {
	const line = "level=INFO msg=started TaskQueue=patchbay WorkerID=1"
	if got := command.Named("patchbay-temporal", line); got != line {
		t.Errorf("%q", got)
	}
	if got := command.Named("patchbay-temporal", "hint: patchbay runs list"); got != "hint: patchbay-temporal runs list" {
		t.Errorf("%q", got)
	}
}
