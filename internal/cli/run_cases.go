package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
)

// casesFlag adds --cases, and returns what reads its file.
func casesFlag(c *cobra.Command) func() ([]execution.RunCase, error) {
	file := c.Flags().String("cases", "", "run the graph once for each case of `FILE`, a list of up to 100 {arguments, pins, expect or error, name} in YAML or JSON")
	return func() ([]execution.RunCase, error) {
		if *file == "" {
			return nil, nil
		}
		text, err := command.ReadFile(c, command.FileName(*file))
		if err != nil {
			return nil, err
		}
		cases, fault := execution.ReadCases(*file, text)
		if fault != nil {
			fault.Path = "--cases"
			return nil, fault
		}
		return cases, nil
	}
}

// printCases shows a line a case on w, and the details of the first failures on log.
func printCases(w, log *term.Page, r *execution.RunResult) {
	for _, line := range r.Cases.Lines {
		fmt.Fprintln(w, line)
	}
	for _, d := range r.Cases.Details {
		fmt.Fprintf(log, "case %d: %s\n", d.Case, d.RunID)
		if d.Error != nil {
			command.PrintFault(log, d.Error)
		}
		if d.Differs != nil && d.WantedError == "" {
			fmt.Fprintf(log, "  at %q\n    want %s\n    got  %s\n", d.Differs.At, orNothing(d.Differs.Want), orNothing(d.Differs.Got))
		}
		if d.Hint != "" {
			fmt.Fprintf(log, "  hint: %s\n", d.Hint)
		}
		if len(d.Trace) > 0 {
			printTrace(log, d.Trace)
		}
	}
	parts := []string{fmt.Sprintf("%d passed", r.Cases.Passed), fmt.Sprintf("%d failed", r.Cases.Failed)}
	if r.Cases.NotRun > 0 {
		parts = append(parts, fmt.Sprintf("%d not run", r.Cases.NotRun))
	}
	fmt.Fprintln(w, strings.Join(parts, ", "))
	if r.Cases.NotRun > 0 {
		command.PrintFault(log, r.Error)
	}
}

// orNothing is a value of a difference, which one side may not have.
func orNothing(value []byte) string {
	if len(value) == 0 {
		return "nothing"
	}
	return string(value)
}
