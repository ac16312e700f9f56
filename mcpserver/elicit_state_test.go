package mcpserver

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// roundTrips is a client that gets the questions of a call and answers them by hand.
func roundTrips(t *testing.T, url string) *mcp.ClientSession {
	t.Helper()
	o := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: transport}}, &mcp.ClientSessionOptions{ProtocolVersion: multiRoundTrip})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

const orderAndAsk = `{"nodes":[
	{"id":"entry","type":"entry","next":"order"},
	{"id":"order","type":"mcp","server":"shop","tool":"order","args":{"article":"tea"},"next":"ask"},
	{"id":"ask","type":"ask","message":"How many?","schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"next":"again"},
	{"id":"again","type":"ask","message":"Really?","next":"exit"},
	{"id":"exit","type":"exit","result":{"expr":"$.ask.content.n"}}]}`

// The state of a question belongs to its call: the same tool, arguments and server.
// Any other use of it is an error of the protocol, and starts nothing.
func TestTheStateOfAQuestion(t *testing.T) {
	url, shop := listen(t)
	session := roundTrips(t, url)
	call := func(tool, args, state string, answers mcp.InputResponseMap) (*mcp.CallToolResult, error) {
		t.Helper()
		return session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: raw(args), RequestState: state, InputResponses: answers})
	}
	args := `{"arguments":{},"graph":` + orderAndAsk + `}`
	asked := func(r *mcp.CallToolResult, err error, step string) string {
		t.Helper()
		if err != nil || len(r.InputRequests) != 1 || r.InputRequests[step] == nil {
			t.Fatalf("%+v %v, want the question %s", r, err, step)
		}
		return r.RequestState
	}
	r, err := call("run_graph", args, "", nil)
	first := asked(r, err, "ask#0")
	if strings.Contains(first, "run_") {
		t.Errorf("the state is %s", first)
	}
	yes := mcp.InputResponseMap{"ask#0": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"n": 3}}}
	changed := []byte(first)
	slices.Reverse(changed)
	for what, used := range map[string]struct{ tool, args, state string }{
		"changed":               {"run_graph", args, string(changed)},
		"not a state":           {"run_graph", args, "run_01M80SXPMJ5G3WFAA0B87HJ5JT"},
		"of other arguments":    {"run_graph", `{"arguments":{"n":1},"graph":` + orderAndAsk + `}`, first},
		"of another tool":       {"resume_run", args, first},
		"of a tool that is mum": {"get_run", args, first},
	} {
		_, err := call(used.tool, used.args, used.state, yes)
		if wire, ok := errors.AsType[*jsonrpc.Error](err); !ok || wire.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("a state %s is answered with %v", what, err)
		}
	}

	// The order of keys does not matter. Without an answer to what is asked, the same is
	// asked again, with a new state.
	same := `{"graph":` + orderAndAsk + `, "arguments": {}}`
	seen := map[string]bool{first: true}
	for _, answers := range []mcp.InputResponseMap{nil, {"other#0": yes["ask#0"]}} {
		r, err := call("run_graph", same, first, answers)
		state := asked(r, err, "ask#0")
		if seen[state] {
			t.Error("a state is used for two rounds")
		}
		seen[state] = true
	}
	r, err = call("run_graph", args, first, yes)
	second := asked(r, err, "again#0")
	r, err = call("run_graph", args, first, yes) // once more the first answer
	asked(r, err, "again#0")
	for range 2 { // the second time there is nothing left to do
		r, err = call("run_graph", args, second, mcp.InputResponseMap{"again#0": &mcp.ElicitResult{Action: "decline"}})
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Status string
			Result json.RawMessage
		}
		if err := json.Unmarshal([]byte(r.Content[0].(*mcp.TextContent).Text), &got); err != nil || got.Status != "succeeded" || string(got.Result) != "3" {
			t.Errorf("%+v %v", got, err)
		}
	}
	if n := len(shop.calls); n != 1 {
		t.Errorf("the shop was called %d times in one run", n)
	}
}
