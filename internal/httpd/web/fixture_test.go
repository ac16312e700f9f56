package web

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testenv.Home(m)) }

const greeting = `name: greet
nodes:
  - {id: entry, type: entry, next: say}   # begins
  - {id: say, type: transform, transform: {expr: '"hello " & $.entry.who'}, next: exit}
  - {id: exit, type: exit, result: {expr: $.say}}
`

// site is a UI that a test's browser visits.
type site struct {
	t       *testing.T
	ui      *UI
	app     *app.App
	url     string
	tokens  *access.Tokens
	called  chan struct{} // receives when the tool shop/wait is called
	release chan struct{} // lets it return
}

// serve serves a UI over a shop. The options may be changed before.
func serve(t *testing.T, change func(*Options)) *site {
	t.Helper()
	s := &site{t: t, called: make(chan struct{}, 10), release: make(chan struct{}), tokens: access.Open(filepath.Join(t.TempDir(), "tokens.json"))}
	graphs, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.app = app.New(app.Options{Graphs: graphs, Servers: []downstream.Server{{Name: "shop", InProcess: s.shop(), Trusted: true}}})
	t.Cleanup(s.app.Close)
	s.app.Start(t.Context())
	files := fstest.MapFS{
		"index.html":         {Data: []byte("<title>Patchbay</title>")},
		"assets/main-1a2.js": {Data: []byte(strings.Repeat("console.log('patchbay');\n", 100))},
		"secret.pem":         {Data: []byte("key")},
	}
	o := Options{Files: files, Version: "test", HTTP: httpd.Options{InFlight: httpd.NewInFlight(0), Auth: &httpd.Auth{Tokens: s.tokens}}}
	if change != nil {
		change(&o)
	}
	s.ui = New(s.app, o)
	h := httptest.NewServer(s.ui.Handler())
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	s.url = h.URL
	return s
}

// shop has tools that a test can follow.
func (s *site) shop() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "wait", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.called <- struct{}{}
		select {
		case <-s.release:
		case <-ctx.Done():
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "waited"}}}, nil
	})
	return server
}

// token gives a token to a principal.
func (s *site) token(name string, scopes ...string) string {
	s.t.Helper()
	secret, fault := s.tokens.Add(access.Token{Name: name, Rights: access.Rights{Scopes: scopes}})
	if fault != nil {
		s.t.Fatal(fault)
	}
	return secret
}

// A browser keeps cookies, follows no redirect, and has a page with a key.
type browser struct {
	*site
	client *http.Client
	key    string
}

func (s *site) browser() *browser {
	jar, _ := cookiejar.New(nil)
	transport := &http.Transport{DisableCompression: true}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &browser{s, &http.Client{Jar: jar, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, secret()}
}

// operator is a browser that has opened a link.
func (s *site) operator() *browser {
	s.t.Helper()
	b := s.browser()
	b.signIn(s.ui.Link())
	return b
}

// signIn exchanges the token of a link, or none.
func (b *browser) signIn(link string) {
	b.t.Helper()
	_, token, _ := strings.Cut(link, "=")
	if resp, text := b.ask(http.MethodPost, "/ui/api/session", `{"token":`+quoted(token)+`}`); resp.StatusCode != http.StatusOK {
		b.t.Fatal(resp.StatusCode, text)
	}
}

// An answer is what a request got, beside its text.
type answer struct {
	StatusCode    int
	Header        http.Header
	Cookies       []*http.Cookie
	ContentLength int64
}

// ask makes a request of the page. The headers are names and values; Host is the host.
func (b *browser) ask(method, path, body string, headers ...string) (answer, string) {
	b.t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, r)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set(pageHeader, b.key)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		} else {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, resp.Cookies(), resp.ContentLength}, string(text)
}

// do does an operation and returns its reply.
func (b *browser) do(name, args string) string {
	b.t.Helper()
	resp, text := b.ask(http.MethodPost, "/ui/api/op/"+name, args)
	if resp.StatusCode != http.StatusOK {
		b.t.Fatalf("%s: %d %s", name, resp.StatusCode, text)
	}
	return text
}

// quoted is a text as JSON.
func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}
