package serverfile

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// said is what was read, in one line an entry.
func said(t *testing.T, all []Entry) string {
	t.Helper()
	var lines []string
	for _, e := range all {
		b, err := json.Marshal(e.Fields)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, e.Name+" "+string(b))
	}
	return strings.Join(lines, "\n")
}

func TestReadWhatOthersWrite(t *testing.T) {
	for _, c := range []struct{ what, text, name, want string }{
		{"a README", `{"mcpServers": {"fs": {"command": "npx", "args": ["-y", "fs", "."]}}}`, "", `fs {"command":"npx","args":["-y","fs","."]}`},
		{"a README, named", `{"mcpServers": {"fs": {"command": "npx"}}}`, "mine", `mine {"command":"npx"}`},
		{"a README without the outer braces", `"mcpServers": {"fs": {"command": "npx"}},`, "", `fs {"command":"npx"}`},
		{"comments", "// a\n{\"fs\": {\"command\": \"npx\" /* b */}}", "", `fs {"command":"npx"}`},
		{"a bare map", `{"b": {"url": "https://b.example/mcp"}, "a": {"command": "a"}}`, "", "b {\"url\":\"https://b.example/mcp\"}\na {\"command\":\"a\"}"},
		{"one entry", `{"command": "npx", "env": {"B": "1", "A": "2"}}`, "one", `one {"command":"npx","env":{"B":"1","A":"2"}}`},
		{"YAML", "servers:\n  fs: {command: npx}\n", "", `fs {"command":"npx"}`},
		{"VS Code", `{"inputs": [{"id": "the-key"}], "servers": {"x": {"type": "stdio", "command": "x", "env": {"KEY": "${input:the-key}"}}}}`, "", `x {"command":"x","env":{"KEY":"${THE_KEY}"}}`},
		{"VS Code settings", `{"mcp": {"servers": {"x": {"type": "http", "url": "https://x.example/mcp"}}}}`, "", `x {"type":"http","url":"https://x.example/mcp"}`},
		{"Windsurf", `{"mcpServers": {"x": {"serverUrl": "https://x.example/mcp", "disabled": true, "alwaysAllow": []}}}`, "", `x {"url":"https://x.example/mcp","disabled":true}`},
		{"Gemini", `{"mcpServers": {"x": {"httpUrl": "https://x.example/mcp", "timeout": 5}}}`, "", `x {"url":"https://x.example/mcp"}`},
		{"Zed", `{"context_servers": {"x": {"source": "custom", "command": {"path": "x", "args": ["-v"], "env": {"A": "1"}}}}}`, "", `x {"command":"x","args":["-v"],"env":{"A":"1"}}`},
		{"a list as command", `{"x": {"type": "local", "command": ["bun", "x", "y"], "environment": {"A": "1"}, "enabled": false}}`, "", `x {"command":"bun","args":["x","y"],"env":{"A":"1"},"disabled":true}`},
		{"a placeholder", `{"gh": {"command": "x", "env": {"GITHUB_TOKEN": "<YOUR_TOKEN>", "MODE": "your-mode"}}}`, "", `gh {"command":"x","env":{"GITHUB_TOKEN":"${GITHUB_TOKEN}","MODE":"your-mode"}}`},
		{"a name of other characters", `{"a/b c!": {"command": "x"}}`, "", `a-b-c {"command":"x"}`},
	} {
		all, err := Read(c.text, c.name)
		if got := said(t, all); err != nil || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.what, err, got, c.want)
		}
	}
	for _, text := range []string{"", "{}", "[]", "hello", `{"a": 1}`, `{"mcpServers": {}}`, "{"} {
		if all, err := Read(text, ""); err == nil {
			t.Errorf("%q has the servers %s", text, said(t, all))
		}
	}
}

func TestNotesSayWhatWasChanged(t *testing.T) {
	all, err := Read(`{"x": {"command": "x", "timeout": 5, "trust": true, "priority": 1, "env": {"API_KEY": "<key>"}}}`, "")
	if err != nil {
		t.Fatal(err)
	}
	want := "env.API_KEY is read from the environment variable API_KEY: the text had a placeholder\nleft out, because they have no meaning here: timeout, priority"
	if got := strings.Join(all[0].Notes, "\n"); got != want {
		t.Errorf("the notes are\n%s", got)
	}
}

func TestReadTOML(t *testing.T) {
	all, err := ReadTOML(`
model = "x"
[mcp_servers.zeta]
command = "npx"
args = ["-y", "zeta"]
env_vars = ["TOKEN"]
startup_timeout_sec = 20
[mcp_servers.zeta.env]
B = "1"
A = "2"
[mcp_servers.alpha]
url = "https://a.example/mcp"
bearer_token_env_var = "ALPHA"
`, "")
	want := `zeta {"command":"npx","args":["-y","zeta"],"env":{"B":"1","A":"2"}}` + "\n" +
		`alpha {"url":"https://a.example/mcp","headers":{"Authorization":"Bearer ${ALPHA}"}}`
	if got := said(t, all); err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := ReadTOML("a = [", ""); err == nil {
		t.Error("a text that is not TOML was read")
	}
}

func TestCommandsPackagesAndURLs(t *testing.T) {
	one := func(e Entry, err error) string {
		if err != nil {
			return err.Error()
		}
		return said(t, []Entry{e})
	}
	for _, c := range []struct{ got, want string }{
		{one(Command("fs", []string{"npx", "-y", "@m/server-filesystem", "."})), `fs {"command":"npx","args":["-y","@m/server-filesystem","."]}`},
		{one(Command("", []string{"npx", "-y", "@m/server-filesystem@1.2.0", "."})), `filesystem {"command":"npx","args":["-y","@m/server-filesystem@1.2.0","."]}`},
		{one(Command("", []string{"/usr/bin/my-mcp"})), `my {"command":"/usr/bin/my-mcp"}`},
		{one(Command("", nil)), "it names no program"},
		{one(Package("", "npm:@m/server-memory", nil)), `memory {"command":"npx","args":["-y","@m/server-memory"]}`},
		{one(Package("", "pypi:mcp-server-git==1.0", nil)), `git {"command":"uvx","args":["mcp-server-git==1.0"]}`},
		{one(Package("", "npm:--registry=evil", nil)), `"npm:--registry=evil" does not name a package`},
		{one(URL("", "https://mcp.example.com/mcp")), `example {"url":"https://mcp.example.com/mcp"}`},
		{one(URL("", "ftp://x/")), `"ftp://x/" is not an http or https URL`},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}

const commented = `# Mine.
limits: {maxRuns: 3} # few

servers:
  # Files of this folder.
  zeta: {command: z} # last of the alphabet
  alpha:
    command: a
    args:
      - one # first

trust: [alpha]
`

func TestEditsKeepCommentsAndOrder(t *testing.T) {
	entry, _ := Command("new", []string{"npx", "-y", "x"})
	after, err := Add(commented, []Entry{entry}, false)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(commented, "      - one # first\n", "      - one # first\n  new: {command: npx, args: [-y, x]}\n", 1); !sameData(t, after, want) || without(after, "new") != without(want, "new") {
		t.Errorf("after add:\n%s", after)
	}
	back, had, err := Remove(after, "new")
	if err != nil || !had || back != commented {
		t.Errorf("after remove: %v\n%s", err, back)
	}
	if _, err := Add(commented, []Entry{{Name: "zeta", Fields: entry.Fields}}, false); err == nil {
		t.Error("a server was replaced")
	} else if taken, ok := errors.AsType[*TakenError](err); !ok || taken.Name != "zeta" {
		t.Error(err)
	}
	replaced, err := Add(commented, []Entry{{Name: "zeta", Fields: entry.Fields}}, true)
	if err != nil || !strings.Contains(replaced, "# last of the alphabet") || !strings.Contains(replaced, "# Files of this folder.") {
		t.Errorf("replaced: %v\n%s", err, replaced)
	}
	if _, had, _ := Remove(commented, "nobody"); had {
		t.Error("a server was removed that is not there")
	}
}

// sameData reports whether two configurations define the same servers.
func sameData(t *testing.T, a, b string) bool {
	t.Helper()
	load := func(text string) string {
		cfg, _, err := config.Load(config.Options{File: "patchbay.yaml", Text: &text, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, s := range cfg.Servers {
			all = append(all, s.Name+" "+s.Command+" "+strings.Join(s.Args, " "))
		}
		return strings.Join(all, "\n")
	}
	return load(a) == load(b)
}

// without drops the lines that say a word, and those that belong to them.
func without(text, word string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		deeper := strings.HasPrefix(line, "    ")
		inside = strings.Contains(line, word+":") || inside && deeper
		if !inside {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestAddToAnEmptyFile(t *testing.T) {
	entry, _ := Command("x", []string{"x"})
	for _, before := range []string{"", "# nothing yet\n", "servers:\n", "servers: {}\n", "limits: {maxRuns: 3}\n", "# of others\n{}\n", "mcpServers: {a: {command: a}}\n"} {
		after, err := Add(before, []Entry{entry}, false)
		if err != nil || !strings.Contains(after, "command: x") && !strings.Contains(after, `"command"`) || !strings.HasPrefix(after, strings.SplitN(before, "\n", 2)[0][:min(len(before), 7)]) {
			t.Errorf("%q: %v\n%s", before, err, after)
			continue
		}
		cfg, found, err := config.Load(config.Options{File: "patchbay.yaml", Text: &after, Dir: t.TempDir()})
		if _, ok := cfg.Server("x"); err != nil || found.HasErrors() || !ok {
			t.Errorf("%q became\n%s\n%v %v", before, after, found, err)
		}
	}
}

func TestImport(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	environ := func(name string) (string, bool) { return map[string]string{"HOME": home}[name], name == "HOME" }
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, ".cursor", "mcp.json"), `{"mcpServers": {"a": {"command": "near"}}}`)
	write(filepath.Join(home, ".cursor", "mcp.json"), `{"mcpServers": {"a": {"command": "far"}, "b": {"command": "b"}}}`)
	write(filepath.Join(home, ".codex", "config.toml"), "[mcp_servers.c]\ncommand = \"c\"\n")
	all, read, err := Import("cursor", dir, environ)
	if got := said(t, all); err != nil || len(read) != 2 || got != "a {\"command\":\"near\"}\nb {\"command\":\"b\"}" {
		t.Errorf("%v %v\n%s", err, read, got)
	}
	if all, _, err := Import("codex", dir, environ); err != nil || said(t, all) != `c {"command":"c"}` {
		t.Errorf("codex: %v %s", err, said(t, all))
	}
	for client, want := range map[string]string{"zed": "zed has no servers in", "emacs": `unknown client "emacs"`} {
		if _, _, err := Import(client, dir, environ); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", client, err)
		}
	}
}

// What Claude Code keeps for one user in one project is in its file of the user, beside much
// else; it counts before the file of the project.
func TestImportFromClaudeCode(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	environ := func(name string) (string, bool) { return map[string]string{"HOME": home}[name], name == "HOME" }
	project, err := json.Marshal(dir)
	if err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	history := strings.Repeat(`{"display": "a"},`, 100_000) + "0" // more than a document may have
	write(filepath.Join(home, ".claude.json"), `{"history": [`+history+`],
		"projects": {"/elsewhere": {"mcpServers": {"x": {"command": "x"}}}, "/odd": 1,
			`+string(project)+`: {"mcpServers": {"local": {"command": "l"}, "both": {"command": "local"}}}},
		"mcpServers": {"both": {"command": "user"}, "shared": {"command": "user"}, "user": {"command": "u"}}}`)
	write(filepath.Join(dir, ".mcp.json"), `{"mcpServers": {"shared": {"command": "project"}, "both": {"command": "project"}}}`)
	want := `shared {"command":"project"}
both {"command":"local"}
local {"command":"l"}
user {"command":"u"}`
	for _, name := range []string{"claude", "claude-code"} {
		all, _, err := Import(name, dir, environ)
		if got := said(t, all); err != nil || got != want {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
		for _, e := range all {
			if ofProject := e.Name == "shared"; (e.Project != "") != ofProject {
				t.Errorf("%s: %s comes from the project file %q", name, e.Name, e.Project)
			}
		}
		if c, err := NewConnection(name, dir, Program{Path: "patchbay"}, environ); err != nil || c.Client != "claude-code" {
			t.Errorf("%s: %v %+v", name, err, c)
		}
	}
}

func TestNoteRunner(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	e, _ := Package("", "pypi:mcp-server-git", nil)
	e.NoteRunner()
	if len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "uvx") || !strings.Contains(e.Notes[0], "https://docs.astral.sh/uv") {
		t.Error(e.Notes)
	}
	own, _ := Command("", []string{"my-server"})
	if own.NoteRunner(); len(own.Notes) > 0 {
		t.Error(own.Notes)
	}
}
