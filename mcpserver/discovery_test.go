package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/tokens"
)

func TestSearch(t *testing.T) {
	c := connect(t, options{})
	r := c.call("search_nodes", `{"query":"order an article","max_results":2}`)
	r.want(t, map[string]string{
		"query": `"order an article"`, "results/0/id": "", "results/0/node_type": `"mcp"`, "results/0/subtype": `"shop/order"`,
		"results/0/signature": `"order(article*: string, amount: integer) -> {number: integer, article: string}"`, "results/2": "",
	})
	// Operators, quotes and typos neither fail nor change the engine.
	r = c.call("search_nodes", `{"query":"\"ordr -artcle +(:* AND"}`)
	r.want(t, map[string]string{"results/0/subtype": `"shop/order"`, "corrected/artcle": `"article"`})

	r = c.call("search_nodes", `{"query":"anything","server":"shpo","type_filter":"mpc"}`)
	r.want(t, map[string]string{"assumed/shpo": `"shop"`, "assumed/mpc": `"mcp"`})
	r = c.call("search_nodes", `{"query":"","include_details":true,"max_results":50}`)
	r.says(t, `"results":[`)
	r = c.call("search_nodes", `{"query":"qqqqzzzz"}`)
	r.want(t, map[string]string{"total": "0", "results": "[]"})
	r.says(t, `"hint":"`)
	r = c.call("search_nodes", `{"query":"x","compatible_with":"mcp:shop/order","runnable_only":true}`)
	r.says(t, `"results":`)

	// A page leads to the next, without repeating.
	first := c.call("search_nodes", `{"query":"shop request text waits","max_results":1}`)
	cursor := first.get("next_cursor")
	if cursor == "" {
		t.Fatalf("no next_cursor: %s", first.Text)
	}
	second := c.call("search_nodes", `{"query":"shop request text waits","max_results":1,"cursor":`+cursor+`}`)
	if second.get("results", "0", "subtype") == first.get("results", "0", "subtype") {
		t.Errorf("the second page repeats the first: %s", second.Text)
	}
	// A node stands for words.
	c.call("search_nodes", `{"similar_to":"mcp:shop/large"}`).says(t, `"results":[{`)
	for _, bad := range []struct{ args, path string }{
		{`{"similar_to":"mcp:shop/nothing at all"}`, "/similar_to"},
		{`{"max_results":3}`, "/query"},
		{`{"query":"x","max_results":51}`, "/max_results"},
		{`{"query":"x","mode":"some"}`, "/mode"},
		{`{"query":"x","cursor":"no cursor"}`, "/cursor"},
		{`{}`, "/query"},
	} {
		r := c.call("search_nodes", bad.args)
		if !r.Failed || r.text("error", "path") != bad.path {
			t.Errorf("%s: %s", bad.args, r.Text)
		}
	}
}

// Ten hits are below 900 tokens.
func TestSearchIsBrief(t *testing.T) {
	c := connect(t, options{})
	r := c.call("search_nodes", `{"query":"the a of to call tool text value node order request run graph"}`)
	var results []json.RawMessage
	if err := json.Unmarshal([]byte(r.get("results")), &results); err != nil || len(results) < 8 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	if n, err := tokens.Count(r.get("results")); err != nil || n > 90*len(results) {
		t.Errorf("%d results have %d tokens, want at most %d; %v", len(results), n, 90*len(results), err)
	}
}

func TestTypes(t *testing.T) {
	c := connect(t, options{})
	c.call("get_node_types", `{}`).want(t, map[string]string{
		"types/mcp": `["shop/exact","shop/large","shop/order","shop/refuse","shop/wait"]`, "types/transform": "[]", "counts/mcp": "5",
	})
	c.call("get_node_types", `{"type_filter":"switch"}`).want(t, map[string]string{"types": `{"switch":[]}`})
	r := c.call("get_node_types", `{"type_filter":"quantum"}`)
	r.want(t, map[string]string{"types": "{}"})
	r.says(t, "the node types are", "transform")
}

func TestDetails(t *testing.T) {
	c := connect(t, options{})
	r := c.call("get_node_details", `{"nodes":[{"node_type":"mcp","subtype":"shop/order"},{"id":"nonsense"},{"id":"transform"},"shop/exact",{"id":"mcp-shop-wait"},{"id":"mcp:shop/ordr"}],"detail":"full"}`)
	r.want(t, map[string]string{
		"nodes/0/id": `"mcp:shop/order"`, "nodes/0/parameters/0/name": `"article"`, "nodes/0/parameters/0/required": "true",
		"nodes/1/error": `"unknown node \"nonsense\""`, "nodes/2/id": `"transform"`, "nodes/3/id": `"mcp:shop/exact"`, "nodes/4/id": `"mcp:shop/wait"`,
		"nodes/5/id": `"mcp:shop/order"`, "assumed/mcp:shop~1ordr": "",
	})
	r.says(t, `"assumed":{"mcp:shop/ordr":"mcp:shop/order"}`)

	for _, unasked := range []string{`"detail":"full","include_examples":false,"include_schemas":false`, `"detail":"brief"`, `"max_tokens":5000`} {
		brief := c.call("get_node_details", `{"nodes":["mcp:shop/order","transform","switch"],`+unasked+`}`)
		if strings.Contains(brief.Text, `"examples":[{"title"`) || strings.Contains(brief.Text, "validation_schema") {
			t.Errorf("examples or schemas came unasked: %s", brief.Text)
		}
	}
	c.call("get_node_details", `{"nodes":["mcp:shop/order"]}`).want(t, map[string]string{
		"nodes/0/signature": `"order(\n  article*: string // what to order\n  amount: integer(>=1)\n) -> {number*: integer, article: string}"`,
		"nodes/0/skeleton":  `{"id":"order","type":"mcp","server":"shop","tool":"order","args":{"article":"…"},"next":"exit"}`, "nodes/0/parameters": "",
	})
	for _, detail := range []string{"brief", "full"} {
		short := c.call("get_node_details", `{"nodes":["mcp:shop/order","transform","switch"],"max_tokens":200,"detail":"`+detail+`"}`)
		if len(short.Text) > 200*4 {
			t.Errorf("max_tokens 200 of %s gave %d bytes", detail, len(short.Text))
		}
		short.says(t, `"left_out":[`)
	}
	short := c.call("get_node_details", `{"nodes":["mcp:shop/order","transform","switch"],"max_tokens":600,"detail":"full"}`)
	if len(short.Text) > 600*4 {
		t.Errorf("max_tokens 600 gave %d bytes", len(short.Text))
	}
	short.says(t, `"left_out":[`)
	for _, bad := range []string{`{"nodes":[]}`, `{}`, `{"nodes":[` + strings.TrimSuffix(strings.Repeat(`"transform",`, 51), ",") + `]}`} {
		if r := c.call("get_node_details", bad); !r.Failed || r.text("error", "path") != "/nodes" {
			t.Errorf("%.40s: %.300s", bad, r.Text)
		}
	}
}

// A skeleton and an example are valid as they are.
func TestDetailsAreValid(t *testing.T) {
	c := connect(t, options{})
	r := c.call("get_node_details", `{"nodes":["mcp:shop/order","mcp:shop/exact","mcp:shop/refuse","transform","switch","exit","entry"],"include_examples":true}`)
	var nodes []struct {
		ID       string          `json:"id"`
		NodeType string          `json:"node_type"`
		Skeleton json.RawMessage `json:"skeleton"`
		Examples []struct {
			Graph string `json:"graph"`
		} `json:"examples"`
	}
	if err := json.Unmarshal([]byte(r.get("nodes")), &nodes); err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		for _, e := range n.Examples {
			text, _ := json.Marshal(e.Graph)
			if v := c.call("validate_graph", `{"graph":`+string(text)+`}`); v.get("valid") != "true" {
				t.Errorf("example of %s: %s", n.ID, v.Text)
			}
		}
		if n.NodeType != "mcp" && n.NodeType != "transform" {
			continue
		}
		var node struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(n.Skeleton, &node); err != nil {
			t.Fatalf("skeleton of %s: %v", n.ID, err)
		}
		doc := `{"nodes":[{"id":"entry","type":"entry","next":"` + node.ID + `"},` + string(n.Skeleton) + `,{"id":"exit","type":"exit"}]}`
		if v := c.call("validate_graph", `{"graph":`+doc+`}`); v.get("valid") != "true" {
			t.Errorf("skeleton of %s: %s", n.ID, v.Text)
		}
	}
}
