package downstream

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// guarded is an MCP server that wants a token, and the authorization server that gives
// some. Tokens that it gives last for no time if expired is set.
type guarded struct {
	*httptest.Server
	tokens  atomic.Int32
	expired atomic.Bool
	grants  chan string
}

func newGuarded(t *testing.T) *guarded {
	g := &guarded{grants: make(chan string, 20)}
	server := mcp.NewServer(&mcp.Implementation{Name: "guarded", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello"}}}, nil
	})
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	reply := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer token-") {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+g.URL+`/.well-known/oauth-protected-resource"`)
			http.Error(w, "log in", http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"resource": g.URL + "/mcp", "authorization_servers": []string{g.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"issuer": g.URL, "authorization_endpoint": g.URL + "/authorize", "token_endpoint": g.URL + "/token", "registration_endpoint": g.URL + "/register",
			"response_types_supported": []string{"code"}, "grant_types_supported": []string{"authorization_code", "refresh_token", "client_credentials"},
			"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none", "client_secret_basic"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var asked map[string]any
		_ = json.NewDecoder(r.Body).Decode(&asked)
		asked["client_id"] = "registered"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(asked)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("code_challenge") == "" || q.Get("code_challenge_method") != "S256" {
			http.Error(w, "no PKCE", http.StatusBadRequest)
			return
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=a-code&state="+q.Get("state"), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		g.grants <- r.Form.Get("grant_type")
		n := g.tokens.Add(1)
		token := map[string]any{"access_token": "token-" + string('a'+n), "token_type": "Bearer", "expires_in": 3600}
		if r.Form.Get("grant_type") != ClientCredentials {
			token["refresh_token"] = "renew"
		}
		if g.expired.Load() {
			token["expires_in"] = 1
		}
		reply(w, token)
	})
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

// grant is how the last token was asked for.
func (g *guarded) grant() string {
	select {
	case kind := <-g.grants:
		return kind
	default:
		return ""
	}
}

func TestLogin(t *testing.T) {
	g := newGuarded(t)
	file := filepath.Join(t.TempDir(), "tokens", "fake.json")
	server := Server{Name: "fake", URL: g.URL + "/mcp", Transport: "streamableHttp", Auth: Auth{TokenFile: file}}

	h := startHub(t, nil, server)
	_, fault := call(t, h, `{}`)
	if fault == nil || !strings.Contains(fault.Message, "HTTP 401") || !strings.Contains(fault.Hint, "patchbay mcp login fake") {
		t.Errorf("without a login: %+v", fault)
	}
	h.Close()

	browse := func(address string) {
		resp, err := http.Get(address) //nolint:noctx,gosec // a browser
		if err != nil {
			t.Error(err)
			return
		}
		_ = resp.Body.Close()
	}
	g.expired.Store(true)
	if err := Login(t.Context(), &server, browse); err != nil {
		t.Fatal(err)
	}
	if kind := g.grant(); kind != "authorization_code" {
		t.Errorf("the token was asked for by %s", kind)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the token is in %v, %v", info, err)
	}
	before, _ := readLogin(file)
	g.expired.Store(false)
	h = startHub(t, nil, server)
	if _, fault := call(t, h, `{}`); fault != nil {
		t.Fatal(fault)
	}
	h.Close()
	after, err := readLogin(file)
	if kind := g.grant(); err != nil || kind != "refresh_token" || after.Token.AccessToken == before.Token.AccessToken || after.Token.RefreshToken != "renew" {
		t.Errorf("an expired token is renewed by %q, %v: %+v", kind, err, after)
	}
}

func TestClientCredentials(t *testing.T) {
	g := newGuarded(t)
	h := startHub(t, nil, Server{Name: "fake", URL: g.URL + "/mcp", Transport: "streamableHttp", Auth: Auth{Grant: ClientCredentials, ClientID: "me", ClientSecret: "sesame-opens"}})
	if _, fault := call(t, h, `{}`); fault != nil {
		t.Fatal(fault)
	}
	if kind := g.grant(); kind != ClientCredentials {
		t.Errorf("the token was asked for by %s", kind)
	}
}

// A call that a scope is missing for says how to get it, and the next login asks for it.
func TestMissingScope(t *testing.T) {
	g := newGuarded(t)
	asked := make(chan url.Values, 10)
	inner := g.Config.Handler
	g.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/authorize":
			asked <- r.URL.Query()
		case r.URL.Path == "/mcp" && g.tokens.Load() == 1:
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			if !bytes.Contains(body, []byte(`"tools/call"`)) {
				break
			}
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="orders:write"`)
			http.Error(w, "a scope is missing", http.StatusForbidden)
			return
		}
		inner.ServeHTTP(w, r)
	})
	file := filepath.Join(t.TempDir(), "fake.json")
	server := Server{Name: "fake", URL: g.URL + "/mcp", Transport: "streamableHttp", Auth: Auth{TokenFile: file}}
	browse := func(address string) {
		resp, err := http.Get(address) //nolint:noctx,gosec // a browser
		if err != nil {
			t.Error(err)
			return
		}
		_ = resp.Body.Close()
	}
	if err := Login(t.Context(), &server, browse); err != nil {
		t.Fatal(err)
	}
	if q := <-asked; strings.Contains(q.Get("scope"), "orders:write") {
		t.Errorf("the first login asks for %q", q.Get("scope"))
	}
	h := startHub(t, nil, server)
	_, fault := call(t, h, `{}`)
	if fault == nil || !strings.Contains(fault.Message, "HTTP 403") || !strings.Contains(fault.Hint, "patchbay mcp login fake") {
		t.Errorf("the refusal is %+v", fault)
	}
	h.Close()
	if err := Login(t.Context(), &server, browse); err != nil {
		t.Fatal(err)
	}
	if q := <-asked; !slices.Contains(strings.Fields(q.Get("scope")), "orders:write") {
		t.Errorf("the second login asks for %q", q.Get("scope"))
	}
	h = startHub(t, nil, server)
	if _, fault := call(t, h, `{}`); fault != nil {
		t.Error(fault)
	}
}

// Only the answer to the login that waits ends it: not another path, another state or
// another method.
func TestLoginWaitsForItsOwnAnswer(t *testing.T) {
	g := newGuarded(t)
	file := filepath.Join(t.TempDir(), "fake.json")
	server := Server{Name: "fake", URL: g.URL + "/mcp", Transport: "streamableHttp", Auth: Auth{TokenFile: file}}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ask := func(address string, status int) {
		t.Helper()
		resp, err := client.Get(address) //nolint:noctx // a browser, or a page in it
		if err != nil {
			t.Error(err)
			return
		}
		_ = resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("%s: %s", address, resp.Status)
		}
	}
	if err := Login(t.Context(), &server, func(address string) {
		u, err := url.Parse(address)
		if err != nil {
			t.Error(err)
			return
		}
		back, state := u.Query().Get("redirect_uri"), u.Query().Get("state")
		ask(strings.TrimSuffix(back, "/callback")+"/favicon.ico?code=x&state="+state, http.StatusNotFound)
		ask(back, http.StatusBadRequest)
		ask(back+"?code=x&state=", http.StatusBadRequest)
		ask(back+"?code=stolen&state=another", http.StatusBadRequest)
		ask(back+"?code=a-code&state="+state, http.StatusOK)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := readLogin(file); err != nil {
		t.Error(err)
	}
}
