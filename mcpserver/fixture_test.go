package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	own "github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/app/arguments"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
	"github.com/patchbay-mcp/patchbay/mcpserver/stdio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testenv.Home(m)) }

// exactJSON does not survive a reader that goes through float64 or Go maps.
const exactJSON = `{"z":9007199254740993,"a":1.10,"m":{"y":1e2,"b":[]}}`

// shop is a downstream server whose calls a test can follow.
type shop struct {
	server  *mcp.Server
	app     *app.App      // over the shop
	calls   chan string   // names of the tools called
	ended   chan error    // why a wait was over
	release chan struct{} // lets a wait succeed
}

func newShop() *shop {
	s := &shop{
		server: mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil),
		calls:  make(chan string, 1000), ended: make(chan error, 10), release: make(chan struct{}),
	}
	add := func(t *mcp.Tool, respond func(ctx context.Context, args map[string]any) *mcp.CallToolResult) {
		s.server.AddTool(t, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			select {
			case s.calls <- t.Name:
			default:
			}
			var args map[string]any
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
				return nil, err
			}
			if token := req.Params.GetProgressToken(); token != nil && t.Name == "wait" {
				_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 2, Total: 4, Message: "half of it"})
			}
			return respond(ctx, args), nil
		})
	}
	text := func(s string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
	schema := func(s string) json.RawMessage { return json.RawMessage(s) }
	add(&mcp.Tool{Name: "exact", Description: "Numbers and keys that must not change", InputSchema: schema(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, map[string]any) *mcp.CallToolResult {
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(exactJSON), Content: []mcp.Content{&mcp.TextContent{Text: exactJSON}}}
		})
	add(&mcp.Tool{
		Name: "order", Description: "Order an article from the shop", InputSchema: schema(`{"type":"object","properties":{"article":{"type":"string","description":"what to order"},"amount":{"type":"integer","minimum":1}},"required":["article"]}`),
		OutputSchema: schema(`{"type":"object","properties":{"number":{"type":"integer"},"article":{"type":"string"}},"required":["number"]}`),
	}, func(_ context.Context, args map[string]any) *mcp.CallToolResult {
		b, _ := json.Marshal(map[string]any{"number": 7, "article": args["article"]})
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(b), Content: []mcp.Content{&mcp.TextContent{Text: string(b)}}}
	})
	add(&mcp.Tool{Name: "refuse", Description: "Refuses every request", InputSchema: schema(`{"type":"object","properties":{"why":{"type":"string"}}}`)},
		func(context.Context, map[string]any) *mcp.CallToolResult {
			r := text("the shop is closed")
			r.IsError = true
			return r
		})
	add(&mcp.Tool{Name: "wait", Description: "Waits until it is released", InputSchema: schema(`{"type":"object"}`)},
		func(ctx context.Context, _ map[string]any) *mcp.CallToolResult {
			select {
			case <-s.release:
				s.ended <- nil
				return text("waited")
			case <-ctx.Done():
				s.ended <- ctx.Err()
				r := text("the wait was cancelled")
				r.IsError = true
				return r
			}
		})
	add(&mcp.Tool{Name: "large", Description: "Returns a large text", InputSchema: schema(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, map[string]any) *mcp.CallToolResult {
			return text(strings.Repeat("0123456789", 10_000))
		})
	return s
}

// options of a test's server.
type options struct {
	trusted   bool
	toolsOnly bool
	debug     bool
	documents []string
	wait      time.Duration // for runs
	sessions  *Sessions
	taskAfter time.Duration // before a call becomes a task; 0 is at once

	maxSessions int           // over HTTP
	bodyTimeout time.Duration // over HTTP
	clock       func() time.Time
}

// newServer assembles a Patchbay over a shop.
func newServer(t testing.TB, o options) (*mcp.Server, *shop) {
	t.Helper()
	s := newShop()
	graphs, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var documents []*graph.Document
	for _, text := range o.documents {
		doc, found := graph.Parse("document.yaml", text)
		if found.HasErrors() {
			t.Fatal(found)
		}
		documents = append(documents, doc)
	}
	pb := app.New(app.Options{Servers: []downstream.Server{{Name: "shop", InProcess: s.server, Trusted: o.trusted}}, Graphs: graphs, Documents: documents})
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	s.app = pb
	return New(pb, Options{Version: "test", ToolsOnly: o.toolsOnly, DebugTools: o.debug, Wait: o.wait, Sessions: o.sessions, TaskAfter: max(o.taskAfter, 1)}), s
}

// client speaks JSON-RPC as bytes, so that a test sees what is on the wire.
type client struct {
	t       *testing.T
	shop    *shop
	out     io.Writer
	notes   chan message
	schemas map[string]*jsonschema.Schema // of the tools' results

	instructions string // what initialize said

	mu      sync.Mutex
	next    int
	waiting map[int]chan message
}

type message struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// connect starts a server and an initialized session with it.
func connect(t *testing.T, o options) *client {
	t.Helper()
	server, s := newServer(t, o)
	return attach(t, server, s)
}

func attach(t *testing.T, server *mcp.Server, s *shop) *client {
	t.Helper()
	c := wire(t, server, s)
	var hello struct {
		Instructions string `json:"instructions"`
	}
	m := c.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	if err := json.Unmarshal(m.Result, &hello); err != nil {
		t.Fatal(err)
	}
	c.instructions = hello.Instructions
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	c.list()
	return c
}

// wire connects a client that has said nothing yet.
func wire(t *testing.T, server *mcp.Server, s *shop) *client {
	t.Helper()
	serverIn, out := io.Pipe()
	in, serverOut := io.Pipe()
	session, err := server.Connect(context.Background(), stdio.New(serverIn, serverOut), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, shop: s, out: out, notes: make(chan message, 1000), waiting: map[int]chan message{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read(in)
	}()
	t.Cleanup(func() {
		_ = out.Close()
		_ = session.Wait()
		_ = serverOut.Close()
		<-read
	})
	return c
}

func (c *client) read(in io.Reader) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			c.t.Errorf("not JSON on the wire: %s", line)
			return
		}
		if m.ID == nil || m.Method != "" {
			c.notes <- m
			continue
		}
		c.mu.Lock()
		waiting := c.waiting[*m.ID]
		delete(c.waiting, *m.ID)
		c.mu.Unlock()
		if waiting != nil {
			waiting <- m
		}
	}
}

func (c *client) send(v any) {
	c.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.out.Write(append(b, '\n')); err != nil {
		c.t.Fatal(err)
	}
}

// begin sends a request and returns where its reply will come.
func (c *client) begin(method string, params any) (id int, reply chan message) {
	c.t.Helper()
	c.mu.Lock()
	c.next++
	id, reply = c.next, make(chan message, 1)
	c.waiting[id] = reply
	c.mu.Unlock()
	c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id, reply
}

func (c *client) request(method string, params any) message {
	c.t.Helper()
	_, reply := c.begin(method, params)
	return <-reply
}

type listedTool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  map[string]any  `json:"annotations"`
}

// list asks for the tools and learns the schemas of their results. Those of our own
// are not listed.
func (c *client) list() []listedTool {
	c.t.Helper()
	var r struct {
		Tools []listedTool `json:"tools"`
	}
	m := c.request("tools/list", map[string]any{})
	if err := json.Unmarshal(m.Result, &r); err != nil {
		c.t.Fatal(err)
	}
	c.schemas = map[string]*jsonschema.Schema{}
	for _, tool := range r.Tools {
		if len(tool.OutputSchema) > 0 {
			c.learn(tool.Name, tool.OutputSchema)
		}
	}
	for _, o := range app.Operations() {
		result := arguments.ResultSchema(o)
		result.Properties["shortened"] = &own.Schema{Type: "string"}
		result.AdditionalProperties = &own.Schema{Not: &own.Schema{}} // the reference lists every member
		schema, err := json.Marshal(result)
		if err != nil {
			c.t.Fatal(err)
		}
		c.learn(o.Tool, schema)
	}
	return r.Tools
}

// learn keeps the schema that the replies of a tool satisfy.
func (c *client) learn(tool string, schema json.RawMessage) {
	c.t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		c.t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema:"+tool, doc); err != nil {
		c.t.Fatal(err)
	}
	if c.schemas[tool], err = compiler.Compile("schema:" + tool); err != nil {
		c.t.Fatalf("schema of the results of %s: %v", tool, err)
	}
}

// An answer is what a tool answered. Its first text is JSON.
type answer struct {
	Structured json.RawMessage
	Text       string
	Failed     bool
	Texts      []string
}

// call calls a tool with arguments given as JSON, and checks what holds for every
// reply: structured content satisfies the schema of its results, failures included,
// and the text is the same JSON.
func (c *client) call(tool, args string) *answer {
	c.t.Helper()
	return c.understand(tool, c.request("tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(args)}))
}

func (c *client) understand(tool string, m message) *answer {
	c.t.Helper()
	if m.Error != nil {
		c.t.Fatalf("%s: protocol error %d: %s", tool, m.Error.Code, m.Error.Message)
	}
	var wire struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if err := json.Unmarshal(m.Result, &wire); err != nil {
		c.t.Fatal(err)
	}
	// The SDK writes some characters as escapes, which are the same JSON.
	wire.Structured = []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(wire.Structured)))
	r := &answer{Structured: wire.Structured, Failed: wire.IsError, Text: wire.Content[0].Text}
	for _, item := range wire.Content {
		r.Texts = append(r.Texts, item.Text)
		if named := namedCommands(item.Text); len(named) > 0 {
			c.t.Errorf("%s: the reply names %s: %s", tool, strings.Join(named, ", "), item.Text)
		}
	}
	if !json.Valid([]byte(r.Text)) {
		c.t.Fatalf("the text of %s is no JSON: %s", tool, r.Text)
	}
	if len(r.Structured) == 0 {
		r.Structured = nil
		return r
	}
	if r.Text != string(r.Structured) {
		c.t.Errorf("%s: text and structuredContent differ:\n%s\n%s", tool, r.Text, r.Structured)
	}
	if schema := c.schemas[tool]; schema != nil {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.Structured))
		if err != nil {
			c.t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			c.t.Errorf("the reply of %s does not satisfy the schema of its results: %v\n%s", tool, err, r.Structured)
		}
	}
	return r
}

// get returns the value at a path of keys and indexes, as compact JSON; "" where
// there is none.
func (r *answer) get(path ...string) string {
	b := []byte(r.Text)
	for _, key := range path {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		switch {
		case json.Unmarshal(b, &object) == nil:
			b = object[key]
		case json.Unmarshal(b, &list) == nil && len(key) == 1 && int(key[0]-'0') < len(list):
			b = list[key[0]-'0']
		default:
			return ""
		}
	}
	return string(b)
}

// text is get of a string, without its quotes.
func (r *answer) text(path ...string) string {
	var s string
	_ = json.Unmarshal([]byte(r.get(path...)), &s)
	return s
}

// want checks the values at slash-separated paths.
func (r *answer) want(t *testing.T, want map[string]string) {
	t.Helper()
	for path, value := range want {
		if got := r.get(strings.Split(path, "/")...); got != value {
			t.Errorf("%s is %s, want %s, in\n%s", path, got, value, r.Text)
		}
	}
}

// says checks that the text of a reply holds all parts.
func (r *answer) says(t *testing.T, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(r.Text, p) {
			t.Errorf("the reply does not say %s:\n%s", p, r.Text)
		}
	}
}

// note waits for a notification of a method.
func (c *client) note(method string) message {
	c.t.Helper()
	for {
		if m := <-c.notes; m.Method == method {
			return m
		}
	}
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }
