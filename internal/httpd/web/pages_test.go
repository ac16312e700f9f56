package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/ui"
)

// TestPages: the page may load its own files only, and no other site may show it.
func TestPages(t *testing.T) {
	b := serve(t, nil).browser()
	resp, _ := b.ask(http.MethodGet, Path, "")
	csp := resp.Header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "connect-src 'self';", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
		if !strings.Contains(csp, part) {
			t.Errorf("the policy %s lacks %s", csp, part)
		}
	}
	if strings.Contains(csp, "unsafe") {
		t.Error(csp)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store"} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	plain, script := b.ask(http.MethodGet, "/ui/assets/main-1a2.js", "")
	packed, _ := b.ask(http.MethodGet, "/ui/assets/main-1a2.js", "", "Accept-Encoding", "gzip")
	if plain.Header.Get("Content-Encoding") != "" || packed.Header.Get("Content-Encoding") != "gzip" || packed.ContentLength*4 > plain.ContentLength || !strings.HasPrefix(script, "console.log") {
		t.Errorf("%d and %d bytes", plain.ContentLength, packed.ContentLength)
	}
	if c := packed.Header.Get("Cache-Control"); !strings.Contains(c, "immutable") || !strings.HasPrefix(packed.Header.Get("Content-Type"), "text/javascript") {
		t.Errorf("%s, %v", c, packed.Header)
	}
	if resp, _ := b.ask(http.MethodGet, "/ui", ""); resp.StatusCode != http.StatusPermanentRedirect || resp.Header.Get("Location") != Path {
		t.Errorf("/ui gives %d to %s", resp.StatusCode, resp.Header.Get("Location"))
	}
	if resp, _ := b.ask(http.MethodGet, "/", ""); resp.StatusCode != http.StatusFound || resp.Header.Get("Location") != Path {
		t.Errorf("/ gives %d to %s", resp.StatusCode, resp.Header.Get("Location"))
	}
	if resp, _ := b.ask(http.MethodPost, Path, "x"); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST gives %d", resp.StatusCode)
	}
}

// TestOtherFiles: nothing but the built files is served.
func TestOtherFiles(t *testing.T) {
	b := serve(t, nil).browser()
	for _, path := range []string{"/ui/secret.pem", "/ui/secret.pem.gz", "/ui/assets/main-1a2.js.gz", "/ui/../web.go", "/ui/%2e%2e/web.go", "/ui/..%2f..%2fgo.mod", "/ui/assets/../../go.mod", "/ui//etc/passwd", "/ui/assets/", "/ui/assets", "/ui/assets/%00.js", "/ui/\\..\\go.mod", "/other"} {
		resp, text := b.ask(http.MethodGet, path, "")
		if resp.StatusCode == http.StatusOK || strings.Contains(text, "module") || strings.Contains(text, "key") {
			t.Errorf("%s gives %d %s", path, resp.StatusCode, text)
		}
	}
}

// TestBuiltFiles: the program has a page.
func TestBuiltFiles(t *testing.T) {
	b := serve(t, func(o *Options) { o.Files = ui.Files() }).browser()
	if resp, text := b.ask(http.MethodGet, Path, ""); resp.StatusCode != http.StatusOK || !strings.Contains(text, "<title>Patchbay</title>") {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
}
