package mcpserver

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// withWorkflow is a gateway to a server with one tool, and a workflow of one hook.
func withWorkflow(t *testing.T, on, hook string) *client {
	t.Helper()
	return attach(t, workflowServer(t, on, hook), nil)
}

func workflowServer(t *testing.T, on, hook string) *mcp.Server {
	t.Helper()
	order := "{id: start, type: start, next: h}, {id: h, type: hook, hook: {expr: '" + hook + "'}, next: call}, {id: call, type: mcp-call, next: end}"
	if strings.Contains(hook, "response") {
		order = "{id: start, type: start, next: call}, {id: call, type: mcp-call, next: h}, {id: h, type: hook, hook: {expr: '" + hook + "'}, next: end}"
	}
	doc, found := graph.Parse("w.yaml", "name: w\nworkflow: {on: "+on+"}\nnodes: ["+order+", {id: end, type: end}]\n")
	if found.HasErrors() {
		t.Fatal(found)
	}
	pb := app.New(app.Options{
		Servers:    []downstream.Server{{Name: "odd", InProcess: odd(make(chan string, 9))}},
		Downstream: downstream.Options{Gateway: true}, Workflows: []*graph.Document{doc},
	})
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	return New(pb, Options{Expose: prefixed()})
}

func TestWorkflowStopsACall(t *testing.T) {
	c := withWorkflow(t, "tools/call", `{"continue": false, "error": {"code": "NO", "message": "not now"}}`)
	m := c.request("tools/call", json.RawMessage(`{"name":"odd__odd","arguments":{}}`))
	if want := `{"content":[{"text":"NO: not now (hook h)","type":"text"}],"isError":true}`; m.Error != nil || string(m.Result) != want {
		t.Errorf("%s %+v", m.Result, m.Error)
	}
}

func TestWorkflowThatChangesNothingPassesBytes(t *testing.T) {
	c := withWorkflow(t, "tools/call", `$context.metadata.shared.nothing`)
	m := c.request("tools/call", json.RawMessage(`{"name":"odd__odd","arguments":{"n":9007199254740993,"b":1.10}}`))
	if m.Error != nil || string(m.Result) != result(false) {
		t.Errorf("%s %+v", m.Result, m.Error)
	}
}

func TestWorkflowStopsAList(t *testing.T) {
	doc, _ := graph.Parse("w.yaml", `name: w
workflow: {on: tools/list, match: {client: reader}}
nodes:
  - {id: start, type: start, next: h}
  - {id: h, type: hook, hook: {expr: '{"continue": false, "error": {"code": "NO", "message": "not now"}}'}, next: call}
  - {id: call, type: mcp-call, next: end}
  - {id: end, type: end}
`)
	pb := app.New(app.Options{Workflows: []*graph.Document{doc}})
	t.Cleanup(pb.Close)
	tools := []policy.ListedTool{{Server: "a", Tool: "b", Definition: json.RawMessage(`{"name":"b","inputSchema":{"type":"object"}}`)}}
	if list, err := pb.Filter()(t.Context(), "writer", tools); err != nil || len(list) != 1 {
		t.Errorf("%v %v", list, err)
	}
	_, err := pb.Filter()(t.Context(), "reader", tools)
	var reply *jsonrpc.Error
	if !errors.As(listError(err), &reply) || reply.Code != -32000 || reply.Message != "NO: not now (hook h)" || string(reply.Data) != `{"code":"NO","nodeId":"h"}` {
		t.Errorf("%+v", reply)
	}
}

func TestWorkflowFiltersAList(t *testing.T) {
	c := withWorkflow(t, "tools/list", `{"response": {"tools": [$context.response.tools[name != "odd__odd"], {"name": "invented", "inputSchema": {"type": "object"}}]}}`)
	m := c.request("tools/list", map[string]any{})
	if list := string(m.Result); m.Error != nil || strings.Contains(list, "odd__odd") || strings.Contains(list, "invented") || !strings.Contains(list, "search_nodes") {
		t.Errorf("%s %+v", list, m.Error)
	}
	c = withWorkflow(t, "tools/list", `{"response": {"tools": [$context.response.tools.$merge([$, {"description": "changed"}, serverName = "odd" and toolName = "odd" ? {"inputSchema": 1} : {}])]}}`)
	m = c.request("tools/list", map[string]any{})
	if list := string(m.Result); m.Error != nil || strings.Contains(list, "odd__odd") || !strings.Contains(list, `"description":"changed"`) {
		t.Errorf("%s %+v", list, m.Error)
	}
}

// TestWorkflowsSeeOneName: hooks around a list and around a call see the same name and server
// of a tool, and the client that of the list.
func TestWorkflowsSeeOneName(t *testing.T) {
	c := withWorkflow(t, "tools/list", `{"response": {"tools": [$context.response.tools.$merge([$, {"description": name & " is " & serverName & " " & toolName}])]}}`)
	m := c.request("tools/list", map[string]any{})
	if list := string(m.Result); m.Error != nil || !strings.Contains(list, `"name":"odd__odd"`) || !strings.Contains(list, `"description":"odd__odd is odd odd"`) || strings.Contains(list, "serverName") || strings.Contains(list, "toolName") || !strings.Contains(list, `"name":"search_nodes"`) {
		t.Errorf("%s %+v", list, m.Error)
	}
	c = withWorkflow(t, "tools/call", `{"continue": false, "error": {"code": "NAME", "message": $context.metadata.serverName & " " & $context.request.params.name}}`)
	m = c.request("tools/call", json.RawMessage(`{"name":"odd__odd","arguments":{}}`))
	if !strings.Contains(string(m.Result), "NAME: odd odd") {
		t.Errorf("%s %+v", m.Result, m.Error)
	}
}

// TestFailedListWorkflow says in every answer that the workflow around tools/list has failed,
// and calls no tool unknown.
func TestFailedListWorkflow(t *testing.T) {
	c := wire(t, workflowServer(t, "tools/list", `$error("broken")`), nil)
	c.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	for method, params := range map[string]string{
		"tools/list": `{}`,
		"tools/call": `{"name":"odd__odd","arguments":{}}`,
		"a node":     `{"name":"run_node","arguments":{"id":"mcp:odd/odd","arguments":{}}}`,
		"details":    `{"name":"get_node_details","arguments":{"nodes":[{"id":"mcp:odd/odd"}]}}`,
		"a search":   `{"name":"search_nodes","arguments":{"query":"odd"}}`,
		"a graph":    `{"name":"validate_graph","arguments":{"graph":"nodes: [{id: entry, type: entry, next: a}, {id: a, type: mcp, server: odd, tool: odd, args: {}, next: exit}, {id: exit, type: exit}]"}}`,
	} {
		m := c.request(map[bool]string{true: "tools/list", false: "tools/call"}[method == "tools/list"], json.RawMessage(params))
		got := string(m.Result)
		if m.Error != nil {
			got = m.Error.Message
		}
		if !strings.Contains(got, "SCRIPT_ERROR") || !strings.Contains(got, "broken") || strings.Contains(got, "unknown tool") || strings.Contains(got, "unknown-tool") || strings.Contains(got, "unknown-node") {
			t.Errorf("%s: %s", method, got)
		}
	}
}

// TestWorkflowMetrics counts what workflows make of requests.
func TestWorkflowMetrics(t *testing.T) {
	m := NewMetrics(app.New(app.Options{}))
	m.Workflow("blocked", 0)
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "patchbay_workflow_duration_seconds" && f.GetMetric()[0].GetHistogram().GetSampleCount() == 1 {
			return
		}
	}
	t.Error("the request is not counted")
}
