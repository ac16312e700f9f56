package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
)

func runsResume(f *flags) *cobra.Command {
	var retry, skip bool
	var pin, file string
	in := app.ResumeRunInput{}
	c := &cobra.Command{
		Use: "resume ID", Short: "Go on with a run that stopped", Args: cobra.ExactArgs(1),
		Long: "Go on with a run that failed, was cancelled or was interrupted, from where it stands: nothing that it completed is done again. --graph-file goes on with a corrected graph.",
		Example: "  patchbay runs resume run_01… --retry\n" +
			"  patchbay runs resume run_01… --pin '{\"sent\": true}' --step send#0",
		RunE: func(cmd *cobra.Command, args []string) error {
			in.RunID, in.Decision = args[0], "retry"
			switch {
			case skip:
				in.Decision = "skip"
			case pin != "":
				in.Decision, in.Pin = "pin", jsonOrText(pin)
			}
			if file != "" {
				text, err := readFile(cmd, file)
				if err != nil {
					return err
				}
				in.File = app.FromText(file, text, in.File.Tool)
				f.withServersOf(file)
			}
			return f.withRun(cmd, args[0], func(p *product) (bool, error) {
				return f.went(cmd, func() (*app.RunResult, *diag.Fault) { return p.ResumeRun(cmd.Context(), in) })
			})
		},
	}
	fl := c.Flags()
	fl.BoolVar(&retry, "retry", false, "do the step again (the default)")
	fl.BoolVar(&skip, "skip", false, "go on without the step's output")
	fl.StringVar(&pin, "pin", "", "`JSON`: go on with this output of the step")
	fl.StringVar(&in.Step, "step", "", "key of the step, if the run stands at several")
	fl.StringVar(&file, "graph-file", "", "`FILE` with a corrected graph")
	fl.StringVar(&in.File.Tool, "tool", "", "which tool of it")
	c.MarkFlagsMutuallyExclusive("retry", "skip", "pin")
	return c
}

func runsAnswer(f *flags) *cobra.Command {
	in := app.AnswerInput{}
	var content string
	c := &cobra.Command{
		Use: "answer ID accept|decline|cancel [KEY=VALUE…]", Short: "Answer what a run asks a person, and go on with it", Args: cobra.MinimumNArgs(2),
		Example: "  patchbay runs answer run_01… accept sure=true\n" +
			"  patchbay runs answer run_01… decline",
		RunE: func(cmd *cobra.Command, args []string) error {
			in.RunID, in.Action = args[0], args[1]
			var err error
			if in.Content, err = arguments(cmd, content, args[2:]); err != nil {
				return err
			}
			return f.withRun(cmd, args[0], func(p *product) (bool, error) {
				return f.went(cmd, func() (*app.RunResult, *diag.Fault) { return p.Answer(cmd.Context(), in) })
			})
		},
	}
	c.Flags().StringVar(&content, "content", "", "the answer as a JSON object, - reads standard input")
	c.Flags().StringVar(&in.Step, "step", "", "key of the step that asks, if several do")
	return c
}

// went prints what a run that went on came to.
func (f *flags) went(cmd *cobra.Command, on func() (*app.RunResult, *diag.Fault)) (failed bool, err error) {
	r, fault := on()
	if fault != nil {
		return false, fault
	}
	return r.Failed(), f.print(cmd.OutOrStdout(), r, func(w io.Writer) { printRun(w, cmd.ErrOrStderr(), r, "none") })
}

// printAsks tells what a run waits for.
func printAsks(log io.Writer, r *app.RunResult) {
	for _, a := range r.Asks {
		fmt.Fprintf(log, "asks: %s\n", a.Message)
		if len(a.Schema) > 0 {
			fmt.Fprintf(log, "  to be answered with %s\n", a.Schema)
		}
		if a.Until != "" {
			fmt.Fprintf(log, "  until %s\n", a.Until)
		}
		fmt.Fprintf(log, "  patchbay runs answer %s accept|decline|cancel [KEY=VALUE…] --step '%s'\n", r.RunID, a.Step)
	}
}
