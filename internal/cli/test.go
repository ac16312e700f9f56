package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/files"
)

var testKind = fileKind{
	name: "tests", is: holdsTests, other: func(string) string { return "" },
	none: diag.Fault{Code: "no-tests", Hint: "name.test.yaml has the tests of name.yaml; patchbay runs save-test ID --file name.test.yaml writes one"},
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
	return doc != nil && doc.Root.Get("expect").Is(graph.Map)
}

func testCommand(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use: "test FILE|DIR|GLOB…", Short: "Run the tests of graphs", Example: "  patchbay test examples\n  patchbay test 'graphs/**/*.test.yaml'", Args: cobra.MinimumNArgs(1),
		Long: "Run the tests of graphs. A test file, such as count.test.yaml next to count.yaml, is a list of cases with arguments, and result or error. A case runs the graph, and calls only tools that are known to be read-only. " +
			"A case that runs save-test has written replays a recorded run with the results of its servers, waits and answers; the path and the result must be the same, and no server is called. Test runs are not kept.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.repeat(cmd, watchedFiles{args, graphsTested}, func() error { return f.test(cmd, args) })
		},
	}
	c.Flags().BoolVar(&f.watch, "watch", false, watchUsage)
	return c
}

// graphsTested are the files of the graphs that a test file is about.
func graphsTested(path string) []string {
	text, err := files.ReadText(path, maxInput)
	if err != nil {
		return nil
	}
	all, _ := app.GraphsTested(path, text)
	return all
}

// tested is the result of test.
type tested struct {
	Tests  []*app.TestResult `json:"tests"`
	Passed int               `json:"passed"`
	Failed int               `json:"failed"`
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
		_, graphs[n] = app.GraphsTested(path, texts[n])
	}
	f.offline, f.store = true, cmp.Or(f.store, "memory")
	results := make([][]*app.TestResult, len(found.files))
	var at testsAt
	at.total = len(found.files)
	defer f.watchLive(cmd, false, at.frame)()
	for _, group := range byServers(graphs) {
		f.serverFiles = nil
		for _, n := range group {
			f.withServersOf(graphs[n]...)
		}
		p, err := f.open(cmd.Context(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		for _, n := range group {
			at.next(found.files[n])
			results[n] = p.Test(cmd.Context(), app.TestInput{Name: found.files[n], Text: texts[n], Read: func(path string) (string, error) {
				return files.ReadText(path, maxInput)
			}})
		}
		p.Close()
	}
	return f.printTests(cmd, results)
}

func (f *flags) printTests(cmd *cobra.Command, results [][]*app.TestResult) error {
	report := &tested{}
	var failed []string
	for _, file := range results {
		for _, r := range file {
			report.Tests = append(report.Tests, r)
			if r.Passed {
				report.Passed++
			} else {
				failed = append(failed, nameOf(r))
			}
		}
	}
	report.Failed = len(failed)
	err := f.print(cmd, result{value: report, names: func() []string { return failed }, text: func(w *page) {
		for _, file := range results {
			printTests(w, file)
		}
		fmt.Fprintf(w, "%d passed, %d failed\n", report.Passed, report.Failed)
	}})
	if err == nil && report.Failed > 0 {
		return errFailed
	}
	return err
}

// nameOf names a case, or the file if that cannot be read.
func nameOf(r *app.TestResult) string { return strings.TrimSuffix(r.File+": "+r.Name, ": ") }

// printTests shows the cases of a file: one line if all have passed, and else each that
// has not.
func printTests(w *page, file []*app.TestResult) {
	passed := 0
	for _, r := range file {
		if r.Passed {
			passed++
			continue
		}
		fmt.Fprintln(w, w.paint(bad, "FAIL "), nameOf(r))
		if r.Error != nil {
			printFault(w, r.Error)
		}
		printDifferences(w, r.Differences, "expected")
	}
	if passed == len(file) {
		fmt.Fprintf(w, "%s %s (%d)\n", w.paint(good, "ok   "), file[0].File, passed)
	}
}

// printDifferences shows where a replay or a test differs from what was recorded or is
// expected.
func printDifferences(w io.Writer, list []app.Difference, was string) {
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
