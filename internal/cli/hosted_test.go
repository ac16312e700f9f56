package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

// hostedConnector is a server with the tools of two services at one address, which wants a
// token.
func hostedConnector(t *testing.T, token string) (url string) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "connector", Version: "1"}, nil)
	for name, description := range map[string]string{"github_search_issues": "Searches the issues of a repository", "slack_post_message": "Posts a message to a channel"} {
		s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{StructuredContent: map[string]any{"by": r.Params.Name, "got": r.Params.Arguments}, Content: []mcp.Content{}}, nil
			})
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true})
	var web *httptest.Server
	web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mcp" {
			http.NotFound(w, r)
			return
		}
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+web.URL+`/.well-known/oauth-protected-resource"`)
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL + "/mcp"
}

// TestHostedConnector uses the entry that docs/servers.md shows for a hosted connector: the
// tools of its services are found and called, and without the right token, or any, the
// message says what to do.
func TestHostedConnector(t *testing.T) {
	page, err := os.ReadFile("../../docs/servers.md")
	if err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile("(?s)Hosted connectors.*?```yaml\n(.*?)```").FindSubmatch(page)
	if entry == nil {
		t.Fatal("the page has no entry for hosted connectors")
	}
	const address = "https://connector.example.com/mcp"
	url := hostedConnector(t, "the-right-token")
	config := strings.Replace(string(entry[1]), address, url, 1)
	if config == string(entry[1]) {
		t.Fatalf("the entry has another address than %s:\n%s", address, config)
	}
	withoutAuth := regexp.MustCompile(`, auth: .*\}\}`).ReplaceAllString(config, "}")
	for _, c := range []struct {
		name, config, token, command string
		code                         int
		says                         []string
	}{
		{"the tools of all services are found", config, "the-right-token", "search post a message", command.ExitOK, []string{"mcp:connector/slack_post_message"}},
		{"they are called", config, "the-right-token", "call mcp:connector/github_search_issues text=crash", command.ExitOK, []string{`{"by":"github_search_issues","got":{"text":"crash"}}`}},
		{"a wrong token", config, "a-wrong-token", "call mcp:connector/slack_post_message", command.ExitUsage, []string{"HTTP 401", "check headers and auth of its entry in the configuration"}},
		{"no token", withoutAuth, "", "call mcp:connector/slack_post_message", command.ExitUsage, []string{"HTTP 401", "patchbay mcp login connector logs in; or write headers or auth into its entry"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			isolated(t)
			t.Setenv("CONNECTOR_TOKEN", c.token)
			writing(t, "patchbay.yaml", c.config)()
			code, out := patchbay(t, strings.Fields(c.command)...)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for _, text := range c.says {
				if !strings.Contains(out, text) {
					t.Errorf("%q is not said in\n%s", text, out)
				}
			}
			if c.token != "" && strings.Contains(out, c.token) {
				t.Errorf("the token is shown in\n%s", out)
			}
		})
	}
}
