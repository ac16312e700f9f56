package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/around"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/run"
)

var testKind = fileKind{
	name: "tests", is: holdsTests, other: func(string) string { return "" },
	none: diag.Fault{Code: around.CodeNoTests, Hint: "name.test.yaml has the tests of name.yaml; patchbay runs save-test ID --file name.test.yaml writes one"},
}

// holdsTests reports whether a file has tests: by its name, or as earlier versions saved
// them under any name.
func holdsTests(path string) bool {
	if isTest(path) {
		return true
	}
	text, err := files.ReadText(path, maxInput)
	if err != nil {
		return false
	}
	doc, _ := graph.Parse(path, text)
	return doc != nil && doc.Root.Get("expect").Is(graph.Object)
}

func testCommand(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use: "test FILE|DIR|GLOB…", Short: "Run the tests of graphs", Example: "  patchbay test graphs\n  patchbay test 'graphs/**/*.test.yaml'",
		Long: "Run the tests of graphs. A test file, such as count.test.yaml next to count.yaml, is a list of cases with arguments, and result or error. A case runs the graph, and calls only tools that are known to be read-only. " +
			"A case that runs save-test has written replays a recorded run with the results of its servers, waits and answers; the path and the result must be the same, and no server is called. Test runs are not kept. " +
			"With --against, the server NAME is started by another command, such as its next version; cases call it, recorded ones too, but only its tools that are known to be read-only: the records answer all other calls. " +
			"With --live, the models whose replies cases have are asked again; all else is taken from the cases. The replies that differ are shown, and the tokens that these requests took.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.repeat(cmd, watchedFiles{args, graphsTested}, func() error { return f.test(cmd, args) })
		},
	}
	c.Flags().BoolVar(&f.watch, "watch", false, watchUsage)
	c.Flags().StringVar(&f.against, "against", "", "`NAME=COMMAND`: start the server by this command, split at spaces, and call it in recorded cases too")
	c.Flags().BoolVar(&f.live, "live", false, "ask the models again whose replies cases have, and show what differs; this costs tokens")
	c.MarkFlagsMutuallyExclusive("live", "watch")
	f.connectFlag(c.Flags())
	return c
}

// replaceServer starts the server of --against by its command, and accepts its tools as they
// are.
func (f *flags) replaceServer(cfg *config.Config) error {
	if f.against == "" {
		return nil
	}
	name, command, _ := strings.Cut(f.against, "=")
	words := strings.Fields(command)
	i := slices.IndexFunc(cfg.Servers, func(s config.Server) bool { return s.Name == name })
	switch {
	case len(words) == 0:
		return misuse("--against", "it has no command", "write --against NAME=COMMAND")
	case i < 0:
		return misuse("--against", fmt.Sprintf("unknown server %q", name), "patchbay mcp list shows the servers")
	}
	s := &cfg.Servers[i]
	s.Command, s.Args, s.URL, s.Headers, s.Transport, s.Trust, s.Problem, s.Disabled = words[0], words[1:], "", nil, config.Stdio, tooldef.TrustAuto, nil, false
	return nil
}

// graphsTested are the files of the graphs that a test file is about.
func graphsTested(path string) []string {
	text, err := files.ReadText(path, maxInput)
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
func (f *flags) test(cmd *cobra.Command, args []string) error {
	found, err := testKind.find(args)
	if err != nil {
		return err
	}
	texts, graphs := make([]string, len(found.files)), make([][]string, len(found.files))
	for n, path := range found.files {
		if texts[n], err = readFile(cmd, path); err != nil {
			return err
		}
		all, executed := execution.GraphsTested(path, texts[n])
		if graphs[n] = executed; f.against != "" {
			graphs[n] = all
		}
	}
	f.offline, f.store = true, cmp.Or(f.store, "memory")
	results := make([][]*execution.TestResult, len(found.files))
	out := f.testPrinter(cmd, results)
	if err := f.runTests(cmd, found.files, texts, graphs, out); err != nil {
		return err
	}
	return out.end()
}

// runTests fills in the results of files with these texts, which are about these graphs.
func (f *flags) runTests(cmd *cobra.Command, paths, texts []string, graphs [][]string, out *testPrinter) error {
	against, _, _ := strings.Cut(f.against, "=")
	at := &partsDone{total: len(paths)}
	defer f.showProgress(cmd, false, at)()
	for _, group := range byServers(graphs) {
		f.serverFiles, f.checkedFiles = nil, nil
		for _, n := range group {
			f.checkServersIn(graphs[n]...)
		}
		p, err := f.openApp(cmd)
		if err != nil {
			return err
		}
		at.waitsFor(f.serverView(p, f.waiting.has))
		for _, n := range group {
			at.next(paths[n])
			out.results[n] = p.Test(cmd.Context(), execution.TestInput{Name: paths[n], Text: texts[n], Against: against, Live: f.live, Read: func(path string) (string, error) {
				return files.ReadText(path, maxInput)
			}})
			at.ended(!slices.ContainsFunc(out.results[n], func(r *execution.TestResult) bool { return !r.Passed }))
			out.complete()
		}
		p.Close()
	}
	return nil
}

// printDifferences shows where a replay or a test differs from what was recorded or is
// expected.
func printDifferences(w io.Writer, list []execution.Difference, was string) {
	for _, d := range list {
		fmt.Fprintf(w, "  %s %s\n", d.Step, d.What)
		if d.Recorded != "" {
			fmt.Fprintf(w, "    %s %s\n", was, d.Recorded)
		}
		if d.Replayed != "" {
			fmt.Fprintf(w, "    now      %s\n", d.Replayed)
		}
	}
}
