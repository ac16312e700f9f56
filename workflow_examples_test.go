package patchbay_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// TestWorkflowExamples checks the workflows to copy and runs their tests.
func TestWorkflowExamples(t *testing.T) {
	filesystem := mcp.NewServer(&mcp.Implementation{Name: "filesystem", Version: "1"}, nil)
	filesystem.AddTool(&mcp.Tool{
		Name:        "write_file",
		InputSchema: json.RawMessage(`{"type":"object","required":["path","content"],"properties":{"path":{"type":"string"},"content":{"type":"string"}}}`),
	}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	})
	pb := app.New(app.Options{Servers: []downstream.Server{{Name: "filesystem", InProcess: filesystem}}})
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	files, err := filepath.Glob("examples/workflows/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, path := range files {
		if strings.HasSuffix(path, ".test.yaml") {
			continue
		}
		seen++
		t.Run(filepath.Base(path), func(t *testing.T) {
			src := readText(t, path)
			checked, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText(path, src, "")})
			if fault != nil {
				t.Fatal(fault)
			}
			if !checked.Valid || len(checked.Warnings) > 0 {
				t.Fatalf("the example is not faultless:\n%s", checked.Rendered)
			}
			if filepath.Base(path) != "log_calls.yaml" { // whose server not everybody has; internal/app tests it
				tried(t, pb, path, src)
			}
		})
	}
	if seen != 6 {
		t.Errorf("%d workflows", seen)
	}
	if !strings.Contains(readText(t, "docs/workflows.md"), readText(t, "examples/workflows/redact_mail.yaml")) {
		t.Error("docs/workflows.md shows another redact_mail than examples/workflows, which is tested")
	}
}
