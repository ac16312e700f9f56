package app_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// A reply with several content items is a list of all, where mcpGraph takes the first.
// Once a tool has replied so, its signature and a note say that its output is a list.
func TestSeveralContentItemsAreAList(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "docs", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "get", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "first"}, &mcp.TextContent{Text: "second"}}}, nil
		})
	pb := started(t, app.Options{ObserveIn: t.TempDir(), Servers: []downstream.Server{{Name: "docs", InProcess: server}}})
	r, fault := pb.RunNode(t.Context(), execution.RunNodeInput{ID: "mcp:docs/get"})
	if fault != nil || string(r.Output) != `["first","second"]` {
		t.Fatal(fault, r)
	}
	if sig := details(t, pb, discover.DetailsInput{}, "mcp:docs/get").Nodes[0].Signature; !strings.HasSuffix(sig, "-> string[] // as observed") {
		t.Errorf("the signature does not have the list: %s", sig)
	}
	text, err := os.ReadFile("../../testdata/mcpgraph/content-list.yaml")
	if err != nil {
		t.Fatal(err)
	}
	document := strings.ReplaceAll(strings.ReplaceAll(string(text), "server: odd", "server: docs"), "tool: parts", "tool: get")
	checked, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("g", document, "")})
	if fault != nil || len(checked.Notes) != 1 || checked.Notes[0].Code != "content-list" {
		t.Errorf("%v %+v", fault, checked)
	}
}
