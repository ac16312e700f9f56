package mcpserver

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers"
)

// The resources are there, the guide for all to keep and the others for who asks only. What
// does not exist has the code of the protocol.
func TestErasResources(t *testing.T) {
	eachEra(t, options{}, false, func(t *testing.T, c *eraClient) {
		c.tool(t, "save_graph", `{"graph":`+orderGraph+`}`)
		var run struct {
			ID string `json:"run_id"`
		}
		if err := json.Unmarshal([]byte(c.tool(t, "run_graph", `{"name":"buy","arguments":{"article":"tea"}}`)), &run); err != nil {
			t.Fatal(err)
		}
		for uri, part := range map[string]string{
			"patchbay://guide": "# How to author a graph", "patchbay://nodes/mcp:shop/order": "Order an article", "patchbay://graphs/buy": "Buys an article", "patchbay://runs/" + run.ID: `"succeeded"`,
		} {
			r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil || !strings.Contains(r.Contents[0].Text, part) {
				t.Fatalf("%s: %+v, %v", uri, r, err)
			}
			want := mcp.Cacheable{CacheScope: "private"}
			if uri == guideURI {
				want = mcp.Cacheable{CacheScope: "public", TTLMs: guideTTL}
			}
			if c.modern() && r.Cacheable != want {
				t.Errorf("%s may be cached as %+v", uri, r.Cacheable)
			}
		}
		code := int64(legacyNotFound)
		if c.modern() {
			code = -32602
		}
		for _, uri := range []string{"patchbay://nodes/nonsense", "patchbay://graphs/nonsense", "patchbay://runs/run_0", "patchbay://nothing", "file:///etc/passwd"} {
			if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); codeOf(err) != code {
				t.Errorf("%s: %v, want the code %d", uri, err, code)
			}
		}
	})
}

// A client that has subscribed to a run hears when it ends.
func TestErasSubscriptions(t *testing.T) {
	eachEra(t, options{}, false, func(t *testing.T, c *eraClient) {
		var run struct {
			ID string `json:"run_id"`
		}
		graph := `{"nodes":[{"id":"entry","type":"entry","next":"w"},{"id":"w","type":"mcp","server":"shop","tool":"wait","next":"exit"},{"id":"exit","type":"exit"}]}`
		if err := json.Unmarshal([]byte(c.tool(t, "run_graph", `{"background":true,"graph":`+graph+`}`)), &run); err != nil {
			t.Fatal(err)
		}
		uri := "patchbay://runs/" + run.ID
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
			t.Fatal(err)
		}
		c.awaitSubscription(uri)
		close(c.shop.release)
		for {
			if got := <-c.updated; got != uri {
				t.Errorf("%s has changed", got)
			}
			r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(r.Contents[0].Text, `"status":"succeeded"`) {
				break
			}
		}
		if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: uri}); err != nil {
			t.Error(err)
		}
		// The SDK's client does not return the answer to the other protocol's subscription.
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "patchbay://runs/run_0"}); !c.modern() && codeOf(err) != legacyNotFound {
			t.Errorf("a run that does not exist: %v", err)
		}
	})
}

// The arguments of the prompt and of the resource templates are completed.
func TestErasCompletion(t *testing.T) {
	eachEra(t, options{}, false, func(t *testing.T, c *eraClient) {
		c.tool(t, "save_graph", `{"graph":`+orderGraph+`}`)
		var run struct {
			ID string `json:"run_id"`
		}
		if err := json.Unmarshal([]byte(c.tool(t, "run_graph", `{"name":"buy","arguments":{"article":"tea"}}`)), &run); err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct{ template, argument, begin, first string }{
			{"patchbay://nodes/{+id}", "id", "ord", "mcp:shop/order"},
			{"patchbay://graphs/{name}", "name", "B", "buy"},
			{"patchbay://runs/{run_id}", "run_id", "run_", run.ID},
		} {
			r, err := c.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/resource", URI: want.template}, Argument: mcp.CompleteParamsArgument{Name: want.argument, Value: want.begin}})
			if err != nil || len(r.Completion.Values) == 0 || r.Completion.Values[0] != want.first {
				t.Errorf("%s: %+v, %v", want.template, r, err)
			}
		}
		prompt := &mcp.CompleteReference{Type: "ref/prompt", Name: "author_graph"}
		r, err := c.Complete(t.Context(), &mcp.CompleteParams{Ref: prompt, Argument: mcp.CompleteParamsArgument{Name: "task", Value: "for each"}})
		if err != nil || len(r.Completion.Values) != 1 || !strings.HasPrefix(r.Completion.Values[0], "For each") {
			t.Errorf("the prompt's task: %+v, %v", r, err)
		}
		if _, err := c.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "nonsense"}, Argument: mcp.CompleteParamsArgument{Name: "task"}}); codeOf(err) != -32602 {
			t.Errorf("an unknown prompt: %v", err)
		}
		got, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "author_graph", Arguments: map[string]string{"task": "brew tea"}})
		if err != nil || !strings.Contains(got.Messages[0].Content.(*mcp.TextContent).Text, "brew tea") {
			t.Errorf("the prompt: %+v, %v", got, err)
		}
	})
}

// What a server does not declare does not exist.
func TestErasUndeclared(t *testing.T) {
	eachEra(t, options{toolsOnly: true}, false, func(t *testing.T, c *eraClient) {
		if caps := c.InitializeResult().Capabilities; caps.Prompts != nil || caps.Resources != nil || caps.Completions != nil || caps.Logging != nil || caps.Tools == nil {
			t.Errorf("declared: %+v", caps)
		}
		_, prompts := c.ListPrompts(t.Context(), nil)
		_, resources := c.ListResources(t.Context(), nil)
		_, templates := c.ListResourceTemplates(t.Context(), nil)
		_, completion := c.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "author_graph"}, Argument: mcp.CompleteParamsArgument{Name: "task"}})
		for what, err := range map[string]error{"prompts": prompts, "resources": resources, "templates": templates, "completion": completion} {
			if codeOf(err) != -32601 {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// Long lists come in pages, in a fixed order.
func TestErasPages(t *testing.T) {
	var names []string
	for i := range pageSize + 50 {
		names = append(names, "tool_"+strings.Repeat("a", i%7)+string(rune('a'+i%26))+"_"+strconv.Itoa(i))
	}
	server, _ := gatewayOver(t, Options{Expose: &servers.Expose{Downstream: true}}, serverOf("many", names...))
	for _, version := range eras {
		near, far := mcp.NewInMemoryTransports()
		s, err := server.Connect(t.Context(), far, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		first, err := c.ListTools(t.Context(), nil)
		if err != nil || len(first.Tools) > pageSize || first.NextCursor == "" {
			t.Fatalf("%s: the first page has %d tools, %v", version, len(first.Tools), err)
		}
		var all [2][]string
		for i := range all {
			for tool, err := range c.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				all[i] = append(all[i], tool.Name)
			}
		}
		if diff := cmp.Diff(all[0], all[1]); diff != "" || len(all[0]) < len(names) {
			t.Errorf("%s: %d tools, %s", version, len(all[0]), diff)
		}
		_ = c.Close()
		_ = s.Wait()
	}
}
