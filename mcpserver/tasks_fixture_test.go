package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A taskClient speaks the protocol without sessions as bytes, over one of the transports.
type taskClient struct {
	*testing.T
	shop         *shop
	capabilities map[string]any // that each request declares
	send         func(method string, params map[string]any) message
}

// tasksDeclared are the capabilities of a client that has tasks, and forms.
func tasksDeclared() map[string]any {
	return map[string]any{"elicitation": map[string]any{}, "extensions": map[string]any{tasksExtension: map[string]any{}}}
}

// eachTaskClient runs a test over both transports.
func eachTaskClient(t *testing.T, o options, test func(c *taskClient)) {
	t.Helper()
	t.Run("stdio", func(t *testing.T) {
		server, s := newServer(t, o)
		test(overStdio(t, server, s))
	})
	t.Run("http", func(t *testing.T) {
		url, s := listenWith(t, o)
		transport := &http.Transport{}
		t.Cleanup(transport.CloseIdleConnections)
		test(overHTTP(t, url, transport, s))
	})
}

func overStdio(t *testing.T, server *mcp.Server, s *shop) *taskClient {
	t.Helper()
	c := wire(t, server, s)
	return &taskClient{t, s, tasksDeclared(), func(method string, params map[string]any) message { return c.request(method, params) }}
}

func overHTTP(t *testing.T, url string, client http.RoundTripper, s *shop) *taskClient {
	t.Helper()
	return &taskClient{t, s, tasksDeclared(), func(method string, params map[string]any) message {
		name, _ := params["name"].(string)
		if id, ok := params["taskId"].(string); ok {
			name = id
		}
		_, m := postTo(t, client, url, name, method, params)
		return m
	}}
}

// postTo sends a request of the protocol without sessions.
func postTo(t *testing.T, client http.RoundTripper, url, name, method string, params map[string]any) (status int, m message) {
	t.Helper()
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": multiRoundTrip, "Mcp-Method": method, "Mcp-Name": name} {
		if value != "" {
			req.Header.Set(key, value)
		}
	}
	resp, err := client.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "data: ")
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &m) == nil && m.ID != nil {
			return resp.StatusCode, m
		}
	}
	t.Fatalf("%s is answered %d %s", method, resp.StatusCode, text)
	return 0, m
}

// request sends a request with what every one declares.
func (c *taskClient) request(method string, params map[string]any) message {
	c.Helper()
	params = maps.Clone(params)
	params["_meta"] = map[string]any{
		mcp.MetaKeyProtocolVersion: multiRoundTrip, mcp.MetaKeyClientInfo: map[string]any{"name": "test", "version": "1"},
		mcp.MetaKeyClientCapabilities: c.capabilities,
	}
	return c.send(method, params)
}

// A wireTask is a task, or the reply to a call, on the wire.
type wireTask struct {
	ResultType     string
	TaskID         string
	Status         string
	StatusMessage  string
	CreatedAt      string
	LastUpdatedAt  string
	TTLMs          json.RawMessage
	PollIntervalMs int
	InputRequests  map[string]struct {
		Method string
		Params struct{ Message string }
	}
	Result            *wireReply
	StructuredContent json.RawMessage
	RequestState      string
}

type wireReply struct {
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

func (c *taskClient) read(m message) (r wireTask) {
	c.Helper()
	if m.Error != nil {
		c.Fatalf("%d: %s", m.Error.Code, m.Error.Message)
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		c.Fatal(err)
	}
	return r
}

// call calls a tool.
func (c *taskClient) call(tool, arguments string) wireTask {
	c.Helper()
	return c.read(c.request("tools/call", map[string]any{"name": tool, "arguments": raw(arguments)}))
}

// begin calls a tool whose reply must be a task.
func (c *taskClient) begin(tool, arguments string) wireTask {
	c.Helper()
	r := c.call(tool, arguments)
	if r.ResultType != "task" || r.Status != taskWorking || !strings.HasPrefix(r.TaskID, "run_") || r.Result != nil {
		c.Fatalf("the reply of %s is not a task: %+v", tool, r)
	}
	return r
}

func (c *taskClient) get(id string) wireTask {
	c.Helper()
	return c.read(c.request(tasksGet, map[string]any{"taskId": id}))
}

// until asks how a task stands until it does not work any more.
func (c *taskClient) until(id string) wireTask {
	c.Helper()
	for {
		if r := c.get(id); r.Status != taskWorking {
			return r
		}
	}
}

// refused returns the code of the error with which a request is answered.
func (c *taskClient) refused(method string, params map[string]any) int {
	c.Helper()
	m := c.request(method, params)
	if m.Error == nil {
		c.Fatalf("%s is answered %s", method, m.Result)
	}
	return m.Error.Code
}
