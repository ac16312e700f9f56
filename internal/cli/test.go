package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/run"
)

var testKind = command.FileKind{
	Name: "tests", Is: holdsTests, Other: func(string) string { return "" },
	None: diag.Fault{Code: execution.CodeNoTests, Hint: "name.test.yaml has the tests of name.yaml; patchbay runs save-test ID --file name.test.yaml writes one"},
}

// holdsTests reports whether a file has tests: by its name, or as earlier versions saved
// them under any name.
func holdsTests(path string) bool {
	if command.IsTest(path) {
		return true
	}
	text, err := files.ReadText(path, command.MaxInput)
	if err != nil {
		return false
	}
	doc, _ := graph.Parse(path, text)
	return doc != nil && doc.Root.Get("expect").Is(graph.Object)
}

func testCommand(f *command.Flags) *cobra.Command {
	c := &cobra.Command{
		Use: "test FILE|DIR|GLOB…", Short: "Run the tests of graphs", Example: "  patchbay test graphs\n  patchbay test 'graphs/**/*.test.yaml'",
		Long: "Run the tests of graphs. A test file, such as count.test.yaml next to count.yaml, is a list of cases with arguments, and result or error. A case runs the graph, and calls only tools that are known to be read-only. " +
			"A case that runs save-test has written replays a recorded run with the results of its servers, waits and answers; the path and the result must be the same, and no server is called. Test runs are not kept. " +
			"With --against, the server NAME is started by another command, such as its next version; cases call it, recorded ones too, but only its tools that are known to be read-only: the records answer all other calls. " +
			"With --live, the models whose replies cases have are asked again; all else is taken from the cases. The replies that differ are shown, and the tokens that these requests took.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.Repeat(cmd, command.WatchedFiles{Args: args, Related: graphsTested}, func() error { return test(f, cmd, args) })
		},
	}
	c.Flags().BoolVar(&f.Watch, "watch", false, command.WatchUsage)
	c.Flags().StringVar(&f.Against, "against", "", "`NAME=COMMAND`: start the server by this command, split at spaces, and call it in recorded cases too")
	c.Flags().BoolVar(&f.Live, "live", false, "ask the models again whose replies cases have, and show what differs; this costs tokens")
	c.MarkFlagsMutuallyExclusive("live", "watch")
	f.ConnectFlag(c.Flags())
	return c
}

// graphsTested are the files of the graphs that a test file is about.
func graphsTested(path string) []string {
	text, err := files.ReadText(path, command.MaxInput)
	if err != nil {
		return nil
	}
	all, _ := execution.GraphsTested(path, text)
	return all
}

// tested is the result of test.
type tested struct {
	Tests  []*execution.TestResult `json:"tests"`
	Passed int                     `json:"passed"`
	Failed int                     `json:"failed"`
	Tokens *run.Tokens             `json:"tokens,omitempty"`
}

// test runs the tests of files, those of each group of servers with an App of its own.
func test(f *command.Flags, cmd *cobra.Command, args []string) error {
	found, err := testKind.Find(args)
	if err != nil {
		return err
	}
	texts, graphs := make([]string, len(found.Files)), make([][]string, len(found.Files))
	for n, path := range found.Files {
		if texts[n], err = command.ReadFile(cmd, path); err != nil {
			return err
		}
		all, executed := execution.GraphsTested(path, texts[n])
		if graphs[n] = executed; f.Against != "" {
			graphs[n] = all
		}
	}
	f.Offline, f.Store = true, cmp.Or(f.Store, "memory")
	results := make([][]*execution.TestResult, len(found.Files))
	out := newTestPrinter(f, cmd, results)
	if err := runTests(f, cmd, found.Files, texts, graphs, out); err != nil {
		return err
	}
	return out.end()
}

// runTests fills in the results of files with these texts, which are about these graphs.
func runTests(f *command.Flags, cmd *cobra.Command, paths, texts []string, graphs [][]string, out *testPrinter) error {
	against, _, _ := strings.Cut(f.Against, "=")
	at := &command.PartsDone{Total: len(paths)}
	defer f.ShowProgress(cmd, false, at)()
	for _, group := range command.ByServers(graphs) {
		f.ServerFiles, f.CheckedFiles = nil, nil
		for _, n := range group {
			f.CheckServersIn(graphs[n]...)
		}
		p, err := f.OpenApp(cmd)
		if err != nil {
			return err
		}
		at.WaitsFor(f.ServerView(p, f.Waiting.Has))
		for _, n := range group {
			at.Next(paths[n])
			out.results[n] = p.Tests.Run(cmd.Context(), execution.TestInput{Name: paths[n], Text: texts[n], Against: against, Live: f.Live, Read: func(path string) (string, error) {
				return files.ReadText(path, command.MaxInput)
			}})
			at.Ended(!slices.ContainsFunc(out.results[n], func(r *execution.TestResult) bool { return !r.Passed }))
			out.complete()
		}
		p.Close()
	}
	return nil
}
