package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/messages"
)

// Definitions and results with what a typed client would lose: unknown members and
// kinds, large numbers, the order of keys, escapes and empty values.
const (
	oddTool     = `{"x-new":{"b":1.10,"a":9007199254740993},"name":"odd","title":"Odd","icons":[{"src":"data:,"}],"annotations":{"destructiveHint":false,"later":null},"inputSchema":{"type":"object","x-order":["z","a"]},"_meta":{"com.example/n":1e2}}`
	oddResource = `{"uri":"odd://one","name":"one","size":9007199254740993,"annotations":{"priority":0.50},"_meta":{"k":1.0}}`
	oddTemplate = `{"uriTemplate":"odd://{id}","name":"any","mimeType":"text/plain","x-new":[]}`
	oddPrompt   = `{"name":"greet","arguments":[{"name":"who","required":true,"x-new":1.0}],"_meta":{"k":2.50}}`
)

// contents are content items of every kind.
var contents = []string{
	`{"type":"text","text":"a\u2028b <&> \u0041"}`,
	`{"type":"image","data":"AAEC","mimeType":"image/png","annotations":{"audience":["user"],"priority":0.10}}`,
	`{"type":"audio","data":"AAEC","mimeType":"audio/wav"}`,
	`{"type":"resource_link","uri":"odd://one","name":"one","size":9007199254740993}`,
	`{"type":"resource","resource":{"uri":"odd://two","blob":"AAEC","_meta":{"n":1.10}}}`,
}

// result is a result with all of them.
func result(isError bool) string {
	return fmt.Sprintf(`{"_meta":{"b":9007199254740993,"a":1.10},"content":[%s],"structuredContent":{"list":[1.0,{"z":1,"a":1e2}]},"isError":%t,"x-new":null}`, strings.Join(contents, ","), isError)
}

// odd is a server whose definitions and results are these. It tells of what it is sent.
func odd(got chan<- string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "odd", Version: "1"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}, Resources: &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true}, Prompts: &mcp.PromptCapabilities{ListChanged: true}, Completions: &mcp.CompletionCapabilities{}},
	})
	raw := func(text string) mcp.Result { return &passedResult{raw: json.RawMessage(text)} }
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch method {
			case "tools/list":
				return raw(`{"tools":[` + oddTool + `,{"name":"two words","inputSchema":{"type":"object"}}]}`), nil
			case "resources/list":
				return raw(`{"resources":[` + oddResource + `]}`), nil
			case "resources/templates/list":
				return raw(`{"resourceTemplates":[` + oddTemplate + `]}`), nil
			case "prompts/list":
				return raw(`{"prompts":[` + oddPrompt + `]}`), nil
			case "tools/call", "resources/read", "prompts/get", "completion/complete":
				b, err := json.Marshal(req.GetParams())
				if err != nil {
					return nil, err
				}
				got <- string(b)
				if strings.Contains(string(b), "break") {
					return nil, &jsonrpc.Error{Code: -32099, Message: "broken", Data: json.RawMessage(`{"n":9007199254740993}`)}
				}
				return raw(result(strings.Contains(string(b), "fail"))), nil
			}
			return next(ctx, method, req)
		}
	})
	return s
}

// gatewayOver is a server through which what the servers offer passes.
func gatewayOver(t testing.TB, o Options, servers ...downstream.Server) (*mcp.Server, *app.App) {
	t.Helper()
	pb := app.New(app.Options{Servers: servers, Downstream: downstream.Options{Gateway: true}})
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	return New(pb, o), pb
}

func prefixed() *servers.Expose { return &servers.Expose{Downstream: true, Prefix: "{server}__"} }

// items are those of a list, each as it is on the wire, without Patchbay's own.
func (c *client) items(method, member string) (list []string) {
	c.t.Helper()
	m := c.request(method, map[string]any{})
	var r map[string]json.RawMessage
	var all []json.RawMessage
	if json.Unmarshal(m.Result, &r) != nil || json.Unmarshal(r[member], &all) != nil {
		c.t.Fatalf("%s: %s, %+v", method, m.Result, m.Error)
	}
	for _, item := range all {
		if s := string(item); !strings.Contains(s, "patchbay://") && !strings.Contains(s, "skill://") && !strings.Contains(s, `"idempotentHint"`) && !strings.Contains(s, `"author_graph"`) {
			list = append(list, s)
		}
	}
	return list
}

// What a server lists and answers passes through as bytes; only its name is prefixed.
func TestGatewayPassesBytes(t *testing.T) {
	got := make(chan string, 1)
	server, _ := gatewayOver(t, Options{Expose: prefixed()}, downstream.Server{Name: "od d", InProcess: odd(got)})
	c := attach(t, server, nil)
	for _, l := range [][3]string{
		{"tools/list", "tools", strings.Replace(oddTool, `"name":"odd"`, `"name":"od_d__odd"`, 1) + "\n" + `{"name":"od_d__two_words","inputSchema":{"type":"object"}}`},
		{"resources/list", "resources", strings.Replace(oddResource, `"name":"one"`, `"name":"od_d__one"`, 1)},
		{"resources/templates/list", "resourceTemplates", strings.Replace(oddTemplate, `"name":"any"`, `"name":"od_d__any"`, 1)},
		{"prompts/list", "prompts", strings.Replace(oddPrompt, `"name":"greet"`, `"name":"od_d__greet"`, 1)},
	} {
		if diff := cmp.Diff(strings.Split(l[2], "\n"), c.items(l[0], l[1])); diff != "" {
			t.Errorf("%s: %s", l[0], diff)
		}
	}
	for _, r := range []struct{ method, params, sent, want string }{
		{"tools/call", `{"name":"od_d__odd","arguments":{"n":9007199254740993,"b":1.10},"_meta":{"mine":"yes"}}`, `{"_meta":{"mine":"yes"},"name":"odd","arguments":{"n":9007199254740993,"b":1.10}}`, result(false)},
		{"tools/call", `{"name":"od_d__odd","arguments":{"then":"fail"}}`, `{"name":"odd","arguments":{"then":"fail"}}`, result(true)},
		{"resources/read", `{"uri":"odd://one"}`, `{"uri":"odd://one"}`, result(false)},
		{"resources/read", `{"uri":"odd://not/listed"}`, `{"uri":"odd://not/listed"}`, result(false)},
		{"prompts/get", `{"name":"od_d__greet","arguments":{"who":"Ada"},"_meta":{"mine":1}}`, `{"_meta":{"mine":1},"arguments":{"who":"Ada"},"name":"greet"}`, result(false)},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"od_d__greet"},"argument":{"name":"who","value":"A"}}`, `{"argument":{"name":"who","value":"A"},"ref":{"type":"ref/prompt","name":"greet"}}`, result(false)},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"odd://{id}"},"argument":{"name":"id","value":"A"}}`, `{"argument":{"name":"id","value":"A"},"ref":{"type":"ref/resource","uri":"odd://{id}"}}`, result(false)},
	} {
		m := c.request(r.method, json.RawMessage(r.params))
		if m.Error != nil || string(m.Result) != r.want {
			t.Errorf("%s %s: %s, %+v, want %s", r.method, r.params, m.Result, m.Error, r.want)
			continue
		}
		if sent := withoutProtocol(t, <-got); sent != r.sent {
			t.Errorf("%s: the server got %s, want %s", r.params, sent, r.sent)
		}
	}
	m := c.request("tools/call", json.RawMessage(`{"name":"od_d__odd","arguments":{"then":"break"}}`))
	<-got
	if m.Error == nil || m.Error.Code != -32099 || m.Error.Message != "broken" {
		t.Errorf("the error is %+v", m.Error)
	}
}

// withoutProtocol leaves out of params what the connection with the server needs.
func withoutProtocol(t *testing.T, params string) string {
	t.Helper()
	members, err := messages.ReadObject(json.RawMessage(params))
	if err != nil {
		t.Fatal(err)
	}
	var kept []messages.Member
	for _, m := range members {
		if m.Name != "_meta" {
			kept = append(kept, m)
			continue
		}
		meta, err := messages.ReadObject(m.Value)
		if err != nil {
			t.Fatal(err)
		}
		var mine []messages.Member
		for _, m := range meta {
			if !strings.HasPrefix(m.Name, "io.modelcontextprotocol/") && m.Name != "progressToken" {
				mine = append(mine, m)
			}
		}
		if len(mine) > 0 {
			kept = append(kept, messages.Member{Name: "_meta", Value: messages.Object(mine)})
		}
	}
	return string(messages.Object(kept))
}

// awaitTool returns when the gateway has a tool.
func awaitTool(t testing.TB, s *mcp.Server, tool string) {
	t.Helper()
	c := clientOf(t, s, nil)
	for {
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, listed := range list.Tools {
			if listed.Name == tool {
				return
			}
		}
	}
}

// clientOf is a client of a server over a pipe in the process.
func clientOf(t testing.TB, s *mcp.Server, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	server, err := s.Connect(context.Background(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Wait()
	})
	return client
}
