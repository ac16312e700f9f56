package mcpserver

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// JSON written as text is taken where something else than text is meant.
func TestStringifiedArguments(t *testing.T) {
	c := connect(t, options{})
	c.call("search_nodes", `{"query":"order","max_results":"1","include_details":"True"}`).want(t, map[string]string{"results/1": "", "results/0/subtype": `"shop/order"`})
	c.call("get_node_details", `{"nodes":"[{\"id\":\"transform\"}]"}`).want(t, map[string]string{"nodes/0/id": `"transform"`})
	c.call("get_node_details", `{"nodes":"transform"}`).want(t, map[string]string{"nodes/0/id": `"transform"`})
	c.call("get_node_details", `{"nodes":{"id":"transform"}}`).want(t, map[string]string{"nodes/0/id": `"transform"`})
	c.call("run_graph", `{"graph":`+loopGraph+`,"arguments":"{\"n\":2}","pins":"{}","timeout_ms":"5000"}`).want(t, map[string]string{"result": `{"total":2}`})
	text := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(loopGraph)
	c.call("run_graph", `{"graph":"`+text+`","arguments":{"n":2}}`).want(t, map[string]string{"result": `{"total":2}`})
	c.call("run_node", `{"id":"mcp:shop/order","arguments":"{\"article\":\"tea\"}"}`).want(t, map[string]string{"output/article": `"tea"`})
	// A text stays a text.
	c.call("search_nodes", `{"query":"10"}`).want(t, map[string]string{"query": `"10"`})
}

// A wrong argument is named with what was meant, and nothing is done.
func TestWrongArguments(t *testing.T) {
	c := connect(t, options{})
	for args, want := range map[string][]string{
		`{"qurey":"x"}`:                     {`unknown argument \"qurey\"`, `"suggestions":["query"]`, `"path":"/qurey"`},
		`{"query":"x","max_results":"ten"}`: {`the argument \"max_results\" has the wrong type`, `"path":"/max_results"`, `"want":"integer"`},
		`{"query":5}`:                       {`the argument \"query\" has the wrong type`, `"got":"number"`},
		`{"query":"x","max_results":1.5}`:   {`"path":"/max_results"`},
		`[1]`:                               {`the arguments are not an object`},
		`"x"`:                               {`the arguments are not an object`},
	} {
		r := c.call("search_nodes", args)
		if !r.Failed || r.text("error", "code") != "bad-argument" {
			t.Errorf("%s: %s", args, r.Text)
		}
		r.says(t, want...)
	}
	if r := c.call("run_graph", `{"grpah":`+one("refuse", "{}")+`}`); !r.Failed || r.text("error", "suggestions", "0") != "graph" {
		t.Error(r.Text)
	}
	if len(c.shop.calls) > 0 {
		t.Error("something ran")
	}
	m := c.request("tools/call", map[string]any{"name": "search_node", "arguments": map[string]any{}})
	if m.Error == nil || !strings.Contains(m.Error.Message, "search_node") {
		t.Errorf("an unknown tool gives %+v", m)
	}
}

// A graph that is sent as an object keeps its bytes: order, numbers, and characters
// that HTML would escape.
func TestObjectsKeepTheirBytes(t *testing.T) {
	c := connect(t, options{})
	sent := `{"nodes":[{"id":"entry","type":"entry","next":"s"},{"id":"s","type":"switch","conditions":[{"rule":{"<":[{"var":"$.entry.n"},1e2]},"next":"exit"}],"next":"t"},{"id":"t","type":"transform","transform":{"expr":"\"<a & b>\" & 1.10"},"next":"exit"},{"id":"exit","type":"exit"}]}`
	line := `{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"edit_graph","arguments":{"dry_run":"true","graph":` + sent + `,"ops":[{"op":"set","path":"/name","value":"n"}]}}}`
	reply := make(chan message, 1)
	c.mu.Lock()
	c.waiting[900] = reply
	c.mu.Unlock()
	if _, err := io.WriteString(c.out, line+"\n"); err != nil {
		t.Fatal(err)
	}
	r := c.understand("edit_graph", <-reply)
	if edited := c.fixed(r).Text; !strings.HasPrefix(edited, strings.TrimSuffix(sent, "}")) {
		t.Errorf("the graph has changed:\n%s", edited)
	}
}

// A panic in a handler is one failed request: the session continues.
func TestPanic(t *testing.T) {
	server, s := newServer(t, options{})
	server.AddTool(&mcp.Tool{Name: "boom", InputSchema: raw(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		panic(errors.New("the secret is 42"))
	})
	c := attach(t, server, s)
	m := c.request("tools/call", map[string]any{"name": "boom", "arguments": map[string]any{}})
	if m.Error == nil || !strings.Contains(m.Error.Message, "internal error") || strings.Contains(m.Error.Message, "42") {
		t.Errorf("a panic gives %+v %s", m.Error, m.Result)
	}
	c.call("search_nodes", `{"query":"order"}`).want(t, map[string]string{"results/0/subtype": `"shop/order"`})
}
