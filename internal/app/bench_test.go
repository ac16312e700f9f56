package app_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// BenchmarkToolCall is one read-only call of a tool of a server in this process: by
// run_node, and by a graph that is compiled for it. BenchmarkCall of downstream is the
// part of the session.
func BenchmarkToolCall(b *testing.B) {
	type argument struct {
		N int `json:"n"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in argument) (*mcp.CallToolResult, argument, error) {
			return nil, in, nil
		})
	pb := overWith(b, app.Options{}, nil, downstream.Server{Name: "echo", InProcess: s, Trusted: true})
	const graph = `nodes: [{id: entry, type: entry, next: call}, {id: call, type: mcp, server: echo, tool: echo, args: {n: 1}, next: exit}, {id: exit, type: exit, result: 1}]`
	b.Run("graph", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if r, fault := pb.Run(b.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(graph)}, Trace: "none"}); fault != nil || r.Error != nil {
				b.Fatal(r, fault)
			}
		}
	})
	b.Run("run_node", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if r, fault := pb.RunNode(b.Context(), execution.RunNodeInput{ID: "mcp:echo/echo", Arguments: json.RawMessage(`{"n":1}`)}); fault != nil || r.Error != nil {
				b.Fatal(r, fault)
			}
		}
	})
}
