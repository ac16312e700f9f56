package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/cli"
	"github.com/patchbay-mcp/patchbay/internal/discover"
)

// exampleRow is a row of a table of examples: what to get, an expression, its value.
var exampleRow = regexp.MustCompile("(?m)^\\| [^|]+ \\| `(.*)` \\| `(.*)` \\|$")

// TestExamplesOfExpressions evaluates the examples of docs/expressions.md over the
// context that the page shows.
func TestExamplesOfExpressions(t *testing.T) {
	path := filepath.Join(repository, referenceDir, "expressions.md")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	of := slices.IndexFunc(fencesOf(path, string(b)), func(f fence) bool { return f.language == "json" })
	context := fencesOf(path, string(b))[of].text
	rows := exampleRow.FindAllStringSubmatch(string(b), -1)
	if len(rows) < 20 {
		t.Fatalf("%d examples: are the tables still found?", len(rows))
	}
	for _, row := range rows {
		var out, errs bytes.Buffer
		cli.Execute(t.Context(), []string{"eval", row[1], "--context", context}, strings.NewReader(""), &out, &errs)
		if got := strings.TrimSpace(out.String()); got != row[2] {
			t.Errorf("%s\n got %s%s\nwant %s", row[1], got, errs.String(), row[2])
		}
	}
}

// TestGuideNamesEveryField compares the tables that agents read with the node
// types: every type has a row that names each of its own fields, and there is a row
// for each modifier. Agents do not write workflows.
func TestGuideNamesEveryField(t *testing.T) {
	row := func(begin string) string {
		for line := range strings.Lines(discover.Guide().Whole()) {
			if strings.HasPrefix(line, begin) {
				return line
			}
		}
		return ""
	}
	for _, k := range engine.Kinds() {
		if k.InWorkflow {
			continue
		}
		fields, found := strings.CutPrefix(row("| "+k.Spec.NodeType+" | "), "| "+k.Spec.NodeType+" | ")
		if !found {
			t.Errorf("the guide has no row for %s", k.Spec.NodeType)
		}
		for _, f := range k.Fields {
			if !strings.Contains(fields, f.Name) && row("| "+f.Name+": ") == "" {
				t.Errorf("the guide does not name the field %s of %s", f.Name, k.Spec.NodeType)
			}
		}
	}
}
