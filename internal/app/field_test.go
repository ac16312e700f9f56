package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
)

const fieldDir = "../../testdata/field"

// compared is what the graphs of testdata/field call.
var compared = map[string][]mcp.Tool{"files": {
	{
		Name: "list_files", Description: "Lists files",
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"depth":{"type":"integer"},"sort":{"type":"string","enum":["name","size"]}},"required":["path"],"additionalProperties":false}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"total":{"type":"integer"},"files":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"integer"}},"required":["name","size"],"additionalProperties":false}}},"required":["total","files"],"additionalProperties":false}`),
	},
	{
		Name: "read_file", Description: "Reads a file",
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}},"required":["content"],"additionalProperties":false}`),
	},
}}

// TestFaultsOfTheComparison says what we find in the graphs that the comparison
// with mcpGraph is about. One file holds one fault; the first has none.
func TestFaultsOfTheComparison(t *testing.T) {
	files, err := filepath.Glob(fieldDir + "/*.yaml")
	if err != nil || len(files) != 21 {
		t.Fatalf("%d graphs, %v; want a correct one and 20 faults", len(files), err)
	}
	pb := over(t, compared)
	var lines []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("graph.yaml", string(text), "")})
		if fault != nil {
			t.Fatal(fault)
		}
		for _, d := range slices.Concat(r.Errors, r.Warnings) {
			lines = append(lines, strings.TrimSuffix(filepath.Base(file), ".yaml")+": "+line(d))
		}
		if name := filepath.Base(file); len(r.Errors)+len(r.Warnings) != 1 && name != "00-correct.yaml" {
			t.Errorf("%s: %d errors and %d warnings, want one diagnostic", name, len(r.Errors), len(r.Warnings))
		}
	}
	got := strings.Join(lines, "\n") + "\n"
	golden.Check(t, fieldDir+"/found.txt", got)
}

func line(d *diag.Diagnostic) string {
	s := fmt.Sprintf("%s %s, %d:%d: %s", d.Severity, d.Code, d.Range.Start.Line, d.Range.Start.Column, d.Message)
	if len(d.Fixes) > 0 {
		s += " [" + d.Fixes[0].Title + "]"
	}
	return s
}
