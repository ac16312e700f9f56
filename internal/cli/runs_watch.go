package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/run"
)

func runsWatchCommand(f *command.Flags) *cobra.Command {
	return &cobra.Command{
		Use: "watch [ID]", Short: "Show runs while they execute, in whichever process",
		Long: "Show a run while it executes, in whichever process that is: a line for each node with how often it has executed, its items and its time. The command ends when the run has ended; the exit code is 1 if the run did not succeed. " +
			"Without ID, every run of this project that is running is shown, until none is. Progress goes to standard error: at a terminal lines that are updated, elsewhere a line for each node that has executed. Standard output has a line for each run that has ended.",
		Example: "  patchbay runs watch\n  patchbay runs watch latest:running",
		RunE:    f.WithApp(func(cmd *cobra.Command, p *app.App, args []string) error { return watchRuns(f, cmd, p, args) }),
	}
}

// watchedResult is the result of runs watch: the runs that have ended.
type watchedResult struct {
	Runs []*execution.GetRunResult `json:"runs"`
}

// watchRuns shows a run, or those that are running, until they have ended.
func watchRuns(f *command.Flags, cmd *cobra.Command, p *app.App, args []string) error {
	w := &watchedRuns{app: p, presenter: command.NewWords(cmd), plain: f.PlainProgress(cmd)}
	for _, name := range args {
		id, fault := p.RunID(cmd.Context(), name)
		if fault != nil {
			return fault
		}
		w.add(id)
	}
	ticks := cmp.Or(f.Ticks, time.Tick(command.WatchEvery))
	stop := f.ShowProgress(cmd, true, w)
	err := w.follow(cmd.Context(), ticks, len(args) == 0)
	stop()
	if err != nil {
		return err
	}
	out, failed := watchedResult{Runs: []*execution.GetRunResult{}}, false
	for _, r := range w.runs {
		out.Runs = append(out.Runs, r.result)
		failed = failed || len(args) > 0 && r.result.Status != string(run.Succeeded)
	}
	return command.FailedIf(failed, f.Print(cmd, command.Result{Value: out, Names: out.names, Text: out.print}))
}

func (r watchedResult) names() []string {
	return lists.Each(r.Runs, func(x *execution.GetRunResult) string { return x.RunID })
}

func (r watchedResult) print(w *term.Page) {
	for _, x := range r.Runs {
		fmt.Fprintf(w, "%s: %d node executions in %.3f ms\n", strings.Join(strings.Fields(x.RunID+" "+x.Graph), " ")+" "+w.Paint(statusStyle(run.Status(x.Status)), x.Status), x.NodeExecutions, x.DurationMs)
		if x.Error != nil {
			command.PrintFault(w, x.Error)
		}
	}
	if len(r.Runs) == 0 {
		fmt.Fprintln(w, "no run is running")
	}
}

// follow looks at the runs at each tick until they have ended; those of all looks for runs
// that have started meanwhile, too.
func (w *watchedRuns) follow(ctx context.Context, ticks <-chan time.Time, all bool) error {
	for {
		if all {
			r, fault := w.app.Runs(ctx, execution.RunsInput{Status: string(run.Running)})
			if fault != nil {
				return fault
			}
			for _, s := range slices.Backward(r.Runs) {
				w.add(s.ID)
			}
		}
		live, err := w.look(ctx)
		if err != nil || live == 0 {
			return err
		}
		select {
		case <-ticks:
		case <-ctx.Done():
			return command.ErrFailed
		}
	}
}
