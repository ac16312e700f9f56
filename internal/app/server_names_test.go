package app_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// A server has a legal name where the one in its file cannot be used. Graphs, calls and
// questions about it may use the latter.
func TestTheNameInTheFileIsAnAlias(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "x", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"ok":true}`)}, nil
	})
	pb := over(t, nil, downstream.Server{Name: "org-x", Called: "@org/x", InProcess: s}, downstream.Server{Name: "org", Called: "@org", InProcess: s})
	ctx := t.Context()
	for _, names := range []string{`"server":"@org/x","tool":"echo"`, `"server":"org-x","tool":"echo"`} {
		graph := json.RawMessage(`{"name":"g","nodes":[{"id":"entry","type":"entry","next":"a"},{"id":"a","type":"mcp",` + names + `,"args":{},"next":"exit"},{"id":"exit","type":"exit"}]}`)
		r, fault := pb.Run(ctx, execution.RunInput{GraphInput: plans.GraphInput{Graph: graph}})
		if fault != nil || string(r.Result) != `{"ok":true}` {
			t.Errorf("%s: %+v, %v", names, r, fault)
		}
	}
	for _, ref := range []plans.NodeRef{{ID: "mcp:@org/x/echo"}, {ID: "@org/x/echo"}, {NodeType: "mcp", Subtype: "@org/x/echo"}} {
		d, fault := pb.Details(ctx, discover.DetailsInput{Nodes: []plans.NodeRef{ref}})
		if fault != nil || d.Nodes[0].ID != "mcp:org-x/echo" || d.Assumed != nil {
			t.Errorf("details of %v: %+v, %v", ref, d, fault)
		}
		r, fault := pb.RunNode(ctx, execution.RunNodeInput{ID: ref.ID, NodeType: ref.NodeType, Subtype: ref.Subtype})
		if fault != nil || string(r.Output) != `{"ok":true}` {
			t.Errorf("run_node of %v: %+v, %v", ref, r, fault)
		}
	}
	if r, fault := pb.Server(ctx, plans.ServerInput{Server: "@org/x"}); fault != nil || r.Name != "org-x" || len(r.Listed) != 1 {
		t.Errorf("the server: %+v, %v", r, fault)
	}
	if _, fault := pb.Server(ctx, plans.ServerInput{Server: "@org/y"}); fault == nil {
		t.Error("a name that no server has was taken for another")
	}
}
