package engine_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

var (
	ruleLink    = regexp.MustCompile(`\]\(rules/([a-z-]+)\.md\)`)
	exampleLink = regexp.MustCompile(`\]\(\.\./(testdata/mcpgraph/[a-z-]+\.yaml)\)`)
)

// TestDifferencesFromMCPGraph: each row of docs/mcpgraph.md names rules that exist, its
// example is reported by the first of them or valid where there is none, and every example is in a row.
func TestDifferencesFromMCPGraph(t *testing.T) {
	page, err := os.ReadFile("../docs/mcpgraph.md")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("../testdata/mcpgraph/*.yaml")
	shown := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		rules, example := ruleLink.FindAllStringSubmatch(line, -1), exampleLink.FindStringSubmatch(line)
		for _, r := range rules {
			if !slices.ContainsFunc(diag.Rules(), func(rule *diag.Rule) bool { return rule.Code == r[1] }) {
				t.Errorf("there is no rule %s", r[1])
			}
		}
		if example == nil {
			continue
		}
		file := filepath.Join("..", example[1])
		shown[file] = true
		f := readFixture(t, file)
		f.trusted = true
		plan, l := f.check(f.src)
		if len(rules) == 0 && plan == nil || len(rules) > 0 && !slices.Contains(codesOf(l), rules[0][1]) {
			t.Errorf("%s is not reported as the page says:\n%s\n%s", f.name, line, diag.Format(f.name, f.src, l))
		}
	}
	if len(files) < 15 {
		t.Errorf("%d examples", len(files))
	}
	for _, file := range files {
		if !shown[file] {
			t.Errorf("%s is not in docs/mcpgraph.md", file)
		}
	}
}
