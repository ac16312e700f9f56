package cli

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
)

func testCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "test DIR|FILE…", Short: "Run regression tests that runs save-test wrote, with their recorded results", Example: "  patchbay test tests", Args: cobra.MinimumNArgs(1),
		Long: "Run regression tests. Each replays a recorded run with the results of its servers, waits and answers; the path and the result must be the same. No server is called.",
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := testFiles(args)
			if err != nil {
				return err
			}
			f.offline = true
			p, err := f.open(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer p.Close()
			results := make([]*app.TestResult, 0, len(files))
			failed := 0
			for _, file := range files {
				text, err := readFile(cmd, file)
				if err != nil {
					return err
				}
				r := p.Test(cmd.Context(), file, text)
				if !r.Passed {
					failed++
				}
				results = append(results, r)
			}
			report := map[string]any{"tests": results, "passed": len(results) - failed, "failed": failed}
			if err := f.print(cmd, result{value: report, text: func(w *page) {
				for _, r := range results {
					printTest(w, r)
				}
				fmt.Fprintf(w, "%d passed, %d failed\n", len(results)-failed, failed)
			}}); err != nil {
				return err
			}
			if failed > 0 {
				return errFailed
			}
			return nil
		},
	}
}

func printTest(w *page, r *app.TestResult) {
	if r.Passed {
		fmt.Fprintln(w, w.paint(good, "ok   "), r.Name)
		return
	}
	fmt.Fprintln(w, w.paint(bad, "FAIL "), r.Name)
	if r.Error != nil {
		printFault(w, r.Error)
	}
	printDifferences(w, r.Differences)
}

func printDifferences(w io.Writer, list []app.Difference) {
	for _, d := range list {
		fmt.Fprintf(w, "  %s %s\n", d.Step, d.What)
		if d.Recorded != "" {
			fmt.Fprintf(w, "    recorded %s\n", d.Recorded)
		}
		if d.Replayed != "" {
			fmt.Fprintf(w, "    now      %s\n", d.Replayed)
		}
	}
}

// testFiles finds the tests in folders, sorted.
func testFiles(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path == arg && !d.IsDir(), !d.IsDir() && (strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml")):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, &diag.Fault{Code: "no-tests", Message: "there are no tests (*.yaml) in " + strings.Join(args, ", "), Hint: "patchbay runs save-test ID --file FILE writes one"}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}
