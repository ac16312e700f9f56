package protocol

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	doubling = `
name: double
description: Doubles a number
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: twice}
  - {id: twice, type: transform, transform: {expr: '{"n": $.entry.n * 2}'}, next: exit}
  - {id: exit, type: exit}
`
	waiting = `
nodes:
  - {id: entry, type: entry, next: rest}
  - {id: rest, type: wait, ms: 120000, next: exit}
  - {id: exit, type: exit}
`
)

// TestMCPGo: the client of mark3labs/mcp-go finds, checks, runs and saves a graph, calls the
// new tool, sees progress and cancels.
func TestMCPGo(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			c := mcpGo(t, transport)
			list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
			if err != nil || len(list.Tools) < 10 {
				t.Fatalf("%+v, %v", list, err)
			}
			call := func(name string, args map[string]any) map[string]any {
				t.Helper()
				r, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: name, Arguments: args}})
				if err != nil || r.IsError {
					t.Fatalf("%s: %+v, %v", name, r, err)
				}
				out, _ := r.StructuredContent.(map[string]any)
				return out
			}
			if found, _ := call("search_nodes", map[string]any{"query": "transform data"})["results"].([]any); len(found) == 0 {
				t.Error("nothing is found")
			}
			if valid := call("validate_graph", map[string]any{"graph": doubling})["valid"]; valid != true {
				t.Errorf("valid: %v", valid)
			}
			result := call("run_graph", map[string]any{"graph": doubling, "arguments": map[string]any{"n": 21}})["result"]
			if diff := cmp.Diff(map[string]any{"n": 42.0}, result); diff != "" {
				t.Error(diff)
			}
			call("save_graph", map[string]any{"graph": doubling})
			if diff := cmp.Diff(map[string]any{"n": 8.0}, call("double", map[string]any{"n": 4})); diff != "" {
				t.Error(diff)
			}
			cancelled(t, c)
			if got := call("double", map[string]any{"n": 1}); got["n"] != 2.0 {
				t.Errorf("after a call that was cancelled: %v", got)
			}
		})
	}
}

// mcpGo is a client that is initialized.
func mcpGo(t *testing.T, transport string) *mcpclient.Client {
	t.Helper()
	var c *mcpclient.Client
	var err error
	if transport == "http" {
		c, err = mcpclient.NewStreamableHttpClient(serve(t, "graphs: graphs\n"))
	} else {
		command := startable(t)
		c, err = mcpclient.NewStdioMCPClient(command[0], os.Environ(), command[1:]...)
	}
	if err == nil {
		err = c.Start(t.Context()) // without it, a client over stdio gets no notifications
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	r, err := c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION, ClientInfo: mcp.Implementation{Name: "session", Version: "1.0.0"},
	}})
	if err != nil || r.ServerInfo.Name != "patchbay" {
		t.Fatalf("%+v, %v", r, err)
	}
	return c
}

// cancelled cancels a run at its first progress.
func cancelled(t *testing.T, c *mcpclient.Client) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	progress := make(chan struct{})
	var once sync.Once
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/progress" {
			once.Do(func() { close(progress) })
		}
	})
	go func() {
		select {
		case <-progress:
		case <-t.Context().Done():
		}
		cancel()
	}()
	_, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{
		Name: "run_graph", Arguments: map[string]any{"graph": waiting, "arguments": map[string]any{}}, Meta: &mcp.Meta{ProgressToken: "p"},
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the call ends with %v", err)
	}
}
