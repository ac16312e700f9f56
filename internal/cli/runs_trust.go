package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/run"
)

// A runsTrustResult is the result of runs trust.
type runsTrustResult struct {
	File    string        `json:"file"`
	Trusted bool          `json:"trusted"`
	Runs    []run.Summary `json:"runs"`              // that were not verified
	Changed []string      `json:"changed,omitempty"` // of these, changed since they were shown: they are not believed
}

func runsTrustCommand(f *command.Flags) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "trust FILE", Short: "Believe the runs of a journal from elsewhere", Args: cobra.ExactArgs(1),
		Long: "Believe the runs of a journal that this user's Patchbay did not write, or that were changed since: of an earlier version in a folder of a project, of another user or machine, or after the key was lost. " +
			"The command shows the runs that have not ended, which can be resumed then with the rights of who started them, and asks at a terminal unless --yes is given. What graphs have stored, and when schedules last started, is believed too.",
		Example: "  patchbay runs trust ./runs.db",
		RunE: f.WithApp(func(cmd *cobra.Command, p *app.App, args []string) error {
			var err error
			out := &runsTrustResult{File: args[0]}
			out.Runs, out.Trusted, out.Changed, err = p.TrustRuns(args[0], func(list []run.Summary) (bool, error) {
				if yes || f.Structured() || !command.ReadStdin(cmd).Terminal {
					return yes, nil
				}
				log := f.Page(cmd.ErrOrStderr())
				printUnverified(log, list)
				fmt.Fprintf(log, "Believe them? [y/N] ")
				return command.ReadStdin(cmd).Agrees(cmd.Context())
			})
			if err != nil {
				return err
			}
			return command.FailedIf(!out.Trusted || len(out.Changed) > 0, f.Print(cmd, command.Result{Value: out, Names: func() []string { return []string{out.File} }, Text: func(w *term.Page) {
				if !command.ReadStdin(cmd).Terminal || yes {
					printUnverified(w, out.Runs)
				}
				if !out.Trusted {
					fmt.Fprintln(w, "nothing was changed: --yes has them believed")
					return
				}
				fmt.Fprintf(w, "%s is believed\n", out.File)
				for _, id := range out.Changed {
					fmt.Fprintf(w, "but the run %s has changed since it was shown: look at it again\n", diag.Visible(id))
				}
			}}))
		}),
	}
	c.Flags().BoolVar(&yes, "yes", false, "ask nothing")
	return c
}

// printUnverified prints the runs that can be resumed, and how many there are of the others.
func printUnverified(w *term.Page, list []run.Summary) {
	open := slices.DeleteFunc(slices.Clone(list), func(s run.Summary) bool { return s.Status != run.Running && s.Status != run.Interrupted })
	printRuns(w, open, true, "none of them can be resumed")
	fmt.Fprintf(w, "not verified: %s; not ended: %d\n", term.Count(len(list), "run"), len(open))
}
