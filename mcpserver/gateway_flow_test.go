package mcpserver

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// serverOf is a server with tools of these names, which answer with their server's.
func serverOf(server string, tools ...string) downstream.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: server, Version: "1"}, nil)
	for _, name := range tools {
		addTo(s, server, name)
	}
	return downstream.Server{Name: server, InProcess: s}
}

func addTo(s *mcp.Server, server, tool string) {
	s.AddTool(&mcp.Tool{Name: tool, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: server + " " + tool}}}, nil
	})
}

// toolsOf are the names of the tools that a client is listed, without Patchbay's.
func toolsOf(t *testing.T, c *mcp.ClientSession) (names []string) {
	t.Helper()
	own := map[string]bool{}
	for _, o := range app.Operations() {
		own[o.Tool] = true
	}
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if !own[tool.Name] {
			names = append(names, tool.Name)
		}
	}
	return names
}

// A name that is taken twice stays with the server first in the configuration, and
// Patchbay's own names with Patchbay.
func TestGatewayNames(t *testing.T) {
	list := []downstream.Server{serverOf("zed", "echo", "run_graph"), serverOf("abc", "echo", "add", "two words")}
	server, pb := gatewayOver(t, Options{Expose: &servers.Expose{Downstream: true}}, list...)
	c := clientOf(t, server, nil)
	left, noted := Unlisted(pb, servers.Expose{Downstream: true})
	if diff := cmp.Diff([]string{`tool "two_words" of server "abc": the tool two words is listed as two_words: model APIs refuse the name`}, noted); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		`tool "run_graph" of server "zed": Patchbay or a saved graph has a tool of this name`,
		`tool "echo" of server "abc": zed has a tool of this name`,
	}, left); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"add", "echo", "two_words"}, toolsOf(t, c)); diff != "" {
		t.Error(diff)
	}
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo"})
	if err != nil || res.Content[0].(*mcp.TextContent).Text != "zed echo" {
		t.Errorf("echo is of %+v, %v", res, err)
	}
}

// Allow chooses what passes through; what is denied cannot be called either. More tools
// than the threshold are not listed, and can be called.
func TestGatewayChoice(t *testing.T) {
	expose := servers.Expose{Downstream: true, Prefix: "{server}__"}
	expose.Allow = []string{"abc/*", "zed/echo"}
	expose.Deny = []string{"*/add"}
	pb := app.New(app.Options{
		Servers: []downstream.Server{serverOf("zed", "echo", "more"), serverOf("abc", "echo", "add")}, Downstream: downstream.Options{Gateway: true},
		Denied: func(_, tool string) string {
			if tool == "add" {
				return "expose.deny"
			}
			return ""
		},
	})
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	c := clientOf(t, New(pb, Options{Expose: &expose}), nil)
	if diff := cmp.Diff([]string{"abc__echo", "zed__echo"}, toolsOf(t, c)); diff != "" {
		t.Error(diff)
	}
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "abc__add"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("a denied tool: %v", err)
	}
	few := expose
	few.Threshold = 1
	c = clientOf(t, New(pb, Options{Expose: &few}), nil)
	if names := toolsOf(t, c); len(names) > 0 {
		t.Errorf("more tools than the threshold are listed: %v", names)
	}
	if res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "zed__echo"}); err != nil || res.IsError {
		t.Errorf("an unlisted tool: %+v, %v", res, err)
	}
}

// Clients hear of changes of what servers list, and get the new list.
func TestGatewayFollowsChanges(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}, Prompts: &mcp.PromptCapabilities{ListChanged: true}, Resources: &mcp.ResourceCapabilities{ListChanged: true}}})
	addTo(s, "s", "first")
	server, _ := gatewayOver(t, Options{Expose: prefixed()}, downstream.Server{Name: "s", InProcess: s})
	changed := make(chan string, 10)
	c := clientOf(t, server, &mcp.ClientOptions{
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { changed <- "tools" },
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { changed <- "prompts" },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { changed <- "resources" },
	})
	addTo(s, "s", "second")
	for <-changed != "tools" {
	}
	if diff := cmp.Diff([]string{"s__first", "s__second"}, toolsOf(t, c)); diff != "" {
		t.Error(diff)
	}
	s.AddPrompt(&mcp.Prompt{Name: "p"}, nil)
	s.AddResource(&mcp.Resource{URI: "x://y", Name: "y"}, nil)
	heard := map[string]bool{}
	for !heard["prompts"] || !heard["resources"] {
		heard[<-changed] = true
	}
	prompts, err := c.ListPrompts(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(prompts.Prompts, func(p *mcp.Prompt) bool { return p.Name == "s__p" }) {
		t.Errorf("the prompts are %+v, %v", prompts, err)
	}
	s.RemoveTools("first")
	for <-changed != "tools" {
	}
	if diff := cmp.Diff([]string{"s__second"}, toolsOf(t, c)); diff != "" {
		t.Error(diff)
	}
}

// Progress arrives before the reply, and a cancelled call is cancelled at its server.
func TestGatewayProgressAndCancellation(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	cancelled, started := make(chan struct{}), make(chan struct{})
	s.AddTool(&mcp.Tool{Name: "count", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i), Total: 3, Message: "so far"}); err != nil {
				return nil, err
			}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
	})
	s.AddTool(&mcp.Tool{Name: "wait", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(started)
		<-ctx.Done()
		close(cancelled)
		return nil, ctx.Err()
	})
	server, _ := gatewayOver(t, Options{Expose: prefixed()}, downstream.Server{Name: "s", InProcess: s})
	heard := make(chan *mcp.ProgressNotificationParams, 10)
	c := clientOf(t, server, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { heard <- r.Params }})
	params := &mcp.CallToolParams{Name: "s__count"}
	params.SetProgressToken("mine")
	if _, err := c.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if p := <-heard; p.Progress != float64(i) || p.Total != 3 || p.Message != "so far" || p.ProgressToken != "mine" {
			t.Errorf("progress %d is %+v", i, p)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "s__wait"}); err == nil {
		t.Error("a cancelled call has a result")
	}
	<-cancelled
}

// curious is a server of an older protocol, in another process's place: it asks the client
// whose call is in progress.
func curious(t *testing.T) (downstream.Server, *mcp.Server) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}}, SupportedProtocolVersions: []string{"2025-11-25"},
		SubscribeHandler: func(context.Context, *mcp.SubscribeRequest) error { return nil }, UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	add := func(name string, f func(ctx context.Context, s *mcp.ServerSession) (any, error)) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			v, err := f(ctx, r.Session)
			if err != nil {
				return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
			}
			b, err := json.Marshal(v)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(b)}}}, err
		})
	}
	add("elicit", func(ctx context.Context, s *mcp.ServerSession) (any, error) {
		r, err := s.Elicit(ctx, &mcp.ElicitParams{Message: "Who?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)})
		if err != nil {
			return nil, err
		}
		return r.Content, nil
	})
	add("sample", func(ctx context.Context, s *mcp.ServerSession) (any, error) {
		r, err := s.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 7, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}})
		if err != nil {
			return nil, err
		}
		return r.Model, nil
	})
	add("roots", func(ctx context.Context, s *mcp.ServerSession) (any, error) {
		r, err := s.ListRoots(ctx, nil)
		if err != nil {
			return nil, err
		}
		return r.Roots, nil
	})
	add("log", func(ctx context.Context, s *mcp.ServerSession) (any, error) {
		return "logged", s.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: map[string]any{"a": 1}})
	})
	s.AddResource(&mcp.Resource{URI: "x://y", Name: "y"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "x://y", Text: "z"}}}, nil
	})
	return downstream.Server{Name: "s", InProcess: s}, s
}

// textOf calls a tool and returns its text.
func textOf(t *testing.T, c *mcp.ClientSession, tool string) string {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return res.Content[0].(*mcp.TextContent).Text
}

// answering are the options of a client that answers everything.
func answering(logs chan string) *mcp.ClientOptions {
	return &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{ListChanged: true}},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada, asked " + r.Params.Message}}, nil
		},
		CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: r.Params.Messages[0].Content}, nil
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
			b, _ := json.Marshal(r.Params.Data)
			logs <- string(r.Params.Level) + " " + r.Params.Logger + " " + string(b)
		},
	}
}

// What a server of 2025-11-25 asks during a call reaches the client of that call.
func TestGatewayAsksClients(t *testing.T) {
	upstream, s := curious(t)
	server, _ := gatewayOver(t, Options{Expose: prefixed()}, upstream)
	logs, updated := make(chan string, 10), make(chan string, 1)
	o := answering(logs)
	o.ResourceUpdatedHandler = func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI }
	c := clientOf(t, server, o)
	for tool, want := range map[string]string{"elicit": `{"name":"Ada, asked Who?"}`, "sample": `"m"`, "roots": `null`} {
		if got := textOf(t, c, "s__"+tool); got != want && (tool != "roots" || got != "[]") {
			t.Errorf("%s: %s, want %s", tool, got, want)
		}
	}
	if err := c.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
		t.Fatal(err)
	}
	for len(logs) == 0 { // until the server has the level too
		_ = textOf(t, c, "s__log")
		if _, err := c.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-logs; got != `info s {"a":1}` {
		t.Errorf("the log is %s", got)
	}
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "x://y"}); err != nil {
		t.Fatal(err)
	}
	if err := s.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "x://y"}); err != nil {
		t.Fatal(err)
	}
	if got := <-updated; got != "x://y" {
		t.Errorf("updated is %s", got)
	}
	silent := clientOf(t, server, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	for _, tool := range []string{"elicit", "sample", "roots"} {
		if got := textOf(t, silent, "s__"+tool); !strings.Contains(got, "method not found") {
			t.Errorf("%s for a client that cannot: %s", tool, got)
		}
	}
}

// Clients of 2026-07-28 are asked by the reply, over HTTP too; nothing else is passed to
// them.
func TestGatewayAsksNewerClients(t *testing.T) {
	upstream, _ := curious(t)
	server, _ := gatewayOver(t, Options{Expose: prefixed()}, upstream)
	web := httptest.NewServer(Handler(server, HTTPOptions{}))
	t.Cleanup(web.Close)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "new", Version: "1"}, answering(make(chan string, 10))).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if v := c.InitializeResult().ProtocolVersion; v != multiRoundTrip {
		t.Fatalf("the client speaks %s", v)
	}
	if got := textOf(t, c, "s__elicit"); got != `{"name":"Ada, asked Who?"}` {
		t.Errorf("elicit: %s", got)
	}
	for _, tool := range []string{"sample", "roots"} {
		if got := textOf(t, c, "s__"+tool); !strings.Contains(got, "method not found") {
			t.Errorf("%s: %s", tool, got)
		}
	}
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "x://y"})
	if err != nil || read.Contents[0].Text != "z" {
		t.Errorf("the resource is %+v, %v", read, err)
	}
}

// A server of 2026-07-28 asks by its reply; a client of an older protocol is asked
// meanwhile.
func TestGatewayAnswersNewerServers(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "elicit", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if e, ok := r.Params.InputResponses["who"].(*mcp.ElicitResult); ok {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Params.RequestState + " " + e.Content["name"].(string)}}}, nil
		}
		return &mcp.CallToolResult{RequestState: "7", InputRequests: mcp.InputRequestMap{"who": &mcp.ElicitParams{Mode: "form", Message: "Who?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)}}}, nil
	})
	server, _ := gatewayOver(t, Options{Expose: prefixed()}, downstream.Server{Name: "s", InProcess: s})
	if got := textOf(t, clientOf(t, server, answering(make(chan string, 1))), "s__elicit"); got != "7 Ada, asked Who?" {
		t.Errorf("an older client: %s", got)
	}
	near, far := mcp.NewInMemoryTransports()
	session, err := server.Connect(context.Background(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "new", Version: "1"}, answering(make(chan string, 1))).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); _ = session.Wait() })
	if got := textOf(t, c, "s__elicit"); got != "7 Ada, asked Who?" {
		t.Errorf("a newer client: %s", got)
	}
}

// A filter changes what a client is listed and may call; what cannot be listed is left out.
func TestGatewayFilter(t *testing.T) {
	server, pb := gatewayOver(t, Options{Expose: prefixed()}, serverOf("s", "keep", "hide", "spoil", "rename"))
	pb.Views.Filter(func(_ context.Context, client string, tools []policy.ListedTool) ([]policy.ListedTool, error) {
		if client != "test" {
			t.Errorf("the client is %q", client)
		}
		var out []policy.ListedTool
		for _, tool := range tools {
			switch tool.Tool {
			case "hide":
				continue
			case "spoil":
				tool.Definition = json.RawMessage(`{"name":"s__spoil","inputSchema":{"type":"array"}}`)
			case "rename":
				tool.Definition = json.RawMessage(`{"name":"two words","inputSchema":{"type":"object"}}`)
			}
			out = append(out, tool)
		}
		return out, nil
	})
	c := clientOf(t, server, nil)
	if diff := cmp.Diff([]string{"s__keep"}, toolsOf(t, c)); diff != "" {
		t.Error(diff)
	}
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "s__hide"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("a hidden tool: %v", err)
	}
	if got := textOf(t, c, "s__keep"); got != "s keep" {
		t.Errorf("keep: %s", got)
	}
}
