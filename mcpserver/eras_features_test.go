package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A result is structured content, and the same as text.
func TestErasStructuredOutput(t *testing.T) {
	eachEra(t, options{}, false, func(t *testing.T, c *eraClient) {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "evaluate", Arguments: raw(`{"expression":"1+1"}`)})
		if err != nil {
			t.Fatal(err)
		}
		structured, _ := json.Marshal(r.StructuredContent)
		if text := r.Content[0].(*mcp.TextContent).Text; string(structured) != `{"type":"number","value":2}` || !sameJSON(text, string(structured)) {
			t.Errorf("%s, as text %s", structured, text)
		}
	})
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && cmp.Equal(x, y)
}

// A saved graph is a tool at once, and clients hear of it. Lists have the same order each
// time.
func TestErasLists(t *testing.T) {
	eachEra(t, options{}, false, func(t *testing.T, c *eraClient) {
		c.awaitSubscription("")
		c.tool(t, "save_graph", `{"graph":`+orderGraph+`}`)
		if which := <-c.changed; which != "tools" {
			t.Errorf("%s have changed", which)
		}
		var pages [2]string
		for i := range pages {
			list, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := json.Marshal(list.Tools)
			pages[i] = string(b)
			if !slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "buy" }) {
				t.Error("the saved graph is not listed")
			}
			if c.modern() && list.CacheScope != "private" {
				t.Errorf("the cache scope of the tools is %q", list.CacheScope)
			}
		}
		if diff := cmp.Diff(pages[0], pages[1]); diff != "" {
			t.Error(diff)
		}
	})
}

// A call tells how far it is, and is cancelled in the server when its caller leaves.
func TestErasProgressAndCancellation(t *testing.T) {
	eachEra(t, options{}, false, func(t *testing.T, c *eraClient) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, &mcp.CallToolParams{Meta: mcp.Meta{"progressToken": "p"}, Name: "run_node", Arguments: raw(`{"id":"mcp:shop/wait","arguments":{}}`)})
			ended <- err
		}()
		for done := 0.0; ; {
			p := <-c.progress
			if p.ProgressToken != "p" || p.Progress <= done {
				t.Errorf("the progress after %v is %+v", done, p)
			}
			if done = p.Progress; strings.Contains(p.Message, "half of it") {
				break // of the call, which has been passed on
			}
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled call: %v", err)
		}
		if err := <-c.shop.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the call in the server: %v", err)
		}
	})
}

// Over HTTP without sessions, a client that closes the stream of a call has cancelled it.
func TestErasClosedStream(t *testing.T) {
	url, shop := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_node","arguments":{"id":"mcp:shop/wait","arguments":{}},"_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": multiRoundTrip, "Mcp-Method": "tools/call", "Mcp-Name": "run_node"} {
		req.Header.Set(name, value)
	}
	connections := &http.Transport{}
	defer connections.CloseIdleConnections()
	resp, err := connections.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "half of it") {
	}
	cancel()
	_ = resp.Body.Close()
	if err := <-shop.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call in the server: %v", err)
	}
}

const askMany = `{"name":"choose","description":"Asks which","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"nodes":[
	{"id":"entry","type":"entry","next":"which"},
	{"id":"which","type":"ask","message":"Which?","schema":{"type":"object","properties":{
		"colours":{"type":"array","items":{"type":"string","enum":["red","green","blue"]}},
		"sizes":{"type":"array","items":{"anyOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]}},
		"name":{"type":"string"}}},"next":"chosen"},
	{"id":"chosen","type":"transform","transform":{"expr":"{\"colours\": $.which.content.colours, \"sizes\": $.which.content.sizes}"},"next":"exit"},
	{"id":"exit","type":"exit"}]}`

// A question has a form, in which several of some options can be chosen: during the call or
// by the reply, of run_graph, of run_node and of a graph's own tool.
func TestErasQuestions(t *testing.T) {
	eachEra(t, options{}, true, func(t *testing.T, c *eraClient) {
		c.answer = map[string]any{"colours": []any{"red", "blue"}, "sizes": []any{"l"}, "name": "x"}
		c.tool(t, "save_graph", `{"graph":`+askMany+`}`)
		for tool, arguments := range map[string]string{"run_graph": `{"name":"choose"}`, "run_node": `{"id":"graph:choose","arguments":{}}`, "choose": `{}`} {
			if got := c.tool(t, tool, arguments); !strings.Contains(got, `{"colours":["red","blue"],"sizes":["l"]}`) {
				t.Errorf("%s: %s", tool, got)
			}
			asked := <-c.asked
			form, _ := json.Marshal(asked.RequestedSchema)
			if asked.Message != "Which?" || !strings.Contains(string(form), `"enum":["red","green","blue"]`) || !strings.Contains(string(form), `"title":"Large"`) {
				t.Errorf("%s asks %q with %s", tool, asked.Message, form)
			}
		}
	})
}

// A client without forms is told how a person answers.
func TestErasWithoutForms(t *testing.T) {
	eachEra(t, options{}, false, func(t *testing.T, c *eraClient) {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_graph", Arguments: raw(`{"graph":` + askMany + `}`)})
		if err != nil {
			t.Fatal(err)
		}
		if text := r.Content[0].(*mcp.TextContent).Text; !r.IsError || !strings.Contains(text, `"interrupted"`) || !strings.Contains(text, "patchbay runs answer") {
			t.Error(text)
		}
	})
}

// codeOf is the code of an error of the protocol, 0 of any other.
func codeOf(err error) int64 {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e.Code
	}
	return 0
}
