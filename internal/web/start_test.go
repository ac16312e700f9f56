package web

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/access"
)

// replies are what a page begins with.
type replies struct {
	Session *sessionInfo
	File    *fileText
}

// begin opens the page and returns what it begins with.
func (b *browser) begin(headers ...string) (r replies) {
	b.t.Helper()
	_, page := b.ask(http.MethodGet, Path, "", headers...)
	start := regexp.MustCompile(`<template id="start">(.*)</template>$`).FindStringSubmatch(page)
	if len(start) != 2 || strings.Contains(start[1], "<") {
		b.t.Fatal(page)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(start[1])), &r); err != nil {
		b.t.Fatal(err, page)
	}
	return r
}

// TestPageBegins: a page has what its first requests would get, for who opens it.
func TestPageBegins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "greet.yaml")
	text := greeting + "# </template> & <script>\n"
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	s := serve(t, func(o *Options) { o.File = path })
	if local := s.browser().begin(); local.Session == nil || local.Session.File != nil || local.File != nil {
		t.Errorf("who has no link begins with %+v", local)
	}
	operator := s.operator()
	if got := operator.begin(); got.Session == nil || got.File == nil || got.File.Text != text {
		t.Errorf("the operator begins with %+v", got)
	}
	write(strings.Repeat("# long\n", maxStart/7))
	if got := operator.begin(); got.Session == nil || got.File != nil {
		t.Errorf("with a long file, the page begins with %+v", got)
	}
	if got := serve(t, func(o *Options) { o.LinkOnly = true }).browser().begin(); got.Session != nil || got.File != nil {
		t.Errorf("who has not signed in begins with %+v", got)
	}
}

// TestPageBeginsForItsSession: nobody gets what the page of another begins with, nor who has
// signed out or whose token was revoked.
func TestPageBeginsForItsSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "greet.yaml")
	if err := os.WriteFile(path, []byte(greeting), 0o600); err != nil {
		t.Fatal(err)
	}
	operator := serve(t, func(o *Options) { o.File, o.LinkOnly = path, true }).operator()
	if got := operator.begin("Authorization", "Bearer x"); got.File == nil || got.Session.Principal != "operator" {
		t.Errorf("the operator begins with %+v", got)
	}
	if got := operator.browser().begin(); got != (replies{}) {
		t.Errorf("another browser begins with %+v", got)
	}
	resp, text := operator.ask(http.MethodHead, Path, "")
	if resp.Header.Get("Cache-Control") != "no-store" || text != "" {
		t.Errorf("HEAD gets %v and %q", resp.Header, text)
	}
	operator.ask(http.MethodDelete, "/ui/api/session", "")
	if got := operator.begin(); got != (replies{}) {
		t.Errorf("who has signed out begins with %+v", got)
	}

	s := serve(t, func(o *Options) { o.File, o.HTTP.Auth.Required = path, true })
	reader, token := s.browser(), s.token("reader", access.Read)
	if resp, text := reader.ask(http.MethodPost, "/ui/api/session", `{"token":`+quoted(token)+`}`); resp.StatusCode != http.StatusOK {
		t.Fatal(resp.StatusCode, text)
	}
	if got := reader.begin(); got.File != nil || got.Session == nil || !strings.Contains(got.Session.Principal, "reader") {
		t.Errorf("the reader begins with %+v", got)
	}
	if got := s.browser().begin("Authorization", "Bearer "+token); got != (replies{}) {
		t.Errorf("a token without a session begins with %+v", got)
	}
	if fault := s.tokens.Revoke("reader"); fault != nil {
		t.Fatal(fault)
	}
	if got := reader.begin(); got != (replies{}) {
		t.Errorf("with a revoked token, the page begins with %+v", got)
	}
}

// TestPageBeginsBehindAProxy: the requests that the page would make are those of its client.
func TestPageBeginsBehindAProxy(t *testing.T) {
	s := serve(t, func(o *Options) {
		o.HTTP.Proxies, o.HTTP.ProxiedOnly, o.HTTP.Hosts = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, true, []string{"patchbay.example"}
	})
	if got := s.browser().begin("X-Forwarded-Proto", "https", "X-Forwarded-Host", "patchbay.example", "X-Forwarded-For", "203.0.113.7"); got.Session == nil {
		t.Error("the page begins with nothing")
	}
}

// TestPageBeginsWithoutWhatFails: a request that fails is left to the page.
func TestPageBeginsWithoutWhatFails(t *testing.T) {
	s := serve(t, nil)
	start := startOf(s.ui.withFaults(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/file") {
			panic("broken")
		}
		_, _ = w.Write([]byte(`{}`))
	})))
	if got := string(start(httptest.NewRequestWithContext(t.Context(), http.MethodGet, Path+"?a=b", nil))); got != `{"session":{}}` {
		t.Errorf("the page begins with %s", got)
	}
}
