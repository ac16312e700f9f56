package cli

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/run"
)

// A testPrinter prints the results of test files in the order of the files: at a terminal,
// where progress is shown, at the end, and elsewhere those of a file when it is done.
type testPrinter struct {
	*command.Flags
	cmd     *cobra.Command
	results [][]*execution.TestResult // by file; nil for one that is not done
	printed int                       // files
	streams bool
}

func newTestPrinter(f *command.Flags, cmd *cobra.Command, results [][]*execution.TestResult) *testPrinter {
	return &testPrinter{Flags: f, cmd: cmd, results: results, streams: f.ForPeople() && f.File == "" && f.LiveTerminal(cmd) == nil}
}

// complete prints the results of files that are done and follow those that are printed.
func (p *testPrinter) complete() {
	for p.streams && p.printed < len(p.results) && p.results[p.printed] != nil {
		file := p.results[p.printed]
		command.NewWords(p.cmd).Result(reflect.ValueOf(file))
		printTests(p.Page(p.cmd.OutOrStdout()), file)
		p.printed++
	}
}

// end prints what is not printed yet, and the sum.
func (p *testPrinter) end() error {
	report := &tested{}
	var failed []string
	for _, file := range p.results {
		for _, r := range file {
			report.Tests = append(report.Tests, r)
			if r.Passed {
				report.Passed++
			} else {
				failed = append(failed, testName(r))
			}
			if r.Tokens != nil {
				if report.Tokens == nil {
					report.Tokens = &run.Tokens{}
				}
				report.Tokens.Add(r.Tokens.Tokens)
			}
		}
	}
	report.Failed = len(failed)
	return command.FailedIf(report.Failed > 0, p.Print(p.cmd, command.Result{Value: report, Names: func() []string { return failed }, Text: func(w *term.Page) {
		for _, file := range p.results[p.printed:] {
			printTests(w, file)
		}
		fmt.Fprintf(w, "%d passed, %d failed\n", report.Passed, report.Failed)
		if report.Tokens != nil {
			fmt.Fprintln(w, tokensText(*report.Tokens))
		}
	}}))
}

// testName names a case, or the file if that cannot be read.
func testName(r *execution.TestResult) string {
	return diag.Visible(diag.OneLine(strings.TrimSuffix(r.File+": "+r.Name, ": ")))
}

// printTests shows the cases of a file: one line if all have passed, and else each that
// has not.
func printTests(w *term.Page, file []*execution.TestResult) {
	w = w.Visible()
	passed := 0
	for _, r := range file {
		if r.Passed {
			passed++
			continue
		}
		fmt.Fprintln(w, w.Paint(term.Bad, "FAIL "), testName(r))
		if r.Error != nil {
			command.PrintFault(w, r.Error)
		}
		command.PrintDifferences(w, r.Differences, "expected")
		printModelTokens(w, r.Tokens, "  ")
	}
	if passed == len(file) {
		fmt.Fprintf(w, "%s %s (%d)\n", w.Paint(term.Good, "ok   "), diag.OneLine(file[0].File), passed)
	}
}
