package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/run"
)

var runsLogsPresenter = command.Presenter{
	Long: "Print what happened in a run: nodeStarted, nodeCompleted and nodeFailed of its steps, and paused, resumed and ended. " +
		"With -f it continues until the run has ended, whichever process runs it; -o json prints a line each time.",
	Example: "  patchbay runs logs latest\n  patchbay runs logs latest:running -f",
	Start:   command.Offline,
	Extend: func(c *cobra.Command) func(*command.Invocation) error {
		follow := c.Flags().BoolP("follow", "f", false, "continue until the run has ended")
		return func(i *command.Invocation) error {
			if *follow {
				i.Presenter.Finish = followLog
			}
			return nil
		}
	},
	Print: command.Visibly(command.Printing(printLog)),
}

// followLog prints the events of a run that has not ended, and returns when it has: then
// the result has the events that were not printed.
func followLog(i *command.Invocation) error {
	var shown run.NoticeLog
	in := i.In.(*execution.RunLogInput)
	i.Lines = true
	ticks := cmp.Or(i.Ticks, time.Tick(command.WatchEvery))
	ctx := i.Cmd.Context()
	for {
		r := i.Out.(*execution.RunLogResult)
		r.Events = shown.New(r.Events)
		if r.Status != string(run.Running) && r.Status != string(run.Interrupted) {
			return nil
		}
		if len(r.Events) > 0 {
			if err := i.Print(i.Cmd, i.Result()); err != nil {
				return err
			}
		}
		select {
		case <-ticks:
		case <-ctx.Done():
			return command.ErrFailed
		}
		out, fault := i.App.RunLog(ctx, *in)
		if fault != nil {
			return fault
		}
		i.Out = out
	}
}

// printLog prints events, each on a line.
func printLog(w *term.Page, r *execution.RunLogResult) {
	for _, n := range r.Events {
		what := []string{n.At.Local().Format("15:04:05.000"), w.Paint(noticeStyle(&n), fmt.Sprintf("%-13s", n.Type))}
		switch {
		case n.Key != "":
			what = append(what, n.Key)
		case n.Status != "":
			what = append(what, string(n.Status))
		}
		if n.Why != "" {
			what = append(what, n.Why)
		}
		if n.Ms > 0 {
			what = append(what, fmt.Sprintf("%.3f ms", n.Ms))
		}
		if n.Attempts > 1 {
			what = append(what, fmt.Sprintf("%d attempts", n.Attempts))
		}
		if n.Given != "" {
			what = append(what, "(from the "+n.Given+")")
		}
		if n.Error != nil {
			what = append(what, fmt.Sprintf("%s [%s]", diag.OneLine(n.Error.Message), n.Error.Code))
		}
		fmt.Fprintln(w, strings.Join(what, "  "))
	}
}

func noticeStyle(n *run.Notice) term.Style {
	switch {
	case n.Type == run.NodeCompleted, n.Type == run.RunEnded && n.Status == run.Succeeded:
		return term.Good
	case n.Type == run.NodeFailed && !n.Caught, n.Type == run.RunEnded && n.Status == run.Failed:
		return term.Bad
	case n.Type == run.NodeStarted:
		return term.Faint
	}
	return term.Doubt
}
