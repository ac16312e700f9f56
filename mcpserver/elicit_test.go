package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const askTwice = `{"name":"ask_twice","nodes":[
	{"id":"entry","type":"entry","next":"first"},
	{"id":"first","type":"ask","message":"How many?","schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"next":"second"},
	{"id":"second","type":"ask","message":{"expr":"\"Really \" & $.first.content.n & \"?\""},"next":"both"},
	{"id":"both","type":"transform","transform":{"expr":"{\"n\": $.first.content.n, \"sure\": $.second.action}"},"next":"exit"},
	{"id":"exit","type":"exit"}]}`

// A client that can show a form is asked at once, in every version of the
// protocol; to one that cannot, the run says how a person answers.
func TestQuestionsReachThePerson(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for _, able := range []bool{true, false} {
			name := version + " without forms"
			if able {
				name = version
			}
			t.Run(name, func(t *testing.T) {
				url, _ := listen(t)
				var asked []string
				o := &mcp.ClientOptions{}
				if able {
					o.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						asked = append(asked, r.Params.Message)
						if strings.HasPrefix(r.Params.Message, "Really") {
							return &mcp.ElicitResult{Action: "decline"}, nil
						}
						return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"n": 3}}, nil
					}
				}
				transport := &http.Transport{}
				defer transport.CloseIdleConnections()
				session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(),
					&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: transport}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = session.Close() }()
				r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_graph", Arguments: raw(`{"trace":"none","graph":` + askTwice + `}`)})
				if err != nil {
					t.Fatal(err)
				}
				var got struct {
					Status string
					Trace  []any
					Result json.RawMessage
					RunID  string `json:"run_id"`
					Asks   []struct{ Step, Message string }
					Error  struct{ Code, Hint string }
				}
				if err := json.Unmarshal([]byte(r.Content[0].(*mcp.TextContent).Text), &got); err != nil {
					t.Fatal(err)
				}
				if able {
					if got.Status != "succeeded" || got.Trace != nil || string(got.Result) != `{"n":3,"sure":"decline"}` || strings.Join(asked, " ") != "How many? Really 3?" {
						t.Errorf("%+v after %q", got, asked)
					}
					return
				}
				if got.Status != "interrupted" || !r.IsError || len(got.Asks) != 1 || got.Asks[0].Message != "How many?" || !strings.Contains(got.Error.Hint, "patchbay runs answer "+got.RunID) {
					t.Errorf("%+v", got)
				}
			})
		}
	}
}

// A client that can only open pages is not asked with a form.
func TestAClientWithoutForms(t *testing.T) {
	url, _ := listen(t)
	for _, version := range []string{"2025-11-25", multiRoundTrip} {
		o := &mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}},
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				t.Error("the client is asked")
				return &mcp.ElicitResult{Action: "cancel"}, nil
			},
		}
		transport := &http.Transport{}
		t.Cleanup(transport.CloseIdleConnections)
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(),
			&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: transport}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_graph", Arguments: raw(`{"graph":` + askTwice + `}`)})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Content[0].(*mcp.TextContent).Text; !strings.Contains(got, `"status":"interrupted"`) {
			t.Errorf("%s: %s", version, got)
		}
	}
}
