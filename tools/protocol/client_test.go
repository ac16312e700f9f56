package protocol

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

// slow is how long a server may take to start on a busy machine.
const slow = 2 * time.Minute

// runClient does what a client scenario of the suite asks for, through a gateway in front
// of the scenario's server: the client that the suite observes is the gateway's.
func runClient(ctx context.Context, scenario, url string) error {
	var given struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
		ToolCalls    []struct {
			Name      string         `json:"name"`
			Arguments map[string]any `json:"arguments"`
		} `json:"toolCalls"`
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return err
		}
	}
	server := downstream.Server{Name: "suite", URL: url, Trusted: true, StartTimeout: slow}
	switch {
	case scenario == "auth/client-credentials-basic":
		server.Auth = downstream.Auth{Grant: downstream.ClientCredentials, ClientID: given.ClientID, ClientSecret: given.ClientSecret}
		return callGuarded(ctx, server)
	case scenario == "json-schema-2020-12-preservation":
		return echoSchema(ctx, server)
	case strings.HasPrefix(scenario, "auth/"):
		dir, err := os.MkdirTemp("", "login")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		if given.ClientID == "" {
			given.ClientID = "https://conformance-test.local/client-metadata.json"
		}
		server.Auth = downstream.Auth{ClientID: given.ClientID, ClientSecret: given.ClientSecret, TokenFile: filepath.Join(dir, "token")}
		return withLogin(ctx, server)
	}
	c, err := connect(ctx, server)
	if err != nil {
		return err
	}
	defer c.close()
	tools, err := c.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	if len(given.ToolCalls) > 0 {
		for _, call := range given.ToolCalls {
			if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: call.Name, Arguments: call.Arguments}); err != nil {
				return err
			}
		}
		return nil
	}
	for _, tool := range tools.Tools {
		if c.own[tool.Name] {
			continue
		}
		if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: argumentsOf(tool.Name)}); err != nil {
			fmt.Fprintf(os.Stderr, "the call of %s: %v\n", tool.Name, err)
		}
	}
	if list, err := c.ListResources(ctx, nil); err == nil {
		for _, r := range list.Resources {
			if !strings.HasPrefix(r.URI, "patchbay:") {
				_, _ = c.ReadResource(ctx, &mcp.ReadResourceParams{URI: r.URI})
			}
		}
	}
	if list, err := c.ListPrompts(ctx, nil); err == nil {
		for _, p := range list.Prompts {
			if p.Name != "author_graph" {
				_, _ = c.GetPrompt(ctx, &mcp.GetPromptParams{Name: p.Name})
			}
		}
	}
	return nil
}

// echoSchema sends a schema back as the gateway lists it.
func echoSchema(ctx context.Context, server downstream.Server) error {
	c, err := connect(ctx, server)
	if err != nil {
		return err
	}
	defer c.close()
	tools, err := c.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	for _, tool := range tools.Tools {
		if tool.Name == "json_schema_2020_12_tool" {
			_, err = c.CallTool(ctx, &mcp.CallToolParams{Name: "json_schema_echo", Arguments: map[string]any{"schema": tool.InputSchema}})
		}
	}
	return err
}

// argumentsOf are what the suite's tool of this name wants.
func argumentsOf(tool string) map[string]any {
	if tool == "add_numbers" {
		return map[string]any{"a": 5, "b": 3}
	}
	return map[string]any{"region": "us-west1"}
}

// A gatewayed is a client of a gateway.
type gatewayed struct {
	*mcp.ClientSession
	own   map[string]bool // the tools that are the gateway's own
	close func()
}

// connect returns a client of a gateway in front of a server.
func connect(ctx context.Context, server downstream.Server) (*gatewayed, error) {
	pb := app.New(app.Options{Servers: []downstream.Server{server}, Downstream: downstream.Options{Gateway: true, Version: "test", Wait: slow}})
	pb.Start(ctx)
	gateway := mcpserver.New(pb, mcpserver.Options{Expose: &servers.Expose{Downstream: true}})
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := gateway.Connect(ctx, theirs, nil); err != nil {
		pb.Close()
		return nil, err
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: defaultsOf(r)}, nil
		},
	})
	s, err := c.Connect(ctx, ours, &mcp.ClientSessionOptions{ProtocolVersion: os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")})
	if err != nil {
		pb.Close()
		return nil, err
	}
	own := map[string]bool{}
	for _, o := range app.Operations() {
		own[o.Tool] = true
	}
	return &gatewayed{s, own, func() { _ = s.Close(); pb.Close() }}, nil
}

// defaultsOf is the answer of a person who changes nothing in a form.
func defaultsOf(r *mcp.ElicitRequest) map[string]any {
	b, err := json.Marshal(r.Params.RequestedSchema)
	if err != nil {
		return nil
	}
	var form struct {
		Properties map[string]struct {
			Type    string `json:"type"`
			Default any    `json:"default"`
		} `json:"properties"`
	}
	if json.Unmarshal(b, &form) != nil {
		return nil
	}
	answer := map[string]any{}
	for name, p := range form.Properties {
		switch {
		case p.Default != nil:
			answer[name] = p.Default
		case p.Type == "boolean":
			answer[name] = true
		}
	}
	return answer
}

// withLogin logs in, as a person does by patchbay mcp login, and calls the tool that
// needs it. A refused call leads to one more login, with what the server then asked for.
func withLogin(ctx context.Context, server downstream.Server) error {
	const logins = 3
	var refused error
	for range logins {
		if err := downstream.Login(ctx, &server, browse); err != nil {
			return fmt.Errorf("login: %w", err)
		}
		if refused = callGuarded(ctx, server); refused == nil {
			return nil
		}
		fmt.Fprintln(os.Stderr, "refused:", refused)
	}
	return refused
}

func callGuarded(ctx context.Context, server downstream.Server) error {
	c, err := connect(ctx, server)
	if err != nil {
		return err
	}
	defer c.close()
	if _, err := c.ListTools(ctx, nil); err != nil {
		return err
	}
	res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "test-tool", Arguments: map[string]any{}})
	if err == nil && res.IsError {
		b, _ := json.Marshal(res.Content)
		err = fmt.Errorf("%s", b)
	}
	return err
}

// browse opens an address like a browser whose user agrees to everything.
func browse(address string) {
	resp, err := http.Get(address) //nolint:noctx,gosec // the authorization server of the suite
	if err != nil {
		fmt.Fprintln(os.Stderr, "browse:", err)
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}
