package serverfile_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
)

func home(name string) (string, bool) {
	switch name {
	case "HOME", "USERPROFILE":
		return filepath.FromSlash("/home/ada"), true
	case "APPDATA":
		return filepath.FromSlash("/home/ada/AppData"), true
	}
	return "", false
}

func connection(t *testing.T, client string) *serverfile.Connection {
	t.Helper()
	c, err := serverfile.NewConnection(client, filepath.FromSlash("/projects/my, shop"), serverfile.Program{Path: filepath.FromSlash("/opt/patchbay")}, home)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestConnectEveryClient: a new file has the entry, a second time changes nothing, what
// else is in a file stays, and what was added is taken out again.
func TestConnectEveryClient(t *testing.T) {
	for _, client := range serverfile.Clients() {
		c := connection(t, client)
		text, err := c.Put("", false)
		if err != nil {
			t.Fatalf("%s: %v", client, err)
		}
		if found, err := serverfile.Read(text, ""); filepath.Ext(c.File) == ".json" && (err != nil || len(found) != 1 || found[0].Name != "patchbay") {
			t.Errorf("%s: %v %v in\n%s", client, found, err, text)
		}
		if again, err := c.Put(text, false); err != nil || again != text {
			t.Errorf("%s, a second time: %v\n%s", client, err, again)
		}
		rest, had, err := c.Take(text)
		if err != nil || !had || strings.Contains(rest, "patchbay") {
			t.Errorf("%s: %v %v\n%s", client, had, err, rest)
		}
		if _, had, err := c.Take(rest); had || err != nil {
			t.Errorf("%s, taken twice: %v", client, err)
		}
	}
}

func TestConnectKeepsTheRest(t *testing.T) {
	settings := `// My settings
{
  "theme": "One, {dark}", // a note, with a comma
  /* servers
     of mine */
  "context_servers": {
    "git": {"command": "uvx", "args": ["mcp-server-git"]},
  },
}
`
	c := connection(t, "zed")
	text, err := c.Put(settings, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"// My settings", `"One, {dark}", // a note, with a comma`, "of mine */", `"git": {"command": "uvx", "args": ["mcp-server-git"]}`, "/opt/patchbay"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is gone:\n%s", part, text)
		}
	}
	if back, _, err := c.Take(text); err != nil || strings.Contains(back, "patchbay") || !strings.Contains(back, "mcp-server-git") {
		t.Errorf("%v\n%s", err, back)
	}
}

func TestConnectTOML(t *testing.T) {
	before := "# mine\nmodel = \"o\"\n\n[mcp_servers.patchbay]\ncommand = \"old\"\n[mcp_servers.patchbay.env]\nA = \"b\"\n\n[mcp_servers.git]\ncommand = \"uvx\"\n"
	c := connection(t, "codex")
	if _, err := c.Put(before, false); !errors.As(err, new(*serverfile.TakenError)) {
		t.Errorf("an entry of the user's is replaced: %v", err)
	}
	text, err := c.Put(before, true)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Model   string
		Servers map[string]struct {
			Command string
			Args    []string
		} `toml:"mcp_servers"`
	}
	if _, err := toml.Decode(text, &read); err != nil || read.Model != "o" || read.Servers["git"].Command != "uvx" || read.Servers["patchbay"].Args[2] != filepath.FromSlash("/projects/my, shop/patchbay.yaml") {
		t.Errorf("%v %+v\n%s", err, read, text)
	}
	if strings.Contains(text, "old") || strings.Contains(text, "patchbay.env") || !strings.Contains(text, "# mine") {
		t.Error(text)
	}
	if _, err := c.Put("mcp_servers = {patchbay = {command = \"x\"}}\n", true); err == nil {
		t.Error("an inline table is replaced")
	}
}

func TestConnectRefuses(t *testing.T) {
	if _, err := serverfile.NewConnection("emacs", "/projects", serverfile.Program{Path: "patchbay"}, home); err == nil || !strings.Contains(err.Error(), "claude-code") {
		t.Error(err)
	}
	c := connection(t, "cursor")
	other := `{"mcpServers": {"patchbay": {"command": "patchbay", "args": ["serve", "--tools-only"]}}}`
	if _, err := c.Put(other, false); !errors.As(err, new(*serverfile.TakenError)) {
		t.Errorf("an entry of the user's is replaced: %v", err)
	}
	for _, text := range []string{"[]", `{"mcpServers": `, "no"} {
		if _, err := c.Put(text, true); err == nil {
			t.Errorf("%s is edited", text)
		}
	}
	var read map[string]map[string]json.RawMessage
	if text, err := c.Put(`{"mcpServers": {}}`, false); err != nil || json.Unmarshal([]byte(text), &read) != nil || read["mcpServers"]["patchbay"] == nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// What a client starts is found in each place where it may be, in a file of any length.
func TestHave(t *testing.T) {
	dir := filepath.FromSlash("/projects/my, shop")
	of := func(command string) string {
		return `{"mcpServers": {"git": {}, "patchbay": {"command": "` + command + `", "args": ["serve", 1]}}}`
	}
	local := func(text string) string {
		return `{"projects": {` + string(must(json.Marshal(dir))) + `: ` + of("local") + `, "/": 1},` + text[1:]
	}
	long := `{"history": "` + strings.Repeat("x", 11<<20) + `",` + of("user")[1:]
	claude := connection(t, "claude-code").Elsewhere()
	for _, tt := range []struct {
		c          *serverfile.Connection
		what, text string
		want, err  string
	}{
		{claude, "of the user", of("user"), "user", ""},
		{claude, "of the project", local(`{"theme": "dark"}`), "local", ""},
		{claude, "of both", local(of("user")), "local", ""},
		{claude, "of another project", `{"projects": {"/elsewhere": ` + of("other") + `}}`, "", ""},
		{claude, "a long file", long, "user", ""},
		{claude, "empty", " \n", "", ""},
		{claude, "a list", "[]", "", "it is not a map"},
		{claude, "null", "null", "", "it is not a map"},
		{claude, "broken", "{\n  \"a\": 1,\n  b\n}", "", "line 3: "},
		{connection(t, "cursor"), "projects of another client", local(`{"theme": "dark"}`), "", ""},
		{connection(t, "zed"), "comments", "// mine\n{\"context_servers\": {\"patchbay\": {\"command\": \"zed\",},},}", "zed", ""},
		{connection(t, "zed"), "another type", `{"context_servers": {"patchbay": {"command": ["x"], "args": "y"}}}`, "", ""},
	} {
		command, args, ok, err := tt.c.Have(tt.text)
		if command != tt.want || ok != (tt.want != "" || tt.what == "another type") || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q %v %t %v", tt.what, command, args, ok, err)
		}
		if len(args) > 0 && args[0] != "serve" {
			t.Errorf("%s: %q", tt.what, args)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
