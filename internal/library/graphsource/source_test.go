package graphsource_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/library/graphsource"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
)

const (
	graph = "name: hello\n"
	tests = "- {name: one}\n"
)

func fetch(t *testing.T, text string, o graphsource.Options) (*graphsource.Fetched, error) {
	t.Helper()
	s, fault := graphsource.Parse(text)
	if fault != nil {
		return nil, fault
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 20
	}
	got, fault := s.Fetch(t.Context(), o)
	if fault != nil {
		return nil, fault
	}
	return got, nil
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"http://example.com/a.yaml":                        "https only",
		"ftp://example.com/a.yaml":                         "https only",
		"https:///a.yaml":                                  "not a URL",
		"https://u:p@example.com/a.yaml":                   "password",
		"git+https://example.com/r":                        "which file",
		"ssh://example.com/r":                              "which file",
		"file:///tmp/r@main:a.yaml":                        "git+file",
		"git+https://example.com/r@--upload-pack=x:a.yaml": "revision",
		"git+https://example.com/r@main:../../etc/passwd":  "path",
		"git+https://example.com/r@main:/etc/passwd":       "path",
		"git+https://example.com/r@a..b:a.yaml":            "revision",
		"git+ssh://-oProxyCommand=x/r@main:a.yaml":         "repository",
		"git+https://u:p@example.com/r@main:a.yaml":        "password",
	} {
		if _, fault := graphsource.Parse(text); fault == nil || fault.Code != "bad-source" || !strings.Contains(fault.Message, want) || fault.Hint == "" {
			t.Errorf("%s: %v, want %q", text, fault, want)
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"graphs/count.yaml":                              "count",
		"https://example.com/a/count.json?raw=1":         "count",
		"https://example.com/o/r@main:graphs/count.yaml": "count",
		"git+ssh://git@example.com/o/r.git@v1.2:c.yml":   "c",
	} {
		if s, fault := graphsource.Parse(text); fault != nil || s.Name() != want {
			t.Errorf("%s: %v %v", text, s, fault)
		}
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "hello.yaml")
	write(t, file, graph)
	bare, err := fetch(t, file, graphsource.Options{})
	if err != nil || bare.Graph != graph || bare.Tests != "" || bare.Source != file {
		t.Fatalf("%+v, %v", bare, err)
	}
	write(t, filepath.Join(dir, "hello.test.yaml"), tests)
	got, err := fetch(t, file, graphsource.Options{})
	if err != nil || got.Tests != tests || got.SHA256 == bare.SHA256 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := fetch(t, file, graphsource.Options{MaxBytes: 4}); err == nil {
		t.Error("a file that is too large is read")
	}
	if _, err := fetch(t, filepath.Join(dir, "none.yaml"), graphsource.Options{}); err == nil {
		t.Error("a file that is not there is read")
	}
}

// A page is fetched with its tests, of its own origin and by https only.
func TestPage(t *testing.T) {
	elsewhere := httptest.NewTLSServer(http.NotFoundHandler())
	defer elsewhere.Close()
	mux := http.NewServeMux()
	serve := func(path, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) })
	}
	serve("/hello.yaml", graph)
	serve("/hello.test.yaml", tests)
	serve("/alone.yaml", graph)
	mux.HandleFunc("/moved.yaml", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/hello.yaml", http.StatusFound) })
	mux.HandleFunc("/away.yaml", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/hello.yaml", http.StatusFound)
	})
	mux.HandleFunc("/plain.yaml", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://example.com/hello.yaml", http.StatusFound)
	})
	mux.HandleFunc("/broken.yaml", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	server := httptest.NewTLSServer(mux)
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client := egress.New(&egress.Options{TLS: &tls.Config{RootCAs: roots}})
	defer client.Close()
	o := graphsource.Options{MaxBytes: 100, Transport: func(url string) http.RoundTripper { return client.APITransport(url) }}
	for path, want := range map[string]string{
		"/hello.yaml": "", "/alone.yaml": "", "/moved.yaml": "",
		"/none.yaml": "404", "/away.yaml": "not an origin", "/plain.yaml": "redirects to http", "/broken.yaml": "500",
	} {
		got, err := fetch(t, server.URL+path, o)
		switch {
		case want == "" && (err != nil || got.Graph != graph || (got.Tests == tests) != (path == "/hello.yaml")):
			t.Errorf("%s: %+v, %v", path, got, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	o.MaxBytes = 5
	if _, err := fetch(t, server.URL+"/hello.yaml", o); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("a page that is too large: %v", err)
	}
}

// A repository is read at a commit, without its hooks.
func TestGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", ".")
	if err := os.Mkdir(filepath.Join(dir, "graphs"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "graphs", "hello.yaml"), graph)
	write(t, filepath.Join(dir, "graphs", "hello.test.yaml"), tests)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link.yaml")); err != nil {
		t.Log("without a symbolic link:", err)
	}
	git("add", ".")
	git("commit", "-qm", "one")
	git("tag", "v1")
	first := git("rev-parse", "HEAD")
	write(t, filepath.Join(dir, "graphs", "hello.yaml"), graph+"# later\n")
	git("commit", "-qam", "two")
	address := "git+" + (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(dir), "/")}).String()

	got, err := fetch(t, address+"@v1:graphs/hello.yaml", graphsource.Options{})
	if err != nil || got.Graph != graph || got.Tests != tests || got.Commit != first {
		t.Errorf("%+v, %v", got, err)
	}
	if later, err := fetch(t, address+"@main:graphs/hello.yaml", graphsource.Options{}); err != nil || later.SHA256 == got.SHA256 {
		t.Errorf("%+v, %v", later, err)
	}
	for source, want := range map[string]string{
		"@v2:graphs/hello.yaml": "v2", "@main:none.yaml": "no file", "@main:graphs": "not a regular file",
	} {
		if _, err := fetch(t, address+source, graphsource.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", source, err)
		}
	}
	if _, err := fetch(t, address+"@main:graphs/hello.yaml", graphsource.Options{MaxBytes: 4}); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("a file that is too large: %v", err)
	}
	if got, err := fetch(t, address+"@main:link.yaml", graphsource.Options{}); err == nil {
		t.Errorf("a symbolic link is followed: %+v", got)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
