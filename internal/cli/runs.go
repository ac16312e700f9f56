package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/run"
)

var runsListPresenter = command.Presenter{
	Long: "List the recorded runs of this project, latest first. With --by-graph, list graphs instead: how often each has completed, and how many calls and tokens that kept out of the model: " +
		"the calls of its runs less one for each run, and the results of these calls less those of the runs, at 4 bytes a token. A graph that makes no calls has negative figures.",
	Example: "  patchbay runs list --status failed --since 24h\n  patchbay runs list --by-graph --since 720h",
	Start:   command.Offline,
	Print: command.Visibly(func(i *command.Invocation, w *term.Page) {
		r := i.Out.(*execution.RunsResult)
		if i.In.(*execution.RunsInput).ByGraph {
			printUses(w, r.Graphs)
			return
		}
		printRuns(w, r.Runs, i.In.(*execution.RunsInput).AllProjects, cmp.Or(r.Hint, "no runs"))
		for _, s := range r.Runs {
			for _, link := range s.Links {
				fmt.Fprintf(w, "answer %s: %s\n", s.ID, link)
			}
		}
	}),
	Names: func(i *command.Invocation) []string {
		r := i.Out.(*execution.RunsResult)
		return append(lists.Each(r.Graphs, func(g execution.GraphUse) string { return g.Graph }), lists.Each(r.Runs, func(s run.Summary) string { return s.ID })...)
	},
}

// printRuns prints a line about each run, with its project if that is of interest, or what
// to say without one.
func printRuns(w *term.Page, runs []run.Summary, projects bool, none string) {
	header := []string{"run", "status", "started", "took", "steps", "graph", "arguments", "message"}
	if projects {
		header[6] = "project" // there is no room for both
	}
	t := term.NewTable(header...)
	for _, s := range runs {
		took := "-"
		if !s.Ended.IsZero() {
			took = term.Duration(s.Ended.Sub(s.Started))
		}
		row := []any{term.Cell{Text: s.ID, ID: true}, term.Cell{Text: string(s.Status), Style: statusStyle(s.Status)}, term.Ago(s.Started, time.Now()), term.Cell{Text: took, Right: true}, s.Steps}
		message := s.Message
		if s.Unverified {
			message = strings.TrimSpace("not verified, so it is not resumed " + message)
		}
		if s.Code != "" {
			message += " [" + s.Code + "]"
		}
		of := diag.Cut(diag.OneLine(string(s.Arguments)), 60)
		if projects {
			of = cmp.Or(s.Project, config.NoProject)
		}
		t.Add(append(row, s.Graph, of, message)...)
	}
	t.WriteOr(w, none)
}

// printUses prints what graphs have kept out of the model.
func printUses(w *term.Page, graphs []execution.GraphUse) {
	t := term.NewTable("graph", "uses", "calls kept out", "tokens kept out")
	for _, g := range graphs {
		t.Add(g.Graph, g.Uses, g.CallsKeptOut, g.TokensKeptOut)
	}
	t.WriteOr(w, "no completed runs")
}

// statusStyle shows how a run is doing.
func statusStyle(s run.Status) term.Style {
	switch s {
	case run.Succeeded:
		return term.Good
	case run.Failed:
		return term.Bad
	case run.Cancelled:
		return term.Faint
	}
	return term.Doubt
}

var runsShowPresenter = command.Presenter{
	Example: "  patchbay runs show latest\n  patchbay runs show latest:failed --node send",
	Long:    "Show a run as a table and a timeline. With --index, --node or --expr: one execution, and the context after it.",
	Start:   command.Offline,
	Print:   command.Visibly(command.Printing(printRecord)),
}

// printRecord shows a run to people.
func printRecord(w *term.Page, r *execution.GetRunResult) {
	switch {
	case len(r.Value) > 0 || r.Type != "":
		fmt.Fprintln(w, string(r.Value))
		return
	case r.Step != nil:
		printStep(w, r.Step)
		return
	}
	fmt.Fprintf(w.Prose(), "%s  %s  %s\nstarted %s, %.3f ms, %d node executions\n", r.RunID, r.Graph, r.Status, r.Started, r.DurationMs, r.NodeExecutions)
	if r.Project != "" {
		fmt.Fprintf(w, "of the project %s\n", r.Project)
	}
	if r.Unverified != "" {
		fmt.Fprintln(w.Prose(), r.Unverified)
	}
	if len(r.Arguments) > 0 {
		fmt.Fprintf(w, "arguments %s\n", r.Arguments)
	}
	width := 40
	if w.Width > 0 {
		width = max(term.MinColumn, min(width, w.Width-len("   0  ")-24-len(" 12345.678 ms  ||")))
	}
	for _, s := range r.Trace {
		name := s.Node
		if s.Key != "" {
			name = s.Key
		}
		from, to := 0, width
		if r.DurationMs > 0 {
			from = min(width-1, int(s.StartMs/r.DurationMs*float64(width)))
			to = min(width, max(from+1, int((s.StartMs+s.Ms)/r.DurationMs*float64(width)+0.5)))
		}
		came := ""
		switch {
		case s.Error != "":
			came = "  failed: " + s.Error
		case len(s.Output) > 0:
			came = "  -> " + diag.Cut(diag.OneLine(string(s.Output)), 80)
		}
		if s.Simulated != "" {
			came += fmt.Sprintf("  (from the %s)", s.Simulated)
		}
		if s.Attempts > 1 {
			came += fmt.Sprintf("  (%d attempts)", s.Attempts)
		}
		if w.Width > 0 && came != "" {
			came = "\n    " + came
		}
		fmt.Fprintf(w, "%4d  %-24s %9.3f ms  |%s%s%s|%s\n", s.Index, name, s.Ms, strings.Repeat(" ", from), strings.Repeat("=", to-from), strings.Repeat(" ", width-to), term.Wrap(came, w.Width))
	}
	printModelTokens(w, r.Tokens, "")
	for _, x := range r.Resumed {
		fmt.Fprintf(w, "resumed %s after %s: %s %s\n", x.At.Local().Format("2006-01-02 15:04:05"), x.After, x.Decision, x.Step)
	}
	for _, a := range r.Asks {
		fmt.Fprintf(w.Prose(), "asks (%s): %s\n", a.Step, a.Message)
		command.PrintAnswer(w.Prose(), a.Schema)
		if a.Link != "" {
			fmt.Fprintf(w, "  answer link: %s\n", a.Link)
		}
	}
	if len(r.Result) > 0 {
		fmt.Fprintf(w, "result %s\n", r.Result)
	}
	if r.Error != nil {
		command.PrintFault(w, r.Error)
	}
	printUnknownCalls(w, r.UnknownCalls, r.Hint)
}

// printUnknownCalls prints what somebody has to find out before they decide about a
// run.
func printUnknownCalls(w io.Writer, calls []run.Called, hint string) {
	for _, c := range calls {
		outcome := "outcome unknown"
		if c.Completed {
			outcome = "completed without a result"
		}
		fmt.Fprintf(w, "%s (%s): %s/%s %s\n", outcome, c.Step, c.Server, c.Tool, c.Arguments)
		if c.Failure != "" {
			fmt.Fprintf(w, "  failure: %s\n", c.Failure)
		}
		if c.Idempotency != "" {
			fmt.Fprintf(w, "  idempotency key: %s\n", c.Idempotency)
		}
	}
	if hint != "" {
		fmt.Fprintf(w, "hint: %s\n", hint)
	}
}

// printStep shows one execution: its input and output, and its expressions with their
// values.
func printStep(w io.Writer, s *reply.TraceStep) {
	fmt.Fprintf(w, "%s #%d  %.3f ms\n  <- %s\n  -> %s\n", s.Node, s.Index, s.Ms, cmp.Or(string(s.Input), "nothing"), cmp.Or(string(s.Output), "nothing"))
	for _, x := range s.Expressions {
		came := string(x.Value)
		switch {
		case x.Error != "":
			came = "failed: " + x.Error
		case came == "":
			came = "nothing"
		}
		line := fmt.Sprint("line ", x.Line)
		if x.Graph != "" {
			line += " of " + x.Graph
		}
		fmt.Fprintf(w, "  %s  %s\n    = %s\n", line, diag.OneLine(x.Text), came)
	}
}

var runsCancelPresenter = command.Presenter{
	Example: "  patchbay runs cancel latest",
	Start:   command.Offline,
	Print:   command.Printing(func(w *term.Page, r *execution.CancelRunResult) { fmt.Fprintln(w, r.RunID, r.Status) }),
}

var runsReplayPresenter = command.Presenter{
	Example: "  patchbay runs replay latest",
	Start:   command.Offline,
	Print: command.Visibly(command.Printing(func(w *term.Page, r *execution.ReplayResult) {
		if r.Same {
			fmt.Fprintf(w, "%s: same path, same outputs, %d node executions\n", r.RunID, r.Steps)
		}
		command.PrintDifferences(w, r.Differences, "recorded")
	})),
}

var runsSaveTestPresenter = command.Presenter{
	Example: "  patchbay runs save-test latest --file graphs/send.test.yaml",
	Start:   command.Offline,
	Finish: func(i *command.Invocation) error {
		r := i.Out.(*library.SaveTestResult)
		r.Test = string(i.App.Config().Redactor.RedactJSON([]byte(r.Test))) // a test is shared
		return nil
	},
	Print: command.Printing(func(w *term.Page, r *library.SaveTestResult) { fmt.Fprint(w, r.Test) }),
}

var runsPrunePresenter = command.Presenter{
	Example: "  patchbay runs prune --older 168h",
	Long:    "Delete the runs of this project that stopped longer ago than --older, then the oldest runs of any project until all take at most --max-mb. Running and waiting runs are kept.",
	Start:   command.Offline,
	Print: command.Printing(func(w *term.Page, r *execution.PruneResult) {
		fmt.Fprintf(w, "deleted %s\n", term.Count(r.Deleted, "run"))
	}),
}

var runsAdoptPresenter = command.Presenter{
	Long: "Move the runs of another project to this one: of a folder that was moved or renamed, or of a configuration whose name has changed. A run is listed and resumed only by its own project.",
	Example: "  patchbay runs adopt --from ~/old/folder\n" +
		"  patchbay runs adopt --from none   # runs without a project, which earlier versions made",
	Start: command.Offline,
	Print: command.Printing(func(w *term.Page, r *execution.AdoptRunsResult) {
		fmt.Fprintf(w, "moved %s to the project %s\n", term.Count(r.Adopted, "run"), r.Project)
	}),
}
