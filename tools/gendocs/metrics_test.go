package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMetricsAreListed compares the table in docs/reference/metrics.md with the names and meanings in
// the program.
func TestMetricsAreListed(t *testing.T) {
	rows := func(pattern, file string) (list []string) {
		text, err := os.ReadFile(filepath.Join(repository, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			list = append(list, m[1]+": "+m[2])
		}
		slices.Sort(list)
		return list
	}
	const declared = `"(patchbay_\w+)", (?:Help: )?"([^"]+)\."`
	var program []string
	for _, file := range []string{"metrics.go"} {
		program = append(program, rows(declared, "mcpserver/"+file)...)
	}
	slices.Sort(program)
	page := rows("(?m)^\\| `(patchbay_\\w+)` \\| [^|]*\\| ([^|]+) \\|$", "docs/reference/metrics.md")
	if diff := cmp.Diff(program, page); diff != "" || len(program) == 0 {
		t.Error(diff)
	}
}
