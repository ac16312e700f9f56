package web

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// TestAddServers: a change is shown first, and written only if the person at this machine agreed
// to the same change.
func TestAddServers(t *testing.T) {
	t.Chdir(t.TempDir())
	s := serve(t, nil)
	b := s.operator()
	preview := func() (r struct {
		Result struct {
			Starts, Servers []any
			Change          string
			Written         bool
		}
	},
	) {
		t.Helper()
		text := b.do("mcp-add", `{"command":["npx","-y","server-git"]}`)
		if err := json.Unmarshal([]byte(text), &r); err != nil || r.Result.Written || !strings.Contains(text, `"servers.git.command: \"npx\""`) {
			t.Fatal(text, err)
		}
		return r
	}
	written := func() string {
		text, _ := os.ReadFile(config.FileName)
		return string(text)
	}
	first := preview()
	if len(first.Result.Starts) != 2 || written() != "" {
		t.Errorf("%+v\n%s", first, written())
	}
	for name, body := range map[string]string{"another server": `{"command":["evil"],"change":` + quoted(first.Result.Change) + `}`, "no source": `{}`, "a file": `{"source":"@/etc/passwd"}`} {
		if resp, text := b.ask(http.MethodPost, "/ui/api/op/mcp-add", body); resp.StatusCode != http.StatusUnprocessableEntity || written() != "" {
			t.Errorf("%s: %d %s\n%s", name, resp.StatusCode, text, written())
		}
	}
	if err := os.WriteFile(config.FileName, []byte("workspace: {enabled: false}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := config.OpenTrust(os.LookupEnv).Add(config.AsConfiguration, filepath.Join(cwd(t), config.FileName), written()); err != nil {
		t.Fatal(err)
	}
	if resp, text := b.ask(http.MethodPost, "/ui/api/op/mcp-add", `{"command":["npx","-y","server-git"],"change":`+quoted(first.Result.Change)+`}`); resp.StatusCode == http.StatusOK || strings.Contains(written(), "npx") {
		t.Errorf("of a file that has changed: %d %s", resp.StatusCode, text)
	}
	if text := b.do("mcp-add", `{"command":["npx","-y","server-git"],"change":`+quoted(preview().Result.Change)+`}`); !strings.Contains(text, `"written":true`) || !strings.Contains(written(), "npx") {
		t.Errorf("%s\n%s", text, written())
	}
	if !config.OpenTrust(os.LookupEnv).Has(config.AsConfiguration, filepath.Join(cwd(t), config.FileName), written()) {
		t.Error("the file is not trusted any more")
	}
	if err := os.WriteFile(config.FileName, []byte("servers: {other: {command: other}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if resp, text := b.ask(http.MethodPost, "/ui/api/op/mcp-add", `{"command":["x"]}`); !strings.Contains(text, "is not trusted") {
		t.Errorf("a file that is not trusted: %d %s", resp.StatusCode, text)
	}

	remote := s.browser()
	remote.signIn("=" + s.token("admin", access.Admin))
	for _, name := range []string{"mcp-add", "mcp-login"} {
		if resp, text := remote.ask(http.MethodPost, "/ui/api/op/"+name, `{}`); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s with a token: %d %s", name, resp.StatusCode, text)
		}
	}
	if _, text := remote.ask(http.MethodGet, "/ui/api/session", ""); strings.Contains(text, "mcp-add") || !strings.Contains(text, "mcp-logs") {
		t.Errorf("with a token, the page is offered %s", text)
	}
}

func cwd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
