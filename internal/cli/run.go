package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/run"
)

var runPresenter = presenter{
	long: "Run a graph from a file (- is standard input), or a saved graph by name. " + argumentForms + " The result goes to standard output, the trace to standard error.",
	example: "  patchbay run examples/count_files.yaml directory=.\n" +
		"  patchbay run examples/shipping.yaml --cases examples/shipping.test.yaml\n" +
		"  patchbay run count_files --args '{\"directory\": \".\"}'\n" +
		"  echo '{\"directory\": \".\"}' | patchbay run count_files\n" +
		"  patchbay run examples/shipping.yaml grams=900 --break parcel",
	start: started,
	finish: func(i *invocation) error {
		i.out.(*execution.RunResult).Draft = "" // of this process
		return nil
	},
	extend: func(c *cobra.Command) func(*invocation) error {
		dry := c.Flags().Bool("dry-run", false, "call only tools known to be read-only")
		cases, debug := casesFlag(c), debugFlags(c)
		return func(i *invocation) (err error) {
			in := i.in.(*execution.RunInput)
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
	print: func(i *invocation, w *page) {
		trace := i.in.(*execution.RunInput).Trace
		if i.quiet {
			trace = "none"
		}
		r, log := i.out.(*execution.RunResult), i.page(i.cmd.ErrOrStderr())
		if trace == "none" && r.RunID != "" && !i.quiet {
			printSummary(log, r)
		}
		printRun(w, log, r, trace)
	},
}

// printRun shows the result on w and everything else on log.
func printRun(w, log *page, r *execution.RunResult, trace string) {
	log.diagnostics(r.Rendered)
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
		printAsks(log, r)
	case r.Error != nil:
		printFault(log, r.Error)
	}
	printUnknownCalls(log, r.UnknownCalls, r.Hint)
	if len(r.Result) > 0 {
		fmt.Fprintln(w, string(r.Result))
	}
}

func printSummary(log *page, r *execution.RunResult) {
	fmt.Fprintf(log, "%s %s: %d node executions in %.3f ms\n", r.RunID, log.paint(statusStyle(run.Status(r.Status)), r.Status), r.NodeExecutions, r.DurationMs)
}

// printTrace shows the steps of a run.
func printTrace(log *page, steps []reply.TraceStep) {
	t := newTable("#", "node", "ms", "input", "output", "note")
	for _, s := range steps {
		note := cell{}
		switch {
		case s.Error != "":
			note = cell{text: "failed: " + s.Error, style: bad}
		case s.More > 0:
			note = cell{text: fmt.Sprintf("and %d more that succeeded", s.More), style: faint}
		case s.Simulated != "":
			note = cell{text: "from the " + s.Simulated, style: faint}
		}
		t.add(s.Index, s.Node, cell{text: fmt.Sprintf("%.3f", s.Ms), right: true}, string(s.Input), string(s.Output), note)
	}
	t.write(log)
}

var callPresenter = presenter{
	long:    "Run one downstream tool or saved graph. NODE is its id as search prints it: mcp:<server>/<tool>, or graph:<name>. " + argumentForms,
	example: "  patchbay call mcp:workspace/list_directory path=.\n  patchbay call mcp:workspace/write_file path=notes.txt content@draft.txt",
	start: func(i *invocation) (*app.App, error) {
		return i.openFor(i.cmd.Context(), i.cmd.ErrOrStderr(), []string{i.in.(*execution.RunNodeInput).ID})
	},
	print: func(i *invocation, w *page) {
		r, log := i.out.(*execution.RunNodeResult), i.cmd.ErrOrStderr()
		for _, d := range r.Diags {
			fmt.Fprintf(log, "%s: %s [%s]\n", newCommandWords(i.cmd).argument(d.Path), d.Message, d.Code)
			if d.Hint != "" {
				fmt.Fprintf(log, "  hint: %s\n", d.Hint)
			}
		}
		if r.Error != nil {
			printFault(log, r.Error)
		}
		if i.in.(*execution.RunNodeInput).ShapeOnly {
			for _, path := range r.Paths {
				fmt.Fprintln(w, path)
			}
		}
		if len(r.Output) > 0 {
			fmt.Fprintln(w, string(r.Output))
		}
	},
}
