package cli

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

var runsResumePresenter = command.Presenter{
	Long: "Resume a failed, cancelled or interrupted run at the step where it stopped. Completed steps are not repeated. --graph-file resumes it with a corrected graph, which must leave them unchanged.",
	Example: "  patchbay runs resume run_01… --retry\n" +
		"  patchbay runs resume run_01… --pin '{\"sent\": true}' --step send#0",
	Start: func(i *command.Invocation) (*app.App, error) {
		return startFor(i, &i.In.(*execution.ResumeRunInput).RunID)
	},
	Extend: resumeFlags,
	Print:  printResumed,
}

// resumeFlags are those of the decision and of a corrected graph's file.
func resumeFlags(c *cobra.Command) func(*command.Invocation) error {
	fl := c.Flags()
	fl.Bool("retry", false, "try the open step again (default)")
	skip := fl.Bool("skip", false, "continue without the step's output")
	pin := fl.String("pin", "", "`JSON`: continue with this output of the step; - is standard input, @FILE a file")
	file := fl.String("graph-file", "", "`FILE` with a corrected graph")
	tool := fl.String("tool", "", "which tool of that document")
	c.MarkFlagsMutuallyExclusive("retry", "skip", "pin")
	return func(i *command.Invocation) error {
		in := i.In.(*execution.ResumeRunInput)
		in.Decision = "retry"
		switch {
		case *skip:
			in.Decision = "skip"
		case *pin != "":
			value, err := command.ReadSource(i.Cmd, "--pin", *pin)
			if err != nil {
				return err
			}
			if !json.Valid([]byte(value)) {
				return diag.BadArgument("--pin", `write a string in quotes: --pin '"text"'`, "--pin is not JSON: %s", diag.Excerpt(value))
			}
			in.Decision, in.Pin = "pin", json.RawMessage(value)
		}
		if *file == "" {
			return nil
		}
		i.StartServersIn(*file)
		text, err := command.ReadFile(i.Cmd, *file)
		in.File = plans.FromText(*file, text, *tool)
		return err
	}
}

var runsAnswerPresenter = command.Presenter{
	Long: "Answer a run's question to a person, and resume the run. " + command.ArgumentForms,
	Example: "  patchbay runs answer run_01… accept sure=true\n" +
		"  patchbay runs answer run_01… decline",
	Start: func(i *command.Invocation) (*app.App, error) {
		return startFor(i, &i.In.(*execution.AnswerInput).RunID)
	},
	Print: printResumed,
}

// startFor opens the App for a run that is resumed. If its graph came from a file of
// the operator's that defines servers, these are known too.
func startFor(i *command.Invocation, id *string) (*app.App, error) {
	p, err := command.Offline(i)
	if err != nil || len(i.ServerFiles) > 0 {
		return p, err
	}
	if err := i.NameRun(p); err != nil {
		p.Close()
		return nil, err
	}
	src, fault := p.RunSource(i.Cmd.Context(), *id)
	if fault == nil && src.Trusted && strings.Contains(src.Text, "mcpServers") {
		if text, err := files.ReadText(src.Name, graph.MaxBytes); err == nil && text == src.Text {
			i.StartServersIn(src.Name)
		} else {
			i.CheckServersIn(src.Name)
		}
	}
	if fault == nil && len(i.ServerFiles)+len(i.CheckedFiles) == 0 {
		return p, nil
	}
	p.Close()
	if fault != nil {
		return nil, fault
	}
	return command.Offline(i)
}

func printResumed(i *command.Invocation, w *term.Page) {
	printRun(w, i.Page(i.Cmd.ErrOrStderr()), i.Out.(*execution.RunResult), "none")
}
