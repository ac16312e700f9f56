package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/schema"
)

var runsResumePresenter = presenter{
	long: "Resume a failed, cancelled or interrupted run at the step where it stopped. Completed steps are not repeated. --graph-file resumes it with a corrected graph, which must leave them unchanged.",
	example: "  patchbay runs resume run_01… --retry\n" +
		"  patchbay runs resume run_01… --pin '{\"sent\": true}' --step send#0",
	start:  func(i *invocation) (*app.App, error) { return startFor(i, &i.in.(*execution.ResumeRunInput).RunID) },
	extend: resumeFlags,
	print:  printResumed,
}

// resumeFlags are those of the decision and of a corrected graph's file.
func resumeFlags(c *cobra.Command) func(*invocation) error {
	fl := c.Flags()
	fl.Bool("retry", false, "try the open step again (default)")
	skip := fl.Bool("skip", false, "continue without the step's output")
	pin := fl.String("pin", "", "`JSON`: continue with this output of the step; - is standard input, @FILE a file")
	file := fl.String("graph-file", "", "`FILE` with a corrected graph")
	tool := fl.String("tool", "", "which tool of that document")
	c.MarkFlagsMutuallyExclusive("retry", "skip", "pin")
	return func(i *invocation) error {
		in := i.in.(*execution.ResumeRunInput)
		in.Decision = "retry"
		switch {
		case *skip:
			in.Decision = "skip"
		case *pin != "":
			value, err := readSource(i.cmd, "--pin", *pin)
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
		i.startServersIn(*file)
		text, err := readFile(i.cmd, *file)
		in.File = plans.FromText(*file, text, *tool)
		return err
	}
}

var runsAnswerPresenter = presenter{
	long: "Answer a run's question to a person, and resume the run. " + argumentForms,
	example: "  patchbay runs answer run_01… accept sure=true\n" +
		"  patchbay runs answer run_01… decline",
	start: func(i *invocation) (*app.App, error) { return startFor(i, &i.in.(*execution.AnswerInput).RunID) },
	print: printResumed,
}

// startFor opens the App for a run that is resumed. If its graph came from a file of
// the operator's that defines servers, these are known too.
func startFor(i *invocation, id *string) (*app.App, error) {
	p, err := offline(i)
	if err != nil || len(i.serverFiles) > 0 {
		return p, err
	}
	if err := i.nameRun(p); err != nil {
		p.Close()
		return nil, err
	}
	src, fault := p.RunSource(i.cmd.Context(), *id)
	if fault == nil && src.Trusted && strings.Contains(src.Text, "mcpServers") {
		if text, err := files.ReadText(src.Name, graph.MaxBytes); err == nil && text == src.Text {
			i.startServersIn(src.Name)
		} else {
			i.checkServersIn(src.Name)
		}
	}
	if fault == nil && len(i.serverFiles)+len(i.checkedFiles) == 0 {
		return p, nil
	}
	p.Close()
	if fault != nil {
		return nil, fault
	}
	return offline(i)
}

func printResumed(i *invocation, w *page) {
	printRun(w, i.page(i.cmd.ErrOrStderr()), i.out.(*execution.RunResult), "none")
}

// printAsks prints the questions that a run waits for.
func printAsks(log io.Writer, r *execution.RunResult) {
	for _, a := range r.Asks {
		fmt.Fprintf(log, "asks: %s\n", a.Message)
		content := "KEY=VALUE…"
		if a.Permits != "" {
			content = "allow=" + strings.Join(a.Allowances(), "|")
		} else {
			printAnswer(log, a.Schema)
		}
		if a.Until != "" {
			fmt.Fprintf(log, "  until %s\n", a.Until)
		}
		fmt.Fprintf(log, "  patchbay runs answer %s accept|decline|cancel [%s] --step '%s'\n", r.RunID, content, a.Step)
	}
}

// printAnswer shows the fields of an answer with their types and meanings, one a line.
func printAnswer(w io.Writer, answer json.RawMessage) {
	for _, p := range schema.Parameters(schema.Read(answer)) {
		fmt.Fprintf(w, "  %s\n", strings.TrimSpace(parameterLine(p)))
	}
}
