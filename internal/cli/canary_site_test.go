package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A canarySite is a folder with a configuration that has canaries in all positions, and
// web servers that tell what they are sent, and all canaries.
type canarySite struct {
	canaries
	dir, home string
	env       []string
	web       *httptest.Server
	inbound   string // the token of a client of serve --http, which no server is to see

	seen struct {
		sync.Mutex
		headers strings.Builder // of all requests
		tokens  int             // that were given
	}
}

func newCanarySite(t *testing.T) *canarySite {
	t.Helper()
	s := &canarySite{canaries: canaries{all: map[string]string{}, hidden: map[string]bool{}}, dir: t.TempDir()}
	s.home = filepath.Join(s.dir, "home")
	s.web = httptest.NewServer(s.handler())
	t.Cleanup(s.web.Close)
	host := strings.TrimPrefix(s.web.URL, "http://")
	s.env = []string{
		"HOME=" + s.home, "GORACE=atexit_sleep_ms=0", "OTEL_TRACES_EXPORTER=console", "LISTED_BY_NAME=" + s.in("secrets by name"),
		"ARG_TOKEN=" + s.in("args by variable"), "ENV_SECRET=" + s.in("env by variable"), "HTTP_SECRET=" + s.in("egress variable"), "HOOK=" + s.in("hooks secret"),
		"HTTPS_PROXY=http://me:" + url.QueryEscape(s.in("password of a proxy")) + "@127.0.0.1:1", "NO_PROXY=127.0.0.1",
	}
	for _, name := range []string{"CONFIG", "STATE", "CACHE", "DATA"} {
		s.env = append(s.env, "XDG_"+name+"_HOME="+filepath.Join(s.home, strings.ToLower(name)))
	}
	q := strconv.Quote
	config := fmt.Sprintf(`
servers:
  leaky:
    command: leaky
    args: [all.txt, --token, "${ARG_TOKEN}", %s]
    env: {LITERAL_TOKEN: %s, FROM_KEY: "${ENV_SECRET}"}
  junk: {command: leaky, args: [all.txt, junk, "${ARG_TOKEN}"]}
  web:
    url: %s
    type: http
    headers: {Authorization: %s, X-Other: %s}
  bearer: {type: http, url: %s, auth: {bearer: %s}}
  basic: {type: http, url: %s, auth: {basic: {user: me, password: %s}}}
  key: {type: http, url: %s, auth: {apiKey: {header: X-Api, value: %s}}}
  granted: {type: http, url: %s, auth: {clientCredentials: {id: me, secret: %s}}}
  login: {type: http, url: %s}
openapi:
  api: {source: api.yaml, url: %s, auth: {token: %s}, headers: {X-Api-Header: %s}}
graphql:
  graph: {source: schema.graphql, endpoint: %s, headers: {X-Graph: %s}}
egress:
  allow: [%s]
  private: [127.0.0.1]
  variables: {HTTP_SECRET: [%s]}
hooks: {secrets: {HOOK: "${HOOK}"}}
search: {embeddings: {url: %s, model: m, apiKey: %s}}
secrets: [LISTED_BY_NAME, %s]
`, q("https://me:"+url.QueryEscape(s.in("password in a url of args"))+"@example.com/?api_key="+url.QueryEscape(s.in("parameter in a url of args"))), q(s.in("literal env")),
		q("http://me:"+url.QueryEscape(s.in("password of a server's url"))+"@"+host+"/web?access_token="+url.QueryEscape(s.in("parameter of a server's url"))),
		q("Bearer "+s.in("header authorization")), q(s.in("header other")),
		q(s.web.URL+"/bearer"), q(s.in("auth bearer")), q(s.web.URL+"/basic"), q(s.in("auth basic")), q(s.web.URL+"/key"), q(s.in("auth key")),
		q(s.web.URL+"/granted"), q(s.in("auth client secret")), q(s.web.URL+"/login"),
		q(s.web.URL), q(s.in("auth of an api")), q(s.in("header of an api")), q(s.web.URL+"/graphql"), q(s.in("header of graphql")),
		q(s.web.URL), q(s.web.URL), q(s.web.URL+"/embeddings"), q(s.in("embeddings key")), q(s.in("secrets literal")))
	s.write(t, "patchbay.yaml", config)
	s.write(t, "good.yaml", toolGraph("leaks", "leaky", "structured"))
	s.write(t, "bad.yaml", toolGraph("bad", "leaky", "fail"))
	s.write(t, "hook.yaml", toolGraph("other", "web", "blocks"))
	s.write(t, "http.yaml", fmt.Sprintf("nodes:\n  - {id: entry, type: entry, next: get}\n  - {id: get, type: http, url: %q, headers: {X-Secret: \"${HTTP_SECRET}\"}, next: exit}\n  - {id: exit, type: exit}\n", s.web.URL+"/echo"))
	s.write(t, "schema.graphql", "type Query { hello: String }\n")
	s.write(t, "api.yaml", `openapi: 3.0.3
info: {title: t, version: "1"}
components: {securitySchemes: {token: {type: http, scheme: bearer}}}
security: [{token: []}]
paths:
  /tell: {get: {operationId: tell, responses: {"200": {description: ok}}}}
`)
	login := fmt.Sprintf(`{"token": {"access_token": %q, "refresh_token": %q, "token_type": "Bearer", "expiry": "2001-01-01T00:00:00Z"}, "client_id": "c", "client_secret": %q, "token_url": %q, "auth_style": 1}`,
		s.in("token of a login"), s.in("refresh token of a login"), s.in("client secret of a login"), s.web.URL+"/token")
	s.hide("token of a login", "refresh token of a login")
	sum := sha256.Sum256([]byte("login\x00" + s.web.URL + "/login"))
	s.write(t, filepath.Join("home", "state", "patchbay", "tokens", "login-"+hex.EncodeToString(sum[:8])+".json"), login)
	s.write(t, "all.txt", strings.Join(s.list(), "\n"))
	return s
}

// toolGraph is a graph that calls one tool, and tells its result in parts.
func toolGraph(name, server, tool string) string {
	return fmt.Sprintf(`name: %s
description: Calls a tool.
inputSchema: {type: object}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: %s, tool: %s, args: {}, next: parts}
  - {id: parts, type: transform, transform: {expr: '{"joined": $substring($string($.call), 0, 5000) & "x", "all": $.call}'}, next: exit}
  - {id: exit, type: exit}
`, name, server, tool)
}

func (s *canarySite) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// handler serves MCP at every path but a few, and tells the headers of every request.
func (s *canarySite) handler() http.Handler {
	mux := http.NewServeMux()
	mcpServer := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		server := mcp.NewServer(&mcp.Implementation{Name: "web", Version: s.in("literal env")}, nil)
		sent := slices.Concat([]string{r.URL.String()}, r.Header["Authorization"], r.Header["X-Other"], r.Header["X-Api"])
		leak(server, func() []string { return append(s.list(), sent...) })
		return server
	}, &mcp.StreamableHTTPOptions{Stateless: true})
	mux.HandleFunc("/granted", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.web.URL+`/.well-known/oauth-protected-resource"`)
			http.Error(w, "log in", http.StatusUnauthorized)
			return
		}
		mcpServer.ServeHTTP(w, r)
	})
	reply := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/.well-known/oauth-protected-resource", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"resource": s.web.URL + "/granted", "authorization_servers": []string{s.web.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"issuer": s.web.URL, "authorization_endpoint": s.web.URL + "/authorize", "token_endpoint": s.web.URL + "/token", "response_types_supported": []string{"code"},
			"grant_types_supported": []string{"client_credentials", "refresh_token"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"client_secret_basic"},
		})
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		s.seen.Lock()
		s.seen.tokens++
		access, refresh := fmt.Sprint("access token ", s.seen.tokens), fmt.Sprint("renewed refresh token ", s.seen.tokens)
		s.seen.Unlock()
		_ = r.ParseForm()
		if r.Form.Get("grant_type") == "refresh_token" {
			s.drop("token of a login", "refresh token of a login")
		}
		s.hide(access, refresh) // they are told to whom sends them: nobody else can know them
		reply(w, map[string]any{"access_token": s.in(access), "refresh_token": s.in(refresh), "token_type": "Bearer", "expires_in": 3600})
	})
	mux.HandleFunc("/embeddings", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, strings.Join(s.list(), " "), http.StatusTeapot)
	})
	mux.HandleFunc("/graphql", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, strings.Join(s.list(), " "), http.StatusTeapot)
	})
	tell := func(w http.ResponseWriter, r *http.Request) {
		headers, _ := json.Marshal(r.Header)
		reply(w, map[string]any{"headers": string(headers), "all": leaked(strings.Join(s.list(), " "))})
	}
	mux.HandleFunc("/echo", tell)
	mux.HandleFunc("/tell", tell)
	mux.Handle("/", mcpServer)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.seen.Lock()
		fmt.Fprintln(&s.seen.headers, r.URL, r.Header)
		s.seen.Unlock()
		mux.ServeHTTP(w, r)
	})
}

// serveHTTP makes calls over HTTP with a token, and returns what is sent, logged and
// measured.
func (s *canarySite) serveHTTP(t *testing.T) []byte {
	made, err := s.command(t, "token", "add", "all", "--scope", "admin", "--field", "token").Output()
	if s.inbound = strings.TrimSpace(string(made)); err != nil || s.inbound == "" {
		t.Fatalf("no token is made: %v", err)
	}
	cmd := s.command(t, "--debug", "serve", "--http", "127.0.0.1:0", "--expose-downstream")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var all safeBuffer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		lines := bufio.NewReader(stderr)
		for {
			line, err := lines.ReadString('\n')
			_, _ = io.WriteString(&all, line)
			if at, ok := strings.CutPrefix(strings.TrimSpace(line), "patchbay: serving "); ok {
				at, _, _ = strings.Cut(at, " ")
				address <- at
			}
			if err != nil {
				return
			}
		}
	}()
	at := <-address
	client := &http.Client{Transport: withToken{s.inbound}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: at, HTTPClient: client, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.converse(t, session, &all)
	_ = session.Close()
	for _, path := range []string{"metrics", "searches"} {
		resp, err := client.Get(strings.TrimSuffix(at, "mcp") + path) //nolint:noctx // of this test
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(&all, resp.Body)
		_ = resp.Body.Close()
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	<-logged
	_ = cmd.Wait()
	s.put("token of a client", s.inbound)
	return all.bytes()
}

// withToken sends a token as clients do.
type withToken struct{ token string }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(context.WithoutCancel(r.Context()))
	r.Header.Set("Authorization", "Bearer "+w.token)
	return http.DefaultTransport.RoundTrip(r)
}

// sent checks that servers were sent their own secrets, and nobody's token.
func (s *canarySite) sent(t *testing.T) {
	s.seen.Lock()
	headers := s.seen.headers.String()
	s.seen.Unlock()
	for _, position := range []string{"header authorization", "header other", "auth bearer", "auth key", "auth of an api", "header of an api", "egress variable", "access token 1", "access token 2"} {
		if !strings.Contains(headers, s.in(position)) {
			t.Errorf("no server was sent its secret: %s", position)
		}
	}
	if strings.Contains(headers, s.inbound) {
		t.Error("the token of a client was sent to a server")
	}
}
