package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

const callsElicit = `{"nodes":[{"id":"entry","type":"entry","next":"call"},{"id":"call","type":"mcp","server":"s","tool":"elicit","args":{},"next":"exit"},{"id":"exit","type":"exit"}]}`

// sessionOver is a session over HTTP with a Patchbay over the curious server.
func sessionOver(t *testing.T, version string, o *mcp.ClientOptions) (*mcp.ClientSession, *app.App) {
	t.Helper()
	upstream, _ := curious(t)
	pb := app.New(app.Options{Servers: []downstream.Server{upstream}})
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	if err := pb.AwaitServers(t.Context(), func(downstream.Status) time.Duration { return time.Hour }); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(Handler(New(pb, Options{Version: "test"}), HTTPOptions{}))
	t.Cleanup(web.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: web.URL + "/mcp", HTTPClient: &http.Client{Transport: transport}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session, pb
}

// What a server of 2025-11-25 asks during the call of a run is put to the client that runs
// it, in every version of the protocol.
func TestQuestionsOfCallsReachTheClient(t *testing.T) {
	for _, version := range []string{"2025-11-25", multiRoundTrip} {
		t.Run(version, func(t *testing.T) {
			asked := make(chan string, 10)
			session, _ := sessionOver(t, version, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked <- r.Params.Message
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
			}})
			for tool, args := range map[string]string{"run_graph": `{"graph":` + callsElicit + `}`, "run_node": `{"id":"mcp:s/elicit"}`} {
				r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: raw(args)})
				if err != nil {
					t.Fatal(err)
				}
				if text := r.Content[0].(*mcp.TextContent).Text; r.IsError || !strings.Contains(text, `"succeeded"`) || !strings.Contains(text, "Ada") {
					t.Errorf("%s: %s", tool, text)
				}
				if got := <-asked; got != "The server s asks, for a call of its tool elicit: Who?" || len(asked) > 0 {
					t.Errorf("%s asks %q, and %d more", tool, got, len(asked))
				}
			}
		})
	}
}

// A client that cannot be asked is told how a person answers, and reads the result later.
func TestQuestionsOfCallsForClientsWithoutForms(t *testing.T) {
	for _, version := range []string{"2025-11-25", multiRoundTrip} {
		t.Run(version, func(t *testing.T) {
			session, pb := sessionOver(t, version, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
			r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_graph", Arguments: raw(`{"graph":` + callsElicit + `}`)})
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Status, Hint string
				RunID        string `json:"run_id"`
				Asks         []struct{ Step, Message string }
				Result       json.RawMessage
			}
			if err := json.Unmarshal([]byte(r.Content[0].(*mcp.TextContent).Text), &got); err != nil {
				t.Fatal(err)
			}
			if got.Status != "running" || len(got.Asks) != 1 || got.Asks[0].Step != "call#0" || !strings.Contains(got.Hint, "patchbay runs answer "+got.RunID) {
				t.Fatalf("%+v", got)
			}
			person := request.WithActor(t.Context(), run.Actor{Operator: true})
			done, fault := pb.Answer(person, execution.AnswerInput{RunID: got.RunID, Action: "accept", Content: raw(`{"name":"Grace"}`)})
			if fault != nil || done.Status != "succeeded" {
				t.Fatalf("%+v, %v", done, fault)
			}
			if r, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_run", Arguments: raw(`{"run_id":"` + got.RunID + `"}`)}); err != nil {
				t.Fatal(err)
			}
			if text := r.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, "Grace") {
				t.Errorf("%s", text)
			}
		})
	}
}

// In a gateway, too, the question of a call of a graph is put to the client that runs it.
func TestGatewayQuestionsOfGraphs(t *testing.T) {
	upstream, _ := curious(t)
	server, _ := gatewayOver(t, Options{Expose: prefixed()}, upstream)
	c := clientOf(t, server, answering(make(chan string, 10)))
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_graph", Arguments: raw(`{"graph":` + callsElicit + `}`)})
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, "Ada, asked The server s asks") {
		t.Errorf("%s", text)
	}
}
