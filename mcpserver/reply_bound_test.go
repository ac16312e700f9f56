package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxWire is how many bytes a message with a bounded reply has at most: the reply, the
// same escaped in a text, and the form for people.
const maxWire = 4*MaxReply + 2*maxRendered

// hostileGraphs are documents of which something is as large as can be.
func hostileGraphs() map[string]any {
	long := strings.Repeat("long ", 200_000)
	ends := func(nodes ...any) []any {
		return append([]any{map[string]any{"id": "entry", "type": "entry", "next": "a"}, map[string]any{"id": "exit", "type": "exit"}}, nodes...)
	}
	node := func(id string, more map[string]any) map[string]any {
		n := map[string]any{"id": id, "type": "transform", "transform": map[string]any{"expr": "1"}, "next": "exit"}
		maps.Copy(n, more)
		return n
	}
	var chain, faulty, keys []any
	many := map[string]any{}
	for i := range 10_000 {
		chain = append(chain, node(fmt.Sprintf("node_%d", i), map[string]any{"next": fmt.Sprintf("node_%d", i+1)}))
		faulty = append(faulty, node("the same", map[string]any{"nxt": 1, "transform": map[string]any{"expr": "$.nothing + $unknown("}}))
		many[fmt.Sprintf("%d%s", i, long[:80])] = 1
	}
	chain[9997].(map[string]any)["next"] = "exit"
	chain = chain[:9998]
	chain[0].(map[string]any)["id"] = "a"
	for range 30 {
		keys = append(keys, node("n", map[string]any{long[:30_000]: 1}))
	}
	return map[string]any{
		"key":          map[string]any{"nodes": ends(node("a", map[string]any{long: 1}))},
		"keys":         map[string]any{"nodes": ends(keys...)},
		"name":         map[string]any{"nodes": []any{map[string]any{"id": "entry", "type": "entry", "next": long}, node(long, nil), map[string]any{"id": "exit", "type": "exit"}}},
		"unknown next": map[string]any{"nodes": ends(node("a", map[string]any{"next": long}))},
		"type":         map[string]any{"nodes": ends(node("a", map[string]any{"type": long}))},
		"tool":         map[string]any{"nodes": ends(map[string]any{"id": "a", "type": "mcp", "server": long, "tool": long, "next": "exit"})},
		"argument":     map[string]any{"nodes": ends(map[string]any{"id": "a", "type": "mcp", "server": "shop", "tool": "order", "args": map[string]any{long: 1, "amount": long}, "next": "exit"})},
		"expression":   map[string]any{"nodes": ends(node("a", map[string]any{"transform": map[string]any{"expr": "$" + long}}))},
		"error":        map[string]any{"nodes": ends(node("a", map[string]any{"transform": map[string]any{"expr": `$error($pad("", 1000000, "x"))`}}))},
		"enum":         map[string]any{"inputSchema": map[string]any{"type": "object", "properties": map[string]any{long: map[string]any{"enum": []any{long}}}, "required": []any{long}}, "nodes": ends(node("a", nil))},
		"flow":         map[string]any{"nodes": ends(chain...)},
		"faults":       map[string]any{"nodes": ends(faulty...)},
		"properties":   map[string]any{"nodes": ends(node("a", many))},
		"rant":         map[string]any{"nodes": ends(map[string]any{"id": "a", "type": "mcp", "server": "shop", "tool": "rant", "next": "exit"})},
		"question":     map[string]any{"nodes": ends(map[string]any{"id": "a", "type": "ask", "message": long, "schema": map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "string", "description": long}}}, "next": "exit"})},
		"metadata":     map[string]any{"name": "meta", "description": long, "inputSchema": map[string]any{"type": "object"}, "outputSchema": map[string]any{}, "nodes": ends(node("a", nil))},
	}
}

func TestRepliesAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some ten seconds")
	}
	c := connect(t, options{})
	c.shop.server.AddTool(&mcp.Tool{Name: "rant", Description: "Fails at length", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("rant ", 200_000)}}}, nil
	})
	check := func(what, tool string, args map[string]any) {
		t.Helper()
		m := c.request("tools/call", map[string]any{"name": tool, "arguments": args})
		var r struct {
			StructuredContent map[string]json.RawMessage `json:"structuredContent"`
		}
		_ = json.Unmarshal(m.Result, &r)
		full := 0
		for name := range inFull {
			full += len(r.StructuredContent[name])
		}
		if size := len(m.Result) - 3*full; size > maxWire || m.Error != nil && len(m.Error.Message) > MaxReply {
			t.Errorf("%s of %s: %d bytes: %.300s", tool, what, size, m.Result)
		}
	}
	for what, g := range hostileGraphs() {
		text, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		check(what, "validate_graph", map[string]any{"graph": string(text)})
		check(what, "validate_graph", map[string]any{"graph": g, "apply_fixes": true})
		check(what, "run_graph", map[string]any{"graph": g, "trace": "full"})
		check(what, "save_graph", map[string]any{"graph": g})
		check(what, "edit_graph", map[string]any{"graph": g, "ops": []any{map[string]any{"op": "remove_node", "id": "a"}}})
	}
	long := strings.Repeat("long ", 200_000)
	for tool, arguments := range map[string][]string{
		"search_nodes": {"query", "type_filter"}, "get_node_types": {"type_filter", "server", "cursor"}, "get_run": {"run_id", "expr", "node"}, "resume_run": {"run_id"},
		"cancel_run": {"run_id"}, "get_graph": {"name"}, "delete_graph": {"name"}, "run_node": {"id"}, "evaluate": {"expression", "language", "run_id"}, "validate_graph": {"tool"},
	} {
		for _, argument := range append(arguments, long) {
			check(argument[:min(len(argument), 20)], tool, map[string]any{argument: long})
		}
	}
	check("nodes", "get_node_details", map[string]any{"nodes": []any{long, "transform", long + "x"}})
	check("rant", "run_node", map[string]any{"id": "mcp:shop/rant", "arguments": map[string]any{}})
	check("error", "evaluate", map[string]any{"expression": `$error($pad("", 1000000, "x"))`})
	check("a text", "evaluate", map[string]any{"expression": `$pad("", 1000000, "\"")`})
	check("all", "search_nodes", map[string]any{"query": "meta", "include_details": true})
	check("unknown tool", long, map[string]any{})
	for _, method := range []string{"tools/list", "resources/list", "prompts/list"} {
		if m := c.request(method, map[string]any{}); len(m.Result) > maxWire {
			t.Errorf("%s: %d bytes", method, len(m.Result))
		}
	}
	if m := c.request("resources/read", map[string]any{"uri": "patchbay://nodes/" + long}); m.Error != nil && len(m.Error.Message) > MaxReply {
		t.Errorf("resources/read: %d bytes", len(m.Error.Message))
	}
}

func TestShortenedRepliesAreWhole(t *testing.T) {
	items := make([]any, 300)
	for i := range items {
		items[i] = map[string]any{"text": strings.Repeat("é", 500), strings.Repeat("k", 40_000): i}
	}
	b, err := json.Marshal(map[string]any{"result": items, "list": items, "n": 1e300})
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Result    json.RawMessage
		List      []map[string]any
		N         json.Number
		Shortened string
	}
	short := bounded(t.Context(), b)
	if err := json.Unmarshal(short, &r); err != nil {
		t.Fatal(err)
	}
	whole, _ := json.Marshal(items)
	if string(r.Result) != string(whole) {
		t.Error("what was asked for in full is cut")
	}
	if n := len(short) - len(whole); n > MaxReply || len(r.List) == 0 || r.N == "" || !strings.Contains(r.Shortened, "ask for less") {
		t.Errorf("%d bytes, %d items, n %s, %q", n, len(r.List), r.N, r.Shortened)
	}
	small, _ := json.Marshal(map[string]any{"result": items})
	if got := bounded(t.Context(), small); string(got) != string(small) {
		t.Error("a reply that has nothing but what was asked for in full is cut")
	}
}
