package downstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/run"
)

const bigResult = `{"z":9007199254740993,"a":1.10,"m":{"y":1,"b":2}}`

// goServer is an MCP server of the Go SDK with one tool.
func goServer(tool string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1"}, nil)
	addTool(s, tool)
	return s
}

func addTool(s *mcp.Server, name string) {
	schema := json.RawMessage(`{"type":"object","properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{}}}`)
	s.AddTool(&mcp.Tool{Name: name, InputSchema: schema}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if token := r.Params.GetProgressToken(); token != nil {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1})
		}
		if strings.Contains(string(r.Params.Arguments), "wait") {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(bigResult), Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}}}, nil
	})
}

// listen serves h on a loopback address, the given one if it is not empty.
func listen(t *testing.T, address string, h http.Handler) (url string, stop func()) {
	t.Helper()
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	stop = func() { _ = server.Close() }
	t.Cleanup(stop)
	return "http://" + l.Addr().String() + "/mcp", stop
}

// streamable serves s; the sessions its clients have lost end with the test.
func streamable(t *testing.T, s *mcp.Server, o *mcp.StreamableHTTPOptions) http.Handler {
	t.Cleanup(func() {
		for session := range s.Sessions() {
			_ = session.Close()
		}
	})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, o)
}

func TestHTTPTransports(t *testing.T) {
	for name, c := range map[string]struct {
		transport string
		handler   http.Handler
	}{
		"stateful":       {"http", streamable(t, goServer("echo"), nil)},
		"stateless":      {"streamableHttp", streamable(t, goServer("echo"), &mcp.StreamableHTTPOptions{Stateless: true})},
		"JSON replies":   {"", streamable(t, goServer("echo"), &mcp.StreamableHTTPOptions{JSONResponse: true})},
		"stateless JSON": {"", streamable(t, goServer("echo"), &mcp.StreamableHTTPOptions{JSONResponse: true, Stateless: true})},
		"sse":            {"sse", mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return goServer("echo") }, nil)},
		"sse, unsaid":    {"", mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return goServer("echo") }, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			var unauthorized atomic.Int64
			url, _ := listen(t, "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer open-sesame" {
					unauthorized.Add(1)
				}
				c.handler.ServeHTTP(w, r)
			}))
			h := startHub(t, nil, Server{Name: "fake", URL: url, Transport: c.transport, Headers: map[string]string{"Authorization": "Bearer open-sesame"}})
			res, fault := call(t, h, `{"z":9007199254740993,"b":1.10}`)
			if fault != nil {
				t.Fatal(fault)
			}
			if string(res.Structured) != bigResult {
				t.Errorf("structured content is %s", res.Structured)
			}
			if len(res.Content) != 1 || !strings.Contains(string(res.Content[0]), `{\"z\":9007199254740993,\"b\":1.10}`) {
				t.Errorf("the server was given %s", res.Content)
			}
			if want := `{"type":"object","properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{}}}`; string(h.Tools("fake")[0].InputSchema) != want {
				t.Errorf("schema is %s", h.Tools("fake")[0].InputSchema)
			}
			h.Close()
			if n := unauthorized.Load(); n > 0 {
				t.Errorf("%d requests without the header", n)
			}
		})
	}
}

// A server that is down is reported as that, in both eras of the protocol, not
// as one that refused the call.
func TestHTTPServerIsDown(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		url, stop := listen(t, "", streamable(t, goServer("echo"), &mcp.StreamableHTTPOptions{Stateless: stateless}))
		h := startHub(t, nil, Server{Name: "fake", URL: url})
		if _, fault := call(t, h, `{}`); fault != nil {
			t.Fatal(fault)
		}
		stop()
		_, fault := call(t, h, `{}`)
		if fault == nil || fault.Code != "server-failed" || strings.Contains(fault.Message, "rejected by transport") {
			t.Errorf("stateless %v: %+v", stateless, fault)
		}
		h.Close()
	}
}

func TestHTTPListChanges(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		var l heard
		server := goServer("echo")
		url, _ := listen(t, "", streamable(t, server, &mcp.StreamableHTTPOptions{Stateless: stateless}))
		h := startHub(t, &Options{OnTools: l.hear}, Server{Name: "fake", URL: url})
		if f := h.Ready(t.Context(), "fake"); f != nil {
			t.Fatal(f)
		}
		addTool(server, "later")
		l.until(t, func(lists [][]string) bool { return cmp.Equal(lists, [][]string{{"echo"}, {"echo", "later"}}) })
		h.Close()
	}
}

// TestHTTPServerRestarts wants calls to continue, and new tools to be seen, after
// a server has come back at the same address knowing nothing of the session.
func TestHTTPServerRestarts(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		var l heard
		o := &mcp.StreamableHTTPOptions{Stateless: stateless}
		url, stop := listen(t, "", streamable(t, goServer("echo"), o))
		h := startHub(t, &Options{OnTools: l.hear}, Server{Name: "fake", URL: url})
		if _, fault := call(t, h, `{}`); fault != nil {
			t.Fatal(fault)
		}
		stop()
		for fault := (*diag.Fault)(nil); fault == nil; {
			_, fault = call(t, h, `{}`)
		}
		second := goServer("echo")
		addTool(second, "later")
		listen(t, strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp"), streamable(t, second, o))
		for _, fault := call(t, h, `{}`); fault != nil; runtime.Gosched() {
			_, fault = call(t, h, `{}`)
		}
		l.until(t, last(2))
		h.Close()
	}
}

// TestHTTPSessionExpires drops the session on the server's side between two
// calls; the second must not fail.
func TestHTTPSessionExpires(t *testing.T) {
	var current atomic.Pointer[http.Handler]
	fresh := func() { h := streamable(t, goServer("echo"), nil); current.Store(&h) }
	fresh()
	url, _ := listen(t, "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*current.Load()).ServeHTTP(w, r) }))
	h := startHub(t, nil, Server{Name: "fake", URL: url})
	for range 3 {
		if _, fault := call(t, h, `{}`); fault != nil {
			t.Fatal(fault)
		}
		fresh()
	}
}

// TestHTTPStreamIsCut cuts the stream on which a server tells of its changes, as
// proxies do. Changes are heard of all the same, calls continue, and the server is
// not asked for a new stream all the time.
func TestHTTPStreamIsCut(t *testing.T) {
	var streams atomic.Int64
	cut := make(chan struct{})
	server := goServer("echo")
	inner := streamable(t, server, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	url, _ := listen(t, "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if strings.Contains(string(body), "subscriptions/listen") {
			first := streams.Add(1) == 1
			ctx, cancel := context.WithTimeout(r.Context(), 50*time.Millisecond)
			defer cancel()
			r = r.WithContext(ctx)
			if first {
				defer close(cut)
			}
		}
		inner.ServeHTTP(w, r)
	}))
	var l heard
	h := startHub(t, &Options{OnTools: l.hear}, Server{Name: "fake", URL: url})
	if f := h.Ready(t.Context(), "fake"); f != nil {
		t.Fatal(f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = h.CallTool(ctx, run.Call{Server: "fake", Tool: "echo", Args: json.RawMessage(`{"a":"wait"}`)})
	}()
	<-cut
	addTool(server, "later")
	l.until(t, last(2))
	select {
	case <-ended:
		t.Error("the call in flight has ended")
	default:
	}
	if n := streams.Load(); n > 4 {
		t.Errorf("%d streams were asked for", n)
	}
	cancel()
	<-ended
}

func TestHTTPRefusals(t *testing.T) {
	for _, c := range []struct {
		name          string
		handler       http.HandlerFunc
		message, hint string
		timeout       time.Duration
	}{
		{"unauthorized", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "token open-sesame is unknown", http.StatusUnauthorized)
		}, "HTTP 401 Unauthorized: token *** is unknown", "headers", 0},
		{"a web page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>hello</html>")
		}, `its reply has the unsupported content type "text/html"`, "", 0},
		{"garbage", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":`)
		}, "failed to start", "", 0},
		{"hangs", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body) // only then the end of the connection is noticed
			<-r.Context().Done()
		}, "initialize within", "", 500 * time.Millisecond},
		{"endless", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
					return
				}
			}
		}, "", "", 500 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, _ := listen(t, "", c.handler)
			h := startHub(t, &Options{Redact: strings.NewReplacer("open-sesame", "***").Replace}, Server{Name: "fake", URL: url, Transport: "http", StartTimeout: c.timeout, Headers: map[string]string{"Authorization": "Bearer open-sesame"}})
			_, fault := call(t, h, `{}`)
			if fault == nil || fault.Code != "server-failed" || !strings.Contains(fault.Message, c.message) || !strings.Contains(fault.Hint, c.hint) {
				t.Errorf("fault is %+v", fault)
			}
		})
	}
}

// TestHTTPOldServers connects to servers that answer what they do not know in
// the ways that are met.
func TestHTTPOldServers(t *testing.T) {
	for _, c := range []struct {
		name string
		odd  func(w http.ResponseWriter, r *http.Request, body string) bool
	}{
		{"plain 400 to server/discover", func(w http.ResponseWriter, _ *http.Request, body string) bool {
			if strings.Contains(body, "server/discover") {
				http.Error(w, "Bad Request: Server not initialized", http.StatusBadRequest)
				return true
			}
			return false
		}},
		{"500 to server/discover", func(w http.ResponseWriter, _ *http.Request, body string) bool {
			if strings.Contains(body, "server/discover") {
				http.Error(w, "oops", http.StatusInternalServerError)
				return true
			}
			return false
		}},
		{"a GET that never begins", func(_ http.ResponseWriter, r *http.Request, _ string) bool {
			if r.Method == http.MethodGet {
				<-r.Context().Done()
				return true
			}
			return false
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inner := streamable(t, goServer("echo"), nil)
			url, _ := listen(t, "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if !c.odd(w, r, string(body)) {
					r.Body = io.NopCloser(strings.NewReader(string(body)))
					inner.ServeHTTP(w, r)
				}
			}))
			h := startHub(t, nil, Server{Name: "fake", URL: url, Transport: "http"})
			if _, fault := call(t, h, `{}`); fault != nil {
				t.Error(fault)
			}
		})
	}
}

func TestHTTPCancel(t *testing.T) {
	url, _ := listen(t, "", streamable(t, goServer("echo"), nil))
	h := startHub(t, nil, Server{Name: "fake", URL: url, CallTimeout: 50 * time.Millisecond})
	if _, fault := call(t, h, `{"a":"wait"}`); fault == nil || fault.Code != "call-timeout" {
		t.Errorf("fault is %+v", fault)
	}
	_, fault := call(t, h, `{}`)
	for fault != nil && fault.Code == "call-timeout" { // on a busy machine
		_, fault = call(t, h, `{}`)
	}
	if fault != nil {
		t.Errorf("the next call: %v", fault)
	}
}

// Nothing is sent to another origin: not by a redirect, not before or in a session, and not
// to the endpoint that an SSE server names. A redirect at the origin is followed.
func TestRedirectsStayAtTheOrigin(t *testing.T) {
	other, _ := listen(t, "", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s %s", r.Method, r.URL) }))
	server := streamable(t, goServer("echo"), nil)
	for name, c := range map[string]struct {
		transport string
		handler   http.HandlerFunc
		refused   bool
	}{
		"streamable": {"http", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other, http.StatusTemporaryRedirect)
		}, true},
		"a call": {"http", func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if bytes.Contains(body, []byte(`"tools/call"`)) {
				http.Redirect(w, r, other, http.StatusPermanentRedirect)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			server.ServeHTTP(w, r)
		}, true},
		"sse": {"sse", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other, http.StatusFound)
		}, true},
		"the endpoint of sse": {"sse", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: endpoint\ndata: "+other+"\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, true},
		"at the origin": {"http", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/mcp" {
				http.Redirect(w, r, "/mcp/", http.StatusTemporaryRedirect)
				return
			}
			server.ServeHTTP(w, r)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := listen(t, "", c.handler)
			h := startHub(t, nil, Server{Name: "fake", URL: url, Transport: c.transport, Headers: map[string]string{"X-Api-Key": "open-sesame"}})
			_, fault := call(t, h, `{}`)
			if (fault != nil) != c.refused {
				t.Fatal(fault)
			}
			if want := strings.TrimSuffix(other, "/mcp"); c.refused && (fault.Code != "server-failed" || !strings.Contains(fault.Message, "another origin, "+want)) {
				t.Errorf("the fault is %+v", fault)
			}
		})
	}
}

func BenchmarkCall(b *testing.B) {
	h := New([]Server{{Name: "go", InProcess: goServer("echo")}}, nil)
	h.Start(b.Context())
	defer h.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.CallTool(b.Context(), run.Call{Server: "go", Tool: "echo", Args: json.RawMessage(`{"z":1}`)}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadCache(b *testing.B) {
	file := b.TempDir() + "/x.tools"
	var tools []*tooldef.Tool
	for i := range 1000 {
		t, err := tooldef.Read("srv", json.RawMessage(`{"name":"do-it","title":"Do it","description":"Does it","inputSchema":{"type":"object","required":["path","mode"],"properties":{"path":{"type":"string","description":"where to look"},"mode":{"enum":["fast","slow"]},"depth":{"type":"integer","default":1},"tags":{"type":"array","items":{"type":"string"}}}}}`), true)
		if err != nil {
			b.Fatal(err)
		}
		t.Name = fmt.Sprint("tool", i)
		tools = append(tools, t)
	}
	if err := writeCache(file, cachedServer{Server: "srv"}, tools); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, got, err := readCache(file, false); err != nil || len(got) != 1000 {
			b.Fatal(err)
		}
	}
}

// A stream that ends before the reply is resumed, and its reply is the result, of a call and of
// a request of the gateway.
func TestReplyOnAResumedStream(t *testing.T) {
	ids := make(chan json.RawMessage, 1)
	url, _ := listen(t, "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			if r.Header.Get("Last-Event-ID") == "" {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "id: e2\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"resumed\"}],\"contents\":[]}}\n\n", <-ids)
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		reply := func(result string) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Mcp-Session-Id", "s")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
		}
		switch m.Method {
		case "initialize":
			reply(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"cut","version":"1"}}`)
		case "tools/list":
			reply(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`)
		case "tools/call", "resources/read":
			ids <- m.ID
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "id: e1\nretry: 20\ndata: \n\n")
		case "server/discover":
			w.WriteHeader(http.StatusNotFound)
		case "resources/list":
			reply(`{"resources":[]}`)
		case "resources/templates/list":
			reply(`{"resourceTemplates":[]}`)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	h := startHub(t, &Options{Gateway: true}, Server{Name: "fake", URL: url})
	res, fault := call(t, h, `{}`)
	if fault != nil || len(res.Content) != 1 || !strings.Contains(string(res.Content[0]), "resumed") {
		t.Errorf("%+v, %v", res, fault)
	}
	raw, err := h.Request(t.Context(), "fake", Request{Method: "resources/read", Params: json.RawMessage(`{"uri":"a:b"}`)})
	if err != nil || !strings.Contains(string(raw), "resumed") {
		t.Errorf("%s, %v", raw, err)
	}
}
