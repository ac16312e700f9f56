package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// clientBy is a client that speaks a version of the protocol to a server. Forms are answered
// by answer; nil shows none.
func clientBy(t *testing.T, s *mcp.Server, version string, answer func(*mcp.ElicitParams) *mcp.ElicitResult) *mcp.ClientSession {
	t.Helper()
	web := httptest.NewServer(Handler(s, HTTPOptions{}))
	t.Cleanup(web.Close)
	o := &mcp.ClientOptions{}
	if answer != nil {
		o.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return answer(r.Params), nil
		}
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: web.URL + "/mcp", HTTPClient: &http.Client{Transport: transport}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// versions are those of each way in which a server asks.
var versions = []string{"2025-11-25", multiRoundTrip}

// destroyer is a server with a destructive tool, and how often that was called.
func destroyer() (downstream.Server, *atomic.Int64) {
	s, calls, yes := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil), &atomic.Int64{}, true
	s.AddTool(&mcp.Tool{Name: "destroy", InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		calls.Add(1)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "destroyed"}}}, nil
	})
	return downstream.Server{Name: "s", InProcess: s}, calls
}

// The calls of an agent that destroy something.
var destroying = map[string]mcp.CallToolParams{
	"run_graph": {Name: "run_graph", Arguments: raw(`{"graph":{"nodes":[{"id":"entry","type":"entry","next":"a"},{"id":"a","type":"mcp","server":"s","tool":"destroy","args":{},"next":"exit"},{"id":"exit","type":"exit"}]}}`)},
	"run_node":  {Name: "run_node", Arguments: raw(`{"id":"mcp:s/destroy","arguments":{}}`)},
	"gateway":   {Name: "s__destroy"},
}

// A client that shows forms is asked whether a destructive tool may be called; with another,
// and with one that closes the form, the run waits, and a tool that passes through is not called.
func TestDestructiveCallsAskThePerson(t *testing.T) {
	for _, version := range versions {
		for by, params := range destroying {
			for _, action := range []string{"accept", "decline", "cancel", ""} {
				t.Run(strings.Join([]string{version, by, action}, " "), func(t *testing.T) {
					s, calls := destroyer()
					server, _ := gatewayOver(t, Options{Expose: prefixed()}, s)
					var asked atomic.Int64
					answer := func(p *mcp.ElicitParams) *mcp.ElicitResult {
						asked.Add(1)
						if !strings.Contains(p.Message, "the tool destroy of the server s") {
							t.Errorf("it asks %q", p.Message)
						}
						return &mcp.ElicitResult{Action: action}
					}
					want, times, made := map[string]string{"accept": "destroyed"}[action], int64(1), int64(0)
					switch {
					case action == "accept":
						made = 1
					case action == "cancel" && by != "gateway": // a client without a terminal says so by itself
						want = "patchbay runs answer run_"
					case action != "":
						want = "call-not-permitted"
					case by == "gateway":
						answer, times, want = nil, 0, "needs-permission"
					default:
						answer, times, want = nil, 0, "patchbay runs answer run_"
					}
					r, err := clientBy(t, server, version, answer).CallTool(t.Context(), &mcp.CallToolParams{Name: params.Name, Arguments: params.Arguments}) // a copy: the client adds to it
					if err != nil {
						t.Fatal(err)
					}
					if got := r.Content[0].(*mcp.TextContent).Text; !strings.Contains(got, want) || asked.Load() != times || calls.Load() != made {
						t.Errorf("after %d questions and %d calls: %s", asked.Load(), calls.Load(), got)
					}
				})
			}
		}
	}
}

// What a server asks before it makes a call is put to the person at the client; with a
// client that shows no forms the run waits.
func TestQuestionsOfServersReachThePerson(t *testing.T) {
	for _, version := range versions {
		for _, by := range []string{"run_graph", "run_node"} {
			for _, able := range []bool{true, false} {
				t.Run(fmt.Sprint(version, " ", by, " ", able), func(t *testing.T) {
					s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
					s.AddTool(&mcp.Tool{Name: "destroy", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
						if e, ok := r.Params.InputResponses["who"].(*mcp.ElicitResult); ok {
							return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Params.RequestState + " " + e.Content["name"].(string)}}}, nil
						}
						return &mcp.CallToolResult{RequestState: "7", InputRequests: mcp.InputRequestMap{"who": &mcp.ElicitParams{Mode: "form", Message: "Who?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)}}}, nil
					})
					server, _ := gatewayOver(t, Options{}, downstream.Server{Name: "s", InProcess: s})
					want := "patchbay runs answer run_"
					var answer func(p *mcp.ElicitParams) *mcp.ElicitResult
					if able {
						want = "7 Ada, asked The server s asks, for a call of its tool destroy: Who?"
						answer = func(p *mcp.ElicitParams) *mcp.ElicitResult {
							return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada, asked " + p.Message}}
						}
					}
					params := destroying[by]
					r, err := clientBy(t, server, version, answer).CallTool(t.Context(), &mcp.CallToolParams{Name: params.Name, Arguments: params.Arguments})
					if err != nil {
						t.Fatal(err)
					}
					if got := r.Content[0].(*mcp.TextContent).Text; !strings.Contains(got, want) {
						t.Errorf("it is %s", got)
					}
				})
			}
		}
	}
}

// The person at a client chooses for how long the calls of a tool are permitted, in a protocol
// with sessions also for the session. A client is not offered to permit them for good.
func TestThePersonAtTheClientPermitsForASession(t *testing.T) {
	for version, offered := range map[string]string{"2025-11-25": `["once","run","session"]`, multiRoundTrip: `["once","run"]`} {
		t.Run(version, func(t *testing.T) {
			s, calls := destroyer()
			server, _ := gatewayOver(t, Options{Expose: prefixed()}, s)
			var asked atomic.Int64
			answer := func(p *mcp.ElicitParams) *mcp.ElicitResult {
				asked.Add(1)
				if got, _ := json.Marshal(p.RequestedSchema); !strings.Contains(string(got), `"enum":`+offered) {
					t.Errorf("it is offered %s", got)
				}
				choice := "run"
				if strings.Contains(offered, "session") {
					choice = "session"
				}
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": choice}}
			}
			one, two := clientBy(t, server, version, answer), clientBy(t, server, version, answer)
			for i, c := range []*mcp.ClientSession{one, one, two} {
				params := destroying["run_graph"]
				r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: params.Name, Arguments: params.Arguments})
				if err != nil || r.IsError {
					t.Fatalf("%d: %+v, %v", i, r, err)
				}
			}
			r, err := two.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_node", Arguments: destroying["run_node"].Arguments})
			if err != nil || r.IsError {
				t.Fatalf("%+v, %v", r, err)
			}
			want := int64(4)
			if strings.Contains(offered, "session") {
				want = 2 // one in each
			}
			if asked.Load() != want || calls.Load() != 4 {
				t.Errorf("%d questions, want %d; %d calls", asked.Load(), want, calls.Load())
			}
		})
	}
}

// A client that cannot ask gets the line that a person types, and the run goes on when they do.
func TestTheReplyIsTheLineToType(t *testing.T) {
	for _, by := range []string{"run_graph", "run_node"} {
		s, calls := destroyer()
		server, pb := gatewayOver(t, Options{}, s)
		client := clientBy(t, server, "2025-11-25", nil)
		params := destroying[by]
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: params.Name, Arguments: params.Arguments})
		if err != nil {
			t.Fatal(err)
		}
		var reply struct {
			Run   string      `json:"run_id"`
			Error *diag.Fault `json:"error"`
		}
		if err := json.Unmarshal([]byte(r.Content[0].(*mcp.TextContent).Text), &reply); err != nil || reply.Error == nil {
			t.Fatalf("%s: %v", r.Content[0].(*mcp.TextContent).Text, err)
		}
		if !strings.HasPrefix(reply.Error.Hint, "a person types: patchbay runs answer "+reply.Run+" accept; ") || !strings.Contains(reply.Error.Hint, fmt.Sprintf(`get_run {"run_id": %q}`, reply.Run)) {
			t.Errorf("%s: the hint is %q", by, reply.Error.Hint)
		}
		person := request.WithActor(t.Context(), run.Actor{Operator: true})
		if out, fault := pb.Answer(person, execution.AnswerInput{RunID: reply.Run, Action: "accept", Content: raw(`{"allow":"session"}`)}); fault != nil || out.Status != "succeeded" {
			t.Fatalf("%s: %+v, %v", by, out, fault)
		}
		r, err = client.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_run", Arguments: raw(fmt.Sprintf(`{"run_id":%q}`, reply.Run))})
		if err != nil || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, `"status":"succeeded"`) {
			t.Errorf("%s: %+v, %v", by, r, err)
		}
		// In the rest of the session it is called at once.
		r, err = client.CallTool(t.Context(), &mcp.CallToolParams{Name: params.Name, Arguments: params.Arguments})
		if err != nil || r.IsError || calls.Load() != 2 {
			t.Errorf("%s, again: %+v, %v: %d calls", by, r, err, calls.Load())
		}
	}
}
