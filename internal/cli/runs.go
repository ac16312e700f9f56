package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

func runsCommand(f *flags) *cobra.Command {
	c := &cobra.Command{Use: "runs", Short: "Look at runs that were kept, and go on with those that stopped"}
	c.AddCommand(runsList(f), runsShow(f), runsResume(f), runsAnswer(f), runsCancel(f), runsReplay(f), runsSaveTest(f), runsPrune(f))
	return c
}

// withRuns does something that needs the runs that are kept, and no server
// unless the run that goes on calls one.
func (f *flags) withRuns(cmd *cobra.Command, do func(p *product) (failed bool, err error)) error {
	f.offline = true
	p, err := f.assemble(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer p.Close()
	failed, err := do(p)
	if err == nil && failed {
		return errFailed
	}
	return err
}

// withRun is withRuns for a run that is to go on: if its graph came from a file
// of the operator's that defines servers, they are started too.
func (f *flags) withRun(cmd *cobra.Command, id string, do func(p *product) (failed bool, err error)) error {
	before := len(f.beside)
	err := f.withRuns(cmd, func(p *product) (bool, error) {
		src, fault := p.SourceOf(cmd.Context(), id)
		if fault != nil {
			return false, fault
		}
		if src.Trusted && before == 0 && strings.Contains(src.Text, "mcpServers") {
			f.withServersOf(src.Name)
		}
		if len(f.beside) > before {
			return false, nil
		}
		return do(p)
	})
	if err != nil || len(f.beside) == before {
		return err
	}
	return f.withRuns(cmd, do)
}

func runsList(f *flags) *cobra.Command {
	in := app.RunsInput{}
	c := &cobra.Command{
		Use: "list", Short: "List the runs that are kept, the latest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.withRuns(cmd, func(p *product) (bool, error) {
				r, fault := p.Runs(cmd.Context(), in)
				if fault != nil {
					return false, fault
				}
				return false, f.print(cmd.OutOrStdout(), r, func(w io.Writer) {
					for _, s := range r.Runs {
						took := "-"
						if !s.Ended.IsZero() {
							took = s.Ended.Sub(s.Started).Round(time.Millisecond).String()
						}
						fmt.Fprintf(w, "%s  %-11s  %s  %8s  %4d steps  %s %s", s.ID, s.Status, s.Started.Local().Format("2006-01-02 15:04:05"), took, s.Steps, s.Graph, oneLine(s.Arguments, 60))
						if s.Message != "" {
							fmt.Fprintf(w, "  %s", s.Message)
						}
						fmt.Fprintln(w)
					}
				})
			})
		},
	}
	fl := c.Flags()
	fl.StringVar(&in.Graph, "graph-name", "", "only runs of this graph")
	fl.StringVar(&in.Status, "status", "", "only runs that are running, succeeded, failed, cancelled or interrupted")
	fl.DurationVar(&in.Since, "since", 0, "only runs that started so long ago at most, such as 2h")
	fl.IntVar(&in.Limit, "limit", 50, "at most so many; 0 is all")
	return c
}

// oneLine cuts JSON to one line of a table.
func oneLine(b json.RawMessage, width int) string {
	line := []rune(strings.Join(strings.Fields(string(b)), " "))
	if len(line) > width {
		return string(line[:width]) + "…"
	}
	return string(line)
}

func runsShow(f *flags) *cobra.Command {
	in := app.GetRunInput{}
	at := 0
	c := &cobra.Command{
		Use: "show ID", Short: "Show what a run did, as a table and a timeline", Args: cobra.ExactArgs(1),
		Long: "Show what a run did, as a table and a timeline. With --index, --node or --expr: one execution, and what expressions saw after it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			in.RunID = args[0]
			if cmd.Flags().Changed("index") {
				in.Index = &at
			}
			return f.withRuns(cmd, func(p *product) (bool, error) {
				r, fault := p.GetRun(cmd.Context(), in)
				if fault != nil {
					return false, fault
				}
				return false, f.print(cmd.OutOrStdout(), r, func(w io.Writer) { printRecord(w, r) })
			})
		},
	}
	fl := c.Flags()
	fl.IntVar(&at, "index", 0, "which execution: 0 is the first, -1 the last")
	fl.StringVar(&in.Node, "node", "", "one node, or the key of one step")
	fl.StringVar(&in.Expr, "expr", "", "JSONata over what expressions saw after that execution")
	return c
}

// printRecord shows a run to people.
func printRecord(w io.Writer, r *app.GetRunResult) {
	switch {
	case len(r.Value) > 0 || r.Type != "":
		fmt.Fprintln(w, string(r.Value))
		return
	case r.Step != nil:
		fmt.Fprintf(w, "%s #%d  %.3f ms\n  <- %s\n  -> %s\n", r.Step.Node, r.Step.Index, r.Step.Ms, r.Step.Input, r.Step.Output)
		return
	}
	fmt.Fprintf(w, "%s  %s  %s  started %s, %.3f ms, %d node executions\n", r.RunID, r.Graph, r.Status, r.Started, r.DurationMs, r.NodeExecutions)
	if len(r.Arguments) > 0 {
		fmt.Fprintf(w, "arguments %s\n", r.Arguments)
	}
	const width = 40
	for _, s := range r.Trace {
		name := s.Node
		if s.Key != "" {
			name = s.Key
		}
		from, to := 0, width
		if r.DurationMs > 0 {
			from = min(width-1, int(s.StartMs/r.DurationMs*width))
			to = min(width, max(from+1, int((s.StartMs+s.Ms)/r.DurationMs*width+0.5)))
		}
		fmt.Fprintf(w, "%4d  %-24s %9.3f ms  |%s%s%s|", s.Index, name, s.Ms, strings.Repeat(" ", from), strings.Repeat("=", to-from), strings.Repeat(" ", width-to))
		switch {
		case s.Error != "":
			fmt.Fprintf(w, "  failed: %s", s.Error)
		case len(s.Output) > 0:
			fmt.Fprintf(w, "  -> %s", oneLine(s.Output, 80))
		}
		if s.Simulated != "" {
			fmt.Fprintf(w, "  (from the %s)", s.Simulated)
		}
		fmt.Fprintln(w)
	}
	for _, x := range r.Resumed {
		fmt.Fprintf(w, "went on %s after %s %s %s\n", x.At.Local().Format("2006-01-02 15:04:05"), x.After, x.Decision, x.Step)
	}
	for _, a := range r.Asks {
		fmt.Fprintf(w, "asks (%s): %s\n", a.Step, a.Message)
		if len(a.Schema) > 0 {
			fmt.Fprintf(w, "  to be answered with %s\n", a.Schema)
		}
	}
	if len(r.Result) > 0 {
		fmt.Fprintf(w, "result %s\n", r.Result)
	}
	if r.Error != nil {
		printFault(w, r.Error)
	}
}

func runsCancel(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "cancel ID", Short: "End a run, in whichever process it goes on", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.withRuns(cmd, func(p *product) (bool, error) {
				r, fault := p.CancelRun(cmd.Context(), app.CancelRunInput{RunID: args[0]})
				if fault != nil {
					return false, fault
				}
				return false, f.print(cmd.OutOrStdout(), r, func(w io.Writer) { fmt.Fprintln(w, r.RunID, r.Status) })
			})
		},
	}
}

func runsReplay(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "replay ID", Short: "Do a run again with its recorded results, and say where it departs", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.withRuns(cmd, func(p *product) (bool, error) {
				r, fault := p.ReplayRun(cmd.Context(), app.ReplayRunInput{RunID: args[0]})
				if fault != nil {
					return false, fault
				}
				return r.Failed(), f.print(cmd.OutOrStdout(), r, func(w io.Writer) {
					if r.Same {
						fmt.Fprintf(w, "%s: the same path to the same outputs, %d node executions\n", r.RunID, r.Steps)
					}
					printDifferences(w, r.Differences)
				})
			})
		},
	}
}

func runsSaveTest(f *flags) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use: "save-test ID", Short: "Write a run as a regression test for patchbay test", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.withRuns(cmd, func(p *product) (bool, error) {
				r, fault := p.SaveTest(cmd.Context(), app.SaveTestInput{RunID: args[0]})
				if fault != nil {
					return false, fault
				}
				text := p.config.Redactor.RedactJSON([]byte(r.Test)) // a test is shared
				if out == "" {
					_, err := cmd.OutOrStdout().Write(text)
					return false, err
				}
				return false, os.WriteFile(out, text, 0o644) //nolint:gosec // it holds no secret
			})
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "`FILE` to write, instead of standard output")
	return c
}

func runsPrune(f *flags) *cobra.Command {
	age := 30 * 24 * time.Hour
	megabytes := int64(1024)
	c := &cobra.Command{
		Use: "prune", Short: "Forget old runs", Args: cobra.NoArgs,
		Long: "Forget the runs that stopped longer ago than --older, and the oldest of the rest until they take at most --max-mb. Runs that go on or wait stay.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.withRuns(cmd, func(p *product) (bool, error) {
				r, fault := p.Prune(cmd.Context(), age, megabytes<<20)
				if fault != nil {
					return false, fault
				}
				return false, f.print(cmd.OutOrStdout(), r, func(w io.Writer) { fmt.Fprintf(w, "forgot %d runs\n", r.Forgotten) })
			})
		},
	}
	c.Flags().DurationVar(&age, "older", age, "how long a run is kept")
	c.Flags().Int64Var(&megabytes, "max-mb", megabytes, "how many MB all runs may take; 0 is no bound")
	return c
}
