package serverfile_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
)

// TestConnectKeepsComments: what is written beside an entry stays, and stays with its entry.
func TestConnectKeepsComments(t *testing.T) {
	entry := `"patchbay": {"command": "patchbay", "args": ["serve"]}`
	tests := []struct{ name, before, put, take string }{
		{"nothing else", "// mine\n", "// mine\n{\n  \"mcpServers\": {\n    \"patchbay\": {\n      \"command\": \"patchbay\",\n      \"args\": [\n        \"serve\"\n      ]\n    }\n  }\n}\n", "// mine\n"},
		{"behind the last entry", "{\"mcpServers\": {\n  \"a\": {} // of a\n  // end\n}}\n", "{\"mcpServers\": {\n  \"a\": {}, // of a\n  " + entry + "\n  // end\n}}\n", ""},
		{"behind a comma", "{\"mcpServers\": {\n  \"a\": {}, // of a\n}}\n", "{\"mcpServers\": {\n  \"a\": {}, // of a\n  " + entry + "\n}}\n", ""},
		{"before the next entry", "{\"mcpServers\": {\n  \"patchbay\": {}, // p\n  // of b\n  \"b\": {}\n}}\n", "", "{\"mcpServers\": {\n   // p\n  // of b\n  \"b\": {}\n}}\n"},
		{"before the last entry", "{\"mcpServers\": {\n  \"a\": {}, // of a\n  \"patchbay\": {}\n}}\n", "", "{\"mcpServers\": {\n  \"a\": {} // of a\n  \n}}\n"},
		{"with braces", "{\"mcpServers\": {\n  \"a\": {}, // }, \"x\" {\n  \"patchbay\": {} /* , */\n}}\n", "", "{\"mcpServers\": {\n  \"a\": {} // }, \"x\" {\n   /* , */\n}}\n"},
	}
	c := connection(t, "claude-code")
	for _, test := range tests {
		if test.put != "" {
			if got, err := c.Put(test.before, false); err != nil || got != test.put {
				t.Errorf("%s: Put: %v\n%s", test.name, err, got)
			} else if _, _, ok, err := c.Have(got); !ok || err != nil {
				t.Errorf("%s: cannot be read: %v", test.name, err)
			}
		}
		if got, _, err := c.Take(test.before); err != nil || test.take != "" && got != test.take {
			t.Errorf("%s: Take: %v\n%q", test.name, err, got)
		} else if _, _, ok, err := c.Have(got); ok || err != nil {
			t.Errorf("%s: after Take: %v %v", test.name, ok, err)
		}
	}
}

func TestConnectKeepsCommentsTOML(t *testing.T) {
	c := connection(t, "codex")
	for _, before := range []string{
		"# mine\nmodel = \"o\"\n",
		"# mine\r\nmodel = \"o\"\r\n",
		"[mcp_servers]\n",
	} {
		text, err := c.Put(before, false)
		if err != nil {
			t.Fatal(err)
		}
		after := text + "\n# of git\n[mcp_servers.git]\ncommand = \"uvx\"\n"
		got, _, err := c.Take(after)
		if err != nil || !strings.HasPrefix(got, before) || !strings.HasSuffix(got, "\n# of git\n[mcp_servers.git]\ncommand = \"uvx\"\n") || strings.Contains(got, "patchbay") {
			t.Errorf("%v\n%q", err, got)
		}
		if again, err := c.Put(after, false); err != nil || again != after {
			t.Errorf("a second time: %v\n%q", err, again)
		}
		if back, _, err := c.Take(text); err != nil || back != before {
			t.Errorf("%v\n%q is not %q", err, back, before)
		}
	}
	for _, apart := range []string{
		"[mcp_servers.patchbay]\ncommand = \"x\"\n[other]\n[mcp_servers.patchbay.env]\nA = \"b\"\n",
		"[mcp_servers.patchbay]\nargs = [\n  [\"x\"],\n]\n",
		"text = '''\n[mcp_servers.patchbay]\n'''\n[mcp_servers.patchbay]\ncommand = \"x\"\n",
	} {
		if got, _, err := c.Take(apart); err == nil && strings.Contains(got, "env") {
			t.Errorf("half of it is left:\n%s", got)
		} else if err == nil && strings.Contains(apart, "'''") {
			t.Errorf("text of a string is gone:\n%s", got)
		}
	}
}

// TestZedFolder: on Linux Zed's settings are where XDG_CONFIG_HOME says.
func TestZedFolder(t *testing.T) {
	environ := func(name string) (string, bool) {
		if name == "XDG_CONFIG_HOME" {
			return filepath.FromSlash("/settings"), true
		}
		return home(name)
	}
	c, err := serverfile.NewConnection("zed", filepath.FromSlash("/projects"), serverfile.Program{Path: "patchbay"}, environ)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"windows": "/home/ada/AppData/zed/settings.json", "darwin": "/home/ada/.config/zed/settings.json"}[runtime.GOOS]
	if want == "" {
		want = "/settings/zed/settings.json"
	}
	if c.File != filepath.FromSlash(want) {
		t.Errorf("got %s, want %s", c.File, want)
	}
}
