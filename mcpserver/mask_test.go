package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

// secretGraph computes a secret from two parts, asks a person about it, and fails
// with it.
const secretGraph = `{"nodes":[
	{"id":"entry","type":"entry","next":"made"},
	{"id":"made","type":"transform","transform":{"expr":"\"open-\" & \"sesame\""},"next":"ask"},
	{"id":"ask","type":"ask","message":{"expr":"\"Is it \" & $.made & \"?\""},"next":"same"},
	{"id":"same","type":"transform","transform":{"expr":"$.made = \"open-\" & \"sesame\" ? $error(\"it is \" & $.made) : \"masked\""},"next":"exit"},
	{"id":"exit","type":"exit"}]}`

// TestEverythingSentIsMasked looks for a secret in all that a client is sent, by
// both ways of asking a person.
func TestEverythingSentIsMasked(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) { everythingIsMasked(t, version) })
	}
}

func everythingIsMasked(t *testing.T, version string) {
	pb := app.New(app.Options{})
	metrics := mcpserver.NewMetrics(pb)
	server := mcpserver.New(pb, mcpserver.Options{Metrics: metrics, Redact: func(b json.RawMessage) json.RawMessage {
		return bytes.ReplaceAll(b, []byte("open-sesame"), []byte("***"))
	}})
	var mu sync.Mutex
	var sent []string
	keep := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, text)
	}
	asked := ""
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked = r.Params.Message
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { keep(r.Params.Message) },
	})
	session, err := client.Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	call := func(name, args string) string {
		params := &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)}
		params.SetProgressToken("p")
		r, err := session.CallTool(t.Context(), params)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		keep(string(b))
		return string(b)
	}
	said := call("run_graph", `{"graph":`+secretGraph+`,"trace":"full"}`)
	if asked != "Is it ***?" {
		t.Errorf("the question is %q", asked)
	}
	if !strings.Contains(said, "it is ***") {
		t.Errorf("the graph does not compute with the value: %s", said)
	}
	_, id, _ := strings.Cut(said, `run_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	call("get_run", `{"run_id":"`+id+`"}`)
	call("search_nodes", `{"query":"qqqq open-sesame"}`)
	if r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "patchbay://runs/" + id}); err != nil {
		t.Error(err)
	} else {
		keep(r.Contents[0].Text)
	}
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "patchbay://runs/open-sesame"}); err == nil {
		t.Error("a run that is not there can be read")
	} else {
		keep(err.Error())
	}
	web := httptest.NewServer(metrics.Handler(httpd.Options{}))
	defer web.Close()
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/searches", nil)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	keep(string(b))
	mu.Lock()
	defer mu.Unlock()
	for _, text := range sent {
		if strings.Contains(text, "open-sesame") {
			t.Errorf("the secret is in %s", text)
		}
	}
}

// Characters that hide or forge text reach a client escaped, whatever they are in.
func TestHiddenCharactersAreEscaped(t *testing.T) {
	server := mcpserver.New(app.New(app.Options{}), mcpserver.Options{})
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "evaluate", Arguments: json.RawMessage(`{"expression":"\"a\u202eb\u001b[31m\u200b\""}`)})
	if err != nil {
		t.Fatal(err)
	}
	text := r.Content[0].(*mcp.TextContent).Text //nolint:forcetypeassert // of text
	if strings.ContainsAny(text, "\u202e\x1b\u200b") || !strings.Contains(text, `a\u202eb\u001b[31m\u200b`) {
		t.Errorf("%q", text)
	}
}
