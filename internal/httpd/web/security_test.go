package web

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

const list = "/ui/api/op/runs-list"

// TestLinkIsGoodOnce: the page of a link signs in one browser.
func TestLinkIsGoodOnce(t *testing.T) {
	s := serve(t, func(o *Options) { o.LinkOnly = true })
	link := s.ui.Link()
	first, second := s.browser(), s.browser()
	if resp, _ := first.ask(http.MethodGet, link, ""); resp.StatusCode != http.StatusOK || len(resp.Cookies) != 0 {
		t.Errorf("the link gives %d and %v, want the page, which signs in", resp.StatusCode, resp.Cookies)
	}
	resp, _ := first.ask(http.MethodPost, "/ui/api/session", `{"token":`+quoted(link[strings.Index(link, "=")+1:])+`}`)
	c := resp.Cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != Path {
		t.Errorf("the cookie is %v", c)
	}
	if resp, text := first.ask(http.MethodPost, list, "{}"); resp.StatusCode != http.StatusOK {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
	token := link[strings.Index(link, "=")+1:]
	for _, body := range []string{`{"token":` + quoted(token) + `}`, `{"token":""}`, `{}`, `{"token":"pbt_x"}`} {
		if resp, text := second.ask(http.MethodPost, "/ui/api/session", body); resp.StatusCode != http.StatusUnauthorized || !strings.Contains(text, `"code":"not-signed-in"`) {
			t.Errorf("%s: %d %s", body, resp.StatusCode, text)
		}
	}
	next := s.ui.Link()
	if resp, _ := second.ask(http.MethodPost, "/ui/api/session", `{"token":`+quoted(next[strings.Index(next, "=")+1:])+`}`); resp.StatusCode != http.StatusOK {
		t.Errorf("a new link gives %d", resp.StatusCode)
	}
	if resp, _ := second.ask(http.MethodDelete, "/ui/api/session", ""); resp.StatusCode != http.StatusNoContent {
		t.Errorf("signing out gives %d", resp.StatusCode)
	}
	if resp, _ := second.ask(http.MethodPost, list, "{}"); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("after signing out: %d", resp.StatusCode)
	}
}

// TestTheCookieIsNotEnough: a browser sends the cookie to every server on the same host. One
// that has it, and does not have the key of the page, can do nothing with it.
func TestTheCookieIsNotEnough(t *testing.T) {
	path := filepath.Join(t.TempDir(), "greet.yaml")
	if err := os.WriteFile(path, []byte(greeting), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(o *Options) { o.LinkOnly, o.File = true, path })
	page := s.operator()
	thief := &browser{s, page.client, "1"}
	for _, key := range []string{"1", "", secret(), page.key + "0", page.key[1:]} {
		thief.key = key
		for _, try := range []struct{ method, path string }{
			{http.MethodPost, list},
			{http.MethodGet, "/ui/api/session"},
			{http.MethodGet, "/ui/api/file"},
			{http.MethodPost, "/ui/api/file"},
			{http.MethodGet, "/ui/api/events"},
			{http.MethodDelete, "/ui/api/session"},
		} {
			if resp, text := thief.ask(try.method, try.path, "{}"); resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s %s with the cookie and the key %q: %d %s", try.method, try.path, key, resp.StatusCode, text)
			}
		}
		if _, text := thief.ask(http.MethodGet, Path, ""); strings.Contains(text, "operator") || strings.Contains(text, "greet") {
			t.Errorf("the page of who has the cookie says %s", text)
		}
	}
	again := &browser{s, page.client, page.key} // another tab, or the page after a reload
	if resp, text := again.ask(http.MethodPost, list, "{}"); resp.StatusCode != http.StatusOK {
		t.Errorf("another tab: %d %s", resp.StatusCode, text)
	}
}

// TestForeignRequests: what other sites and programs make a browser send is refused.
func TestForeignRequests(t *testing.T) {
	s := serve(t, func(o *Options) {
		o.LinkOnly = true
		o.HTTP.AllowedOrigins = []string{"https://app.example.com"} // of clients of MCP
	})
	b := s.operator()
	for what, tt := range map[string]struct {
		method, path string
		status       int
		headers      []string
	}{
		"of the page":              {http.MethodPost, list, 200, []string{"Origin", s.url}},
		"without the header":       {http.MethodPost, list, 403, []string{pageHeader, ""}},
		"a form":                   {http.MethodPost, list, 403, []string{pageHeader, "", "Content-Type", "application/x-www-form-urlencoded", "Origin", "http://evil.example"}},
		"of another origin":        {http.MethodPost, list, 403, []string{"Origin", "http://evil.example"}},
		"of another port":          {http.MethodPost, list, 403, []string{"Origin", "http://127.0.0.1:1"}},
		"of no origin":             {http.MethodPost, list, 403, []string{"Origin", "null"}},
		"of a client's origin":     {http.MethodPost, list, 403, []string{"Origin", "https://app.example.com"}},
		"by another name":          {http.MethodPost, list, 403, []string{"Host", "evil.example"}},
		"the page by another name": {http.MethodGet, Path, 403, []string{"Host", "evil.example"}},
		"a preflight":              {http.MethodOptions, list, 403, []string{"Origin", "http://evil.example", "Access-Control-Request-Method", "POST"}},
		"a GET of an operation":    {http.MethodGet, list, 404, nil},
		"the session":              {http.MethodGet, "/ui/api/session", 403, []string{"Origin", "http://evil.example"}},
		"a token of another site":  {http.MethodPost, "/ui/api/session", 403, []string{"Origin", "http://evil.example"}},
		"something else":           {http.MethodGet, "/ui/api/passwd", 404, nil},
	} {
		resp, text := b.ask(tt.method, tt.path, "{}", tt.headers...)
		if resp.StatusCode != tt.status {
			t.Errorf("%s: %d %s, want %d", what, resp.StatusCode, text, tt.status)
		}
		if allowed := resp.Header.Get("Access-Control-Allow-Origin"); allowed == "http://evil.example" || allowed == "*" {
			t.Errorf("%s: Access-Control-Allow-Origin is %s", what, allowed)
		}
	}
	stranger := s.browser()
	for _, path := range []string{list, "/ui/api/file", "/ui/api/op/nothing"} {
		if resp, text := stranger.ask(http.MethodPost, path, "{}"); resp.StatusCode != http.StatusUnauthorized || !strings.Contains(text, `{"error":{"code":"not-signed-in"`) {
			t.Errorf("%s without a cookie: %d %s", path, resp.StatusCode, text)
		}
		if resp, _ := stranger.ask(http.MethodPost, path, "{}", "Authorization", "Bearer x"); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s with a token only: %d", path, resp.StatusCode)
		}
	}
}

// TestScopes: a session may do what its token may, and what a client without a token may.
func TestScopes(t *testing.T) {
	s := serve(t, func(o *Options) { o.HTTP.Auth.Required = true })
	for name, tt := range map[string]struct {
		scopes []string
		status map[string]int // by operation
	}{
		"reader": {[]string{access.Read}, map[string]int{"search_nodes": 200, "graphs-list": 200, "run_graph": 403, "runs-list": 403, "save_graph": 403, "mcp-list": 403, "runs-answer": 403}},
		"runner": {[]string{access.Run}, map[string]int{"run_graph": 400, "runs-list": 200, "graphs-approve": 403, "mcp-approve": 403, "runs-answer": 403, "search_nodes": 403}},
		"admin":  {[]string{access.Admin}, map[string]int{"mcp-list": 200, "runs-answer": 400, "graphs-approve": 400, "search_nodes": 200}},
	} {
		b := s.browser()
		if resp, text := b.ask(http.MethodPost, list, "{}"); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%d %s", resp.StatusCode, text)
		}
		if resp, text := b.ask(http.MethodPost, "/ui/api/session", `{"token":`+quoted(s.token(name, tt.scopes...))+`}`); resp.StatusCode != http.StatusOK {
			t.Fatal(resp.StatusCode, text)
		}
		_, info := b.ask(http.MethodGet, "/ui/api/session", "")
		for operation, status := range tt.status {
			args := `{}`
			if operation == "search_nodes" {
				args = `{"query":"wait"}`
			}
			resp, text := b.ask(http.MethodPost, "/ui/api/op/"+operation, args)
			if resp.StatusCode != status {
				t.Errorf("%s of %s: %d %s, want %d", operation, name, resp.StatusCode, text, status)
			}
			if listed := strings.Contains(info, `"name":"`+operation+`"`); listed != (status != 403) {
				t.Errorf("%s is listed for %s: %v", operation, name, listed)
			}
		}
		if fault := s.tokens.Revoke(name); fault != nil {
			t.Fatal(fault)
		}
		if resp, _ := b.ask(http.MethodGet, "/ui/api/session", ""); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("a revoked token gives %d", resp.StatusCode)
		}
	}
}

// TestLocalUser: where MCP needs no token, the page needs none either, and may not do what
// only a person may.
func TestLocalUser(t *testing.T) {
	b := serve(t, nil).browser()
	b.signIn("")
	b.do("search_nodes", `{"query":"wait"}`)
	for _, operation := range []string{"runs-answer", "graphs-approve", "mcp-approve", "runs-prune", "hooks-list"} {
		if resp, text := b.ask(http.MethodPost, "/ui/api/op/"+operation, "{}"); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d %s", operation, resp.StatusCode, text)
		}
	}
	if resp, _ := b.ask(http.MethodGet, "/ui/api/file", ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the file gives %d", resp.StatusCode)
	}
}

// TestRatesAndQuotas: a page has the rate and the quota of its token.
func TestRatesAndQuotas(t *testing.T) {
	s := serve(t, func(o *Options) { o.HTTP.Auth.Required = true })
	secret, fault := s.tokens.Add(access.Token{Name: "few", Rights: access.Rights{Scopes: access.Scopes}, Quota: access.Quota{Calls: 1, Per: 24 * time.Hour}})
	if fault != nil {
		t.Fatal(fault)
	}
	b := s.browser()
	b.ask(http.MethodPost, "/ui/api/session", `{"token":`+quoted(secret)+`}`)
	b.do("runs-list", "{}")
	if resp, text := b.ask(http.MethodPost, list, "{}"); resp.StatusCode != http.StatusTooManyRequests || !strings.Contains(text, `"code":"too-many-requests"`) {
		t.Errorf("beyond the quota: %d %s", resp.StatusCode, text)
	}
}

// TestLargeBody: a body beyond the bound is refused.
func TestLargeBody(t *testing.T) {
	b := serve(t, nil).operator()
	if resp, text := b.ask(http.MethodPost, list, strings.Repeat(" ", httpd.MaxBody+1)); resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(text, `"code":"request-too-large"`) {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
}

// TestSessionsAreBounded: sessions end when they are not used, and the oldest make room; that
// of an operator last.
func TestSessionsAreBounded(t *testing.T) {
	s := newSessions()
	now := time.Now()
	s.now = func() time.Time { return now }
	operator, first := credentials{s.start("a", "", true), "a"}, credentials{s.start("b", "", false), "b"}
	now = now.Add(time.Minute)
	for range maxSessions - 1 {
		s.start("c", "", false)
	}
	if len(s.open) != maxSessions || s.find(first) != nil || s.find(operator) == nil {
		t.Errorf("%d sessions, the first is there: %v, the operator's: %v", len(s.open), s.find(first) != nil, s.find(operator) != nil)
	}
	now = now.Add(sessionIdle)
	if s.find(operator) != nil {
		t.Error("a session that was not used is open")
	}
}
