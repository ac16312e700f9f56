package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/setup"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// What others have written steers no terminal to which the output is piped, and forges no
// line of a report.
func TestWhatOthersWroteIsPrintedVisibly(t *testing.T) {
	const evil = "a\x1b[2J\u202eb"
	for what, print := range map[string]func(*term.Page){
		"test": func(w *term.Page) {
			printTests(w, []*execution.TestResult{{File: "a.yaml", Name: evil + "\nok    other.yaml (1)", Differences: []execution.Difference{{Step: evil}}}})
		},
		"runs show": func(w *term.Page) {
			runsShowPresenter.Print(&command.Invocation{Out: &execution.GetRunResult{Graph: evil, Status: evil, Project: evil}}, w)
		},
		"runs list": func(w *term.Page) {
			runsListPresenter.Print(&command.Invocation{In: &execution.RunsInput{}, Out: &execution.RunsResult{Runs: []run.Summary{{ID: evil, Links: []string{"link"}}}}}, w)
		},
		"mcp info": func(w *term.Page) {
			setup.MCPInfoPresenter.Print(&command.Invocation{Out: &plans.ServerResult{Status: downstream.Status{Name: evil, Reason: evil}}}, w)
		},
	} {
		var out bytes.Buffer
		print(&term.Page{Writer: &out})
		if got := out.String(); strings.ContainsAny(got, "\x1b\u202e") || !strings.Contains(got, `a\u001b[2J\u202eb`) || strings.Contains(got, "\nok") {
			t.Errorf("%s: %q", what, got)
		}
	}
}
