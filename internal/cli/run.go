package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/run"
)

var runPresenter = command.Presenter{
	Long: "Run a graph from a file (- is standard input), or a saved graph by name. " + command.ArgumentForms + " The result goes to standard output, the trace to standard error.",
	Example: "  patchbay run examples/count_files.yaml directory=.\n" +
		"  patchbay run examples/shipping.yaml --cases examples/shipping.test.yaml\n" +
		"  patchbay run count_files --args '{\"directory\": \".\"}'\n" +
		"  echo '{\"directory\": \".\"}' | patchbay run count_files\n" +
		"  patchbay run examples/shipping.yaml grams=900 --break parcel",
	Start: command.Started,
	Finish: func(i *command.Invocation) error {
		i.Out.(*execution.RunResult).Draft = "" // of this process
		return nil
	},
	Extend: func(c *cobra.Command) func(*command.Invocation) error {
		dry := c.Flags().Bool("dry-run", false, "call only tools known to be read-only")
		cases, debug := casesFlag(c), command.DebugFlags(c)
		return func(i *command.Invocation) (err error) {
			in := i.In.(*execution.RunInput)
			if *dry {
				in.Mode = "dry_run"
			}
			if in.Cases, err = cases(); err != nil {
				return err
			}
			in.Debugger, err = debug(i)
			return err
		}
	},
	Print: func(i *command.Invocation, w *term.Page) {
		trace := i.In.(*execution.RunInput).Trace
		if i.Quiet {
			trace = "none"
		}
		r, log := i.Out.(*execution.RunResult), i.Page(i.Cmd.ErrOrStderr())
		if trace == "none" && r.RunID != "" && !i.Quiet {
			printSummary(log, r)
		}
		printRun(w, log, r, trace)
	},
}

// printRun shows the result on w and everything else on log.
func printRun(w, log *term.Page, r *execution.RunResult, trace string) {
	log.Diagnostics(r.Rendered)
	if r.Cases != nil {
		printCases(w, log, r)
		return
	}
	if trace != "none" {
		printTrace(log, r.Trace)
		printSummary(log, r)
	}
	switch {
	case len(r.Asks) > 0:
		command.PrintAsks(log, r)
	case r.Error != nil:
		command.PrintFault(log, r.Error)
	}
	printUnknownCalls(log, r.UnknownCalls, r.Hint)
	if len(r.Result) > 0 {
		fmt.Fprintln(w, string(r.Result))
	}
}

func printSummary(log *term.Page, r *execution.RunResult) {
	fmt.Fprintf(log, "%s %s: %d node executions in %.3f ms\n", r.RunID, log.Paint(statusStyle(run.Status(r.Status)), r.Status), r.NodeExecutions, r.DurationMs)
}

// printTrace shows the steps of a run.
func printTrace(log *term.Page, steps []reply.TraceStep) {
	t := term.NewTable("#", "node", "ms", "input", "output", "note")
	for _, s := range steps {
		note := term.Cell{}
		switch {
		case s.Error != "":
			note = term.Cell{Text: "failed: " + s.Error, Style: term.Bad}
		case s.More > 0:
			note = term.Cell{Text: fmt.Sprintf("and %d more that succeeded", s.More), Style: term.Faint}
		case s.Simulated != "":
			note = term.Cell{Text: "from the " + s.Simulated, Style: term.Faint}
		}
		t.Add(s.Index, s.Node, term.Cell{Text: fmt.Sprintf("%.3f", s.Ms), Right: true}, string(s.Input), string(s.Output), note)
	}
	t.Write(log)
}

var callPresenter = command.Presenter{
	Long:    "Run one downstream tool or saved graph. NODE is its id as search prints it: mcp:<server>/<tool>, or graph:<name>. " + command.ArgumentForms,
	Example: "  patchbay call mcp:workspace/list_directory path=.\n  patchbay call mcp:workspace/write_file path=notes.txt content@draft.txt",
	Start: func(i *command.Invocation) (*app.App, error) {
		return i.OpenFor(i.Cmd.Context(), i.Cmd.ErrOrStderr(), []string{i.In.(*execution.RunNodeInput).ID})
	},
	Print: func(i *command.Invocation, w *term.Page) {
		r, log := i.Out.(*execution.RunNodeResult), i.Cmd.ErrOrStderr()
		for _, d := range r.Diags {
			fmt.Fprintf(log, "%s: %s [%s]\n", command.NewWords(i.Cmd).Argument(d.Path), d.Message, d.Code)
			if d.Hint != "" {
				fmt.Fprintf(log, "  hint: %s\n", d.Hint)
			}
		}
		if r.Error != nil {
			command.PrintFault(log, r.Error)
		}
		if i.In.(*execution.RunNodeInput).ShapeOnly {
			for _, path := range r.Paths {
				fmt.Fprintln(w, path)
			}
		}
		if len(r.Output) > 0 {
			fmt.Fprintln(w, string(r.Output))
		}
	},
}
