package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// shopGraph is a graph that calls one tool of the shop.
func shopGraph(name, tool, args string) string {
	return fmt.Sprintf(`{"graph":{"name":%q,"description":"Does %s","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"nodes":[`+
		`{"id":"entry","type":"entry","next":"c"},{"id":"c","type":"mcp","server":"shop","tool":%q,"args":%s,"next":"exit"},{"id":"exit","type":"exit"}]}}`, name, name, tool, args)
}

// outer is a graph that runs another one.
const outer = `{"graph":{"name":"outer","description":"Does more","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"nodes":[` +
	`{"id":"entry","type":"entry","next":"g"},{"id":"g","type":"graph","graph":"order_tea","args":{},"next":"exit"},{"id":"exit","type":"exit"}]}}`

// stock makes the graphs of these tests: order_tea and outer come to shop/order, look_up
// to shop/exact.
func stock(t *testing.T, g *team) {
	t.Helper()
	root := g.connect(t, g.token(t, "root", access.Rights{Scopes: []string{access.Admin}}), "2025-11-25")
	for _, args := range []string{shopGraph("order_tea", "order", `{"article":"tea"}`), shopGraph("look_up", "exact", `{}`), outer} {
		if got := answerTo(t.Context(), root, "save_graph", args); !strings.Contains(got, `"status":"saved"`) {
			t.Fatal(got)
		}
	}
}

func toolNames(t *testing.T, s *mcp.ClientSession) (names []string) {
	t.Helper()
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

// TestLimitedTokens: what a token does not allow is nowhere to be seen, and nothing leads
// around it.
func TestLimitedTokens(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			g := serveTeam(t, options{})
			stock(t, g)
			s := g.connect(t, g.token(t, "ann", access.Rights{Deny: []string{"shop/order"}}), version)
			names := toolNames(t, s)
			if slices.Contains(names, "order_tea") || slices.Contains(names, "outer") || !slices.Contains(names, "look_up") {
				t.Errorf("the tools are %v", names)
			}
			hidden := []string{"shop/order", "order_tea", "outer", "Order an article"}
			for tool, calls := range map[string][]string{
				"search_nodes":     {`{"query":"order an article"}`, `{"query":"ordr"}`, `{"query":"does order_tea","include_details":true,"detail":"full"}`, `{"query":"x","server":"shop"}`, `{"similar_to":"mcp:shop/exact","query":""}`},
				"get_node_types":   {`{}`, `{"node_type":"mcp"}`, `{"node_type":"mcp","server":"shop"}`, `{"node_type":"graph"}`},
				"get_node_details": {`{"nodes":[{"id":"mcp:shop/orde"}],"detail":"full"}`, `{"nodes":[{"id":"graph:order_te"},{"id":"graph:oute"}]}`, `{"nodes":[{"id":"mcp:shop/exact"}],"detail":"full"}`, `{"nodes":[{"id":"graph:look_up"}],"detail":"full"}`},
				"validate_graph":   {shopGraph("x", "orde", `{}`), strings.Replace(outer, "order_tea", "order_te", 1)},
				"get_graph":        {`{"name":"order_te"}`, `{"name":"look_up"}`},
				"run_graph":        {`{"name":"order_te"}`},
				"run_node":         {`{"id":"mcp:shop/orde"}`, `{"id":"graph:order_te"}`},
				"delete_graph":     {`{"name":"order_te"}`},
				"edit_graph":       {`{"name":"order_te","ops":[{"op":"remove_node","id":"c"}]}`, `{"scaffold":["mcp:shop/orde"]}`},
			} {
				for _, args := range calls {
					got := answerTo(t.Context(), s, tool, args)
					for _, word := range hidden {
						if strings.Contains(got, word) && !strings.Contains(args, word) {
							t.Errorf("%s %s tells of %q: %s", tool, args, word, got)
						}
					}
				}
			}
			// By the exact names too, it is as if they did not exist.
			for _, tt := range [][2]string{
				{"get_node_details", `{"nodes":[{"id":"mcp:shop/order"}]}`},
				{"get_node_details", `{"nodes":[{"id":"graph:outer"}]}`},
				{"validate_graph", shopGraph("x", "order", `{"article":"tea"}`)},
				{"validate_graph", outer},
				{"run_graph", shopGraph("x", "order", `{"article":"tea"}`)},
				{"run_graph", outer},
				{"run_graph", `{"name":"order_tea"}`},
				{"run_graph", `{"name":"outer"}`},
				{"run_node", `{"id":"mcp:shop/order","arguments":{"article":"tea"}}`},
				{"run_node", `{"id":"graph:outer"}`},
				{"order_tea", `{}`},
				{"outer", `{}`},
				{"get_graph", `{"name":"order_tea"}`},
				{"get_graph", `{"name":"outer","diff":true}`},
				{"delete_graph", `{"name":"outer"}`},
				{"edit_graph", `{"name":"outer","ops":[{"op":"remove_node","id":"g","reconnect":true}]}`},
				{"edit_graph", `{"scaffold":["mcp:shop/order"]}`},
				{"save_graph", strings.Replace(shopGraph("order_tea", "exact", `{}`), `{"graph":`, `{"overwrite":true,"graph":`, 1)},
				{"save_graph", `{"name":"outer","restore":"0"}`},
			} {
				got := answerTo(t.Context(), s, tt[0], tt[1])
				if !strings.Contains(got, "unknown") && !strings.Contains(got, "no tool") && !strings.Contains(got, "no saved graph") && !strings.Contains(got, "name-not-allowed") || strings.Contains(got, "denied") {
					t.Errorf("%s %s gives %s", tt[0], tt[1], got)
				}
			}
			if got := answerTo(t.Context(), s, "run_graph", `{"name":"look_up"}`); !strings.Contains(got, `"succeeded"`) {
				t.Error(got)
			}
			for _, uri := range []string{"patchbay://nodes/mcp:shop/order", "patchbay://graphs/outer"} {
				if r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
					t.Errorf("%s can be read: %s", uri, r.Contents[0].Text)
				}
			}
			for len(g.calls) > 0 {
				if name := <-g.calls; name == "order" {
					t.Error("the denied tool was called")
				}
			}
		})
	}
}

// TestGivenGraph: a pattern of a graph gives away the graph without its tools.
func TestGivenGraph(t *testing.T) {
	g := serveTeam(t, options{})
	stock(t, g)
	given := access.Rights{Allow: []string{"graph:outer"}}
	s := g.connect(t, g.token(t, "given", given), "2025-11-25")
	if got := answerTo(t.Context(), s, "outer", `{}`); !strings.Contains(got, `"number":7`) {
		t.Error(got)
	}
	for _, tool := range []string{"order_tea", "look_up"} {
		if got := answerTo(t.Context(), s, tool, `{}`); !strings.Contains(got, "unknown tool") {
			t.Errorf("%s gives %s", tool, got)
		}
	}
	if got := answerTo(t.Context(), s, "run_node", `{"id":"mcp:shop/order","arguments":{"article":"tea"}}`); !strings.Contains(got, "unknown") {
		t.Error(got)
	}
	given.Deny = []string{"shop/order"}
	s = g.connect(t, g.token(t, "taken", given), "2025-11-25")
	if got := answerTo(t.Context(), s, "outer", `{}`); !strings.Contains(got, "unknown tool") {
		t.Error(got)
	}
}

// TestScopes: a tool whose scope the token has not is not there.
func TestScopes(t *testing.T) {
	g := serveTeam(t, options{})
	stock(t, g)
	wanted := map[string][]string{access.Read: nil, access.Run: {"look_up", "order_tea", "outer"}, access.Write: nil}
	for _, o := range app.Operations() {
		if o.Tool != "" && !o.Debug {
			wanted[o.Scope] = append(wanted[o.Scope], o.Tool)
		}
	}
	for scope, want := range wanted {
		slices.Sort(want)
		s := g.connect(t, g.token(t, strings.ReplaceAll(scope, ":", "-"), access.Rights{Scopes: []string{scope}}), "2025-11-25")
		names := toolNames(t, s)
		if !slices.Equal(slices.Sorted(slices.Values(names)), want) {
			t.Errorf("%s sees %v, want %v", scope, names, want)
		}
		for _, tool := range []string{"evaluate", "run_graph", "save_graph", "look_up"} {
			got := answerTo(t.Context(), s, tool, `{}`)
			if strings.Contains(got, "unknown tool") == slices.Contains(want, tool) {
				t.Errorf("%s with %s gives %s", tool, scope, got)
			}
		}
		_, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: guideURI})
		if (err == nil) != (scope == access.Read) {
			t.Errorf("%s reads the guide: %v", scope, err)
		}
	}
}

// TestEveryToolHasAScope: a new tool is not open to everybody by accident.
func TestEveryToolHasAScope(t *testing.T) {
	c := connect(t, options{})
	for _, tool := range c.list() {
		if scope := c.shop.app.ScopeOf(tool.Name); scope == access.Admin {
			t.Errorf("%s has no scope", tool.Name)
		}
	}
}

// TestPrincipalsAreApart: drafts and runs belong to the principal that has made them.
func TestPrincipalsAreApart(t *testing.T) {
	g := serveTeam(t, options{})
	ann := g.connect(t, g.token(t, "ann", access.Rights{}), "2025-11-25")
	bob := g.connect(t, g.token(t, "bob", access.Rights{}), "2025-11-25")
	var made struct {
		Draft string `json:"draft"`
		RunID string `json:"run_id"`
	}
	graph := shopGraph("x", "exact", `{}`)
	for _, tool := range []string{"validate_graph", "run_graph"} {
		if err := json.Unmarshal([]byte(answerTo(t.Context(), ann, tool, graph)), &made); err != nil {
			t.Fatal(err)
		}
	}
	for tool, args := range map[string]string{"run_graph": `{"graph":"` + made.Draft + `"}`, "get_run": `{"run_id":"` + made.RunID + `"}`} {
		if got := answerTo(t.Context(), bob, tool, args); !strings.Contains(got, "unknown-") {
			t.Errorf("%s of somebody else's gives %s", tool, got)
		}
		if got := answerTo(t.Context(), ann, tool, args); strings.Contains(got, "unknown-") {
			t.Errorf("%s of one's own gives %s", tool, got)
		}
	}
}
