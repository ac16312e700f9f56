package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/run"
)

// folder writes files into a fresh folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// environ is an environment of these variables alone.
func environ(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

func load(t *testing.T, o config.Options, vars map[string]string) (*config.Config, diag.List) {
	t.Helper()
	o.Environ = environ(vars)
	cfg, list, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return cfg, list
}

func summary(l diag.List) []string {
	var out []string
	for _, d := range l {
		out = append(out, string(d.Severity)+" "+d.Code+": "+d.Message)
	}
	return out
}

func serverNames(c *config.Config) []string {
	var out []string
	for _, s := range c.Servers {
		out = append(out, s.Name)
	}
	return out
}

func TestNothingConfiguredOffersTheWorkspace(t *testing.T) {
	dir := t.TempDir()
	cfg, list := load(t, config.Options{Dir: dir}, map[string]string{"HOME": "/home/ann"})
	if len(list) > 0 {
		t.Errorf("diagnostics: %v", summary(list))
	}
	if !cfg.Workspace || !cfg.Default || cfg.Root != dir {
		t.Errorf("workspace %v, default %v, root %q", cfg.Workspace, cfg.Default, cfg.Root)
	}
	if want := "/home/ann/.local/share/patchbay/graphs"; cfg.GraphsDir != want {
		t.Errorf("graphs in %q, want %q", cfg.GraphsDir, want)
	}
	if want := "/home/ann/.cache/patchbay"; cfg.CacheDir != want {
		t.Errorf("cache in %q, want %q", cfg.CacheDir, want)
	}
	if cfg.ExposeMax != config.DefaultExposeMax {
		t.Errorf("exposeMax %d", cfg.ExposeMax)
	}
}

func TestOwnFile(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": `
servers:
  files: {command: ./bin/files, args: [-p, 80, "${WHERE:-here}"], env: {TOKEN: "${TOKEN}"}, cwd: work}
  far:
    type: streamableHttp
    url: https://example.com/mcp
    headers: {Authorization: "Bearer ${TOKEN}"}
trust: [files]
graphs: my graphs
cache: ~/cache
exposeMax: 5
limits: {maxNodeExecutions: 77, maxExecutionTimeMs: 1500}
runs: {waitMs: 900, onDisconnect: park}
workspace: {enabled: true, root: sub}
serve: {allTools: true, addr: "127.0.0.1:0", allowedOrigins: ["https://a.example"]}
`, "sub/x": ""})
	cfg, list := load(t, config.Options{Dir: dir}, map[string]string{"HOME": "/home/ann", "TOKEN": "tok-123"})
	if len(list) > 0 {
		t.Fatalf("diagnostics: %v", summary(list))
	}
	files, _ := cfg.Server("files")
	if diff := cmp.Diff([]string{"-p", "80", "here"}, files.Args); diff != "" {
		t.Error(diff)
	}
	if files.Command != filepath.Join(dir, "bin", "files") || files.Cwd != filepath.Join(dir, "work") {
		t.Errorf("command %q, cwd %q are not relative to the file", files.Command, files.Cwd)
	}
	if files.Env["TOKEN"] != "tok-123" || !files.Trusted || files.Transport != config.Stdio {
		t.Errorf("env %q, trusted %v, transport %q", files.Env, files.Trusted, files.Transport)
	}
	far, _ := cfg.Server("far")
	if far.Transport != config.StreamableHTTP || far.Headers["Authorization"] != "Bearer tok-123" || far.Trusted {
		t.Errorf("transport %q, headers %q, trusted %v", far.Transport, far.Headers, far.Trusted)
	}
	got := []any{cfg.GraphsDir, cfg.CacheDir, cfg.ExposeMax, cfg.Limits, cfg.Workspace, cfg.Default, cfg.Root, cfg.Serve, cfg.Runs.Wait, cfg.Runs.OnDisconnect}
	want := []any{
		filepath.Join(dir, "my graphs"), "/home/ann/cache", 5,
		config.Limits{Limits: run.Limits{MaxNodeExecutions: 77, MaxExecutionTime: 1500 * time.Millisecond}},
		true, false, filepath.Join(dir, "sub"),
		config.Serve{AllTools: true, Addr: "127.0.0.1:0", AllowedOrigins: []string{"https://a.example"}, TokensFile: "/home/ann/.local/state/patchbay/access/tokens.json"},
		900 * time.Millisecond, "park",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOwnFileIsLookedForHereThenInXDG(t *testing.T) {
	xdg := folder(t, map[string]string{"patchbay/patchbay.yaml": "exposeMax: 1\ngraphs: kept"})
	empty, here := t.TempDir(), folder(t, map[string]string{"patchbay.yaml": "exposeMax: 2"})
	vars := map[string]string{"XDG_CONFIG_HOME": xdg}
	far, _ := load(t, config.Options{Dir: empty}, vars)
	if far.ExposeMax != 1 || far.GraphsDir != filepath.Join(xdg, "patchbay", "kept") {
		t.Errorf("the file in XDG_CONFIG_HOME was not used: exposeMax %d, graphs %q", far.ExposeMax, far.GraphsDir)
	}
	near, _ := load(t, config.Options{Dir: here}, vars)
	if near.ExposeMax != 2 || near.File != filepath.Join(here, "patchbay.yaml") {
		t.Errorf("the file of the working directory does not win: exposeMax %d, file %q", near.ExposeMax, near.File)
	}
	rel, _ := load(t, config.Options{Dir: empty}, map[string]string{"XDG_CONFIG_HOME": "relative"})
	if rel.File != "" {
		t.Errorf("a relative XDG_CONFIG_HOME was used: %q", rel.File)
	}
}

func TestFilesOfClients(t *testing.T) {
	dir := folder(t, map[string]string{
		"claude.json": `{"mcpServers": {"fs": {"command": "npx", "args": ["-y", "x"]}}, "globalShortcut": "Ctrl+Space"}`,
		"vscode.json": `{
  // servers of the project
  "inputs": [{"id": "key"}],
  "servers": {
    "gh": {"type": "http", "url": "https://x.example/mcp"}, /* "no": {}, */
    "asks": {"command": "y", "env": {"KEY": "${input:key}"}},
    "here": {"command": "z", "args": ["${workspaceFolder}/a", "${env:VAR}"]},
  }
}`,
		"windsurf.json": `{"mcpServers": {"w": {"serverUrl": "https://w.example/sse"}, "off": {"command": "c", "disabled": true, "env": {"A": "${UNSET}"}, "alwaysAllow": []}}}`,
	})
	cfg, list := load(t, config.Options{Dir: dir, MCP: []string{"claude.json", "vscode.json", "windsurf.json"}}, map[string]string{"VAR": "value"})
	if diff := cmp.Diff([]string{"asks", "fs", "gh", "here", "off", "w"}, serverNames(cfg)); diff != "" {
		t.Error(diff)
	}
	here, _ := cfg.Server("here")
	if diff := cmp.Diff([]string{dir + "/a", "value"}, here.Args); diff != "" {
		t.Error(diff)
	}
	if off, _ := cfg.Server("off"); !off.Disabled || off.Problem != nil {
		t.Errorf("disabled %v, problem %v", off.Disabled, off.Problem)
	}
	if asks, _ := cfg.Server("asks"); asks.Problem == nil || !strings.Contains(asks.Problem.Message, `"key"`) {
		t.Errorf("a server that needs an editor's input has the problem %v", asks.Problem)
	}
	if cfg.Workspace {
		t.Error("the workspace is offered beside configured servers")
	}
	if list.HasErrors() {
		t.Errorf("errors: %v", summary(list))
	}
	want := []string{
		`note foreign-setting: the file has the unknown key "globalShortcut"`,
		`warning missing-variable: server "asks" needs the input "key", which only the editor this file was written for asks for`,
		`note foreign-setting: server "off" has the unknown key "alwaysAllow"`,
	}
	if diff := cmp.Diff(want, summary(list)); diff != "" {
		t.Error(diff)
	}
}

func TestDocuments(t *testing.T) {
	dir := folder(t, map[string]string{
		"d/one.yaml": `
version: "1.0"
server: {name: files, version: 1.2, title: Files, instructions: use it}
mcpServers:
  fs: {command: ./run, args: [.]}
tools:
  - {name: t, nodes: []}
`,
		"two.json": `{"version": "1.0", "server": {"name": "second"}, "tools": []}`,
	})
	cfg, list := load(t, config.Options{Dir: dir, Graphs: []string{"d/one.yaml", "two.json", "./d/one.yaml"}}, nil)
	if len(list) > 0 {
		t.Errorf("diagnostics: %v", summary(list))
	}
	if len(cfg.Documents) != 2 || len(cfg.Documents[0].Graph.Tools()) != 1 {
		t.Fatalf("%d documents", len(cfg.Documents))
	}
	if want := (config.ServerInfo{Name: "files", Version: "1.2", Title: "Files", Instructions: "use it"}); cfg.Info != want {
		t.Errorf("info %+v", cfg.Info)
	}
	fs, _ := cfg.Server("fs")
	if fs.Command != filepath.Join(dir, "d", "run") || fs.Cwd != filepath.Join(dir, "d") {
		t.Errorf("command %q, cwd %q", fs.Command, fs.Cwd)
	}
}

func TestLaterDefinitionCounts(t *testing.T) {
	dir := folder(t, map[string]string{
		"patchbay.yaml": "servers: {a: {command: own}, b: {command: same}}",
		"g.yaml":        "mcpServers: {a: {command: graph}, b: {command: same}}\ntools: []",
		"m.json":        `{"mcpServers": {"a": {"command": "client"}}}`,
	})
	cfg, list := load(t, config.Options{Dir: dir, Graphs: []string{"g.yaml"}, MCP: []string{"m.json"}}, nil)
	if a, _ := cfg.Server("a"); a.Command != "client" || a.From != "m.json" {
		t.Errorf("a is %q from %q", a.Command, a.From)
	}
	want := []string{
		`warning duplicate-server: server "a" is also defined in patchbay.yaml; this definition counts`,
		`warning duplicate-server: server "a" is also defined in g.yaml; this definition counts`,
	}
	if diff := cmp.Diff(want, summary(list)); diff != "" {
		t.Error(diff)
	}
}

func TestMissingVariableFailsOneServer(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": `servers:
  ok: {command: a}
  bad:
    command: b
    args: ["é=${NOT_SET}"]
`})
	cfg, list := load(t, config.Options{Dir: dir}, nil)
	if list.HasErrors() || len(list) != 1 {
		t.Fatalf("diagnostics: %v", summary(list))
	}
	d := list[0]
	if d.Path != "/servers/bad/args/0" || d.Range.Start.Line != 5 || d.Range.Start.Column != 15 || !strings.Contains(d.Message, `"NOT_SET"`) {
		t.Errorf("at %s %+v: %s", d.Path, d.Range, d.Message)
	}
	bad, _ := cfg.Server("bad")
	if bad.Problem == nil || bad.Problem.Code != "missing-variable" {
		t.Errorf("problem %v", bad.Problem)
	}
	if ok, _ := cfg.Server("ok"); ok.Problem != nil {
		t.Errorf("the other server has the problem %v", ok.Problem)
	}
}

// uncommented is the starter with all its settings: without the first line, which is for
// editors.
func uncommented(starter string) string {
	_, settings, _ := strings.Cut(starter, "\n")
	return strings.ReplaceAll("\n"+settings, "\n# ", "\n")
}

// TestStarterHasAllSettings finds each key of the reference in the starter, but for those
// that do nothing.
func TestStarterHasAllSettings(t *testing.T) {
	dir := t.TempDir()
	if _, err := config.Init(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "patchbay.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	doc, list := graph.Parse("patchbay.yaml", uncommented(string(text)))
	if len(list) > 0 {
		t.Fatal(summary(list))
	}
	for _, s := range config.Settings() {
		at := doc.Root
		for key := range strings.SplitSeq(s.Key, ".") {
			at = at.Get(key)
		}
		if dead := strings.HasPrefix(s.Doc, "Does nothing"); at.Exists() == dead && s.Key != "mcpServers" {
			t.Errorf("%s is there: %v", s.Key, at.Exists())
		}
	}
}

func TestStarterIsLegal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	made, err := config.Init(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "patchbay.yaml")
	if diff := cmp.Diff(path, made); diff != "" {
		t.Error(diff)
	}
	data := t.TempDir()
	cfg, list := load(t, config.Options{Dir: dir}, map[string]string{"XDG_DATA_HOME": data})
	if len(list) > 0 || cfg.GraphsDir != filepath.Join(data, "patchbay", "graphs") || len(cfg.Packs) > 0 || !cfg.Workspace {
		t.Errorf("graphs %q, packs %v, workspace %v, diagnostics %v", cfg.GraphsDir, cfg.Packs, cfg.Workspace, summary(list))
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("init made %v, %v", entries, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(uncommented(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	all, list := load(t, config.Options{Dir: dir}, map[string]string{"API_TOKEN": "x", "LICENCE": "ABCD-1234", "DSN": "postgres://db", "HOOK_SECRET": "signed-with-this", "PATCHBAY_RUNS_KEY": strings.Repeat("k", 32)})
	if len(list) > 0 || len(all.Servers) != 4 || all.Serve.Addr == "" || len(all.Egress.Allow) == 0 || len(all.Egress.Variables) == 0 || all.Limits.MaxNodeExecutions == 0 {
		t.Errorf("with everything uncommented: servers %v, diagnostics %v", serverNames(all), summary(list))
	}
	changed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if made, err := config.Init(dir); err != nil || made != "" {
		t.Errorf("a second Init made %q, %v", made, err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(changed) {
		t.Error("a second Init changed the file")
	}
}

func TestUnreadableFilesAreErrorsThatNameThem(t *testing.T) {
	dir := t.TempDir()
	_, _, err := config.Load(config.Options{Dir: dir, Graphs: []string{"no.yaml", "."}, MCP: []string{"none.json"}, Environ: environ(nil)})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"graph document no.yaml: no such file", "graph document .: it is not a regular file", "mcp file none.json: no such file"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
}

func TestFaultsOfTheConfiguration(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
		hint string // in the first
	}{
		"empty":         {text: ""},
		"comments only": {text: "# nothing\n"},
		"open section":  {text: "limits:\nservers:\n"},
		"not a map":     {text: "[1]", want: []string{`error bad-setting: the configuration is a list, not a map`}},
		"near miss": {
			text: "serverz: {a: {command: x}}",
			want: []string{`error unknown-setting: the configuration has the unknown key "serverz"`}, hint: `did you mean "servers"?`,
		},
		"far off": {
			text: "colour: red",
			want: []string{`error unknown-setting: the configuration has the unknown key "colour"`}, hint: "the keys are cache, calls, egress, expose, exposeMax",
		},
		"snake case": {
			text: "limits: {max_node_executions: 3}",
			want: []string{`error unknown-setting: limits has the unknown key "max_node_executions"`}, hint: `"maxNodeExecutions"`,
		},
		"not one of three": {
			text: "runs: {onDisconnect: stop}",
			want: []string{`error bad-setting: runs.onDisconnect is "stop", expected finish, park or cancel`},
		},
		"out of range": {
			text: "limits: {maxNodeExecutions: 0}\nexposeMax: many",
			want: []string{
				`error bad-setting: limits.maxNodeExecutions is 0, expected a whole number from 1 to 1000000000`,
				`error bad-setting: exposeMax is "many", expected a whole number from 0 to 1000`,
			},
		},
		"wrong kinds everywhere": {
			text: "servers: [1]\ntrust: {a: b}\ngraphs: [x]\nworkspace: yes please\nserve: {addr: nowhere, allowedOrigins: [1, example.com]}",
			want: []string{
				`error bad-setting: servers is a list, expected a map from names to servers`,
				`error bad-setting: trust is a map, expected a list of server names`,
				`error bad-setting: graphs is a list, expected a folder`,
				`error bad-setting: workspace is "yes please", expected a map`,
				`error bad-setting: serve.addr is "nowhere", expected host:port, such as 127.0.0.1:8080`,
				`error bad-setting: serve.allowedOrigins.0 is 1, expected a string`,
				`error bad-setting: serve.allowedOrigins.1 is "example.com", expected an origin, such as https://app.example.com`,
			},
		},
		"no such root": {text: "workspace: {root: nowhere}", want: []string{`error bad-setting: workspace.root is not a folder`}},
		"trusting nobody": {
			text: "servers: {files: {command: x}}\ntrust: [file]",
			want: []string{`warning unknown-trusted-server: trust names the server "file", which is not configured`}, hint: `did you mean "files"?`,
		},
		"names": {
			text: `servers: {"a/b": {command: x}, "": {command: x}, "ok.1-x_y z": {command: x}}`,
			want: []string{
				`note bad-server-name: server name "a/b" cannot be used in the names of its tools: it is "a-b" here`,
				`error bad-server: server name "" cannot be used in the names of its tools`,
			}, hint: `use letters, digits`,
		},
		"entries": {
			text: `servers:
  a: npx
  b: {}
  c: {command: x, url: "https://x.example"}
  d: {type: htttp, url: "https://x.example"}
  e: {type: stdio, url: "https://x.example"}
  f: {url: "ftp://x.example"}
  g: {url: nowhere}
  h: {comand: x}
  i: {command: x, args: -y}
  j: {command: x, args: [[1]], env: [A=b]}
  k: {command: npx -y server}
  l: {command: "${A b}", args: ["${open"]}
  m: {command: " "}
  n: {command: x, disabled: maybe}
`,
			want: []string{
				`error bad-server: server "a" is text, not a map`,
				`error bad-server: server "b" has neither a command nor a url`,
				`error bad-server: server "c" has both a command and a url`,
				`error bad-server: server "d" has the unknown type "htttp"`,
				`error bad-server: server "e" is of type stdio but has no command`,
				`error bad-server: url of server "f" is not an http or https URL`,
				`error bad-server: url of server "g" is not a URL`,
				`error unknown-setting: server "h" has the unknown key "comand"`,
				`error bad-setting: args of server "i" is text, not a list`,
				`error bad-setting: args[0] of server "j" is a list, not a string`,
				`error bad-setting: env of server "j" is a list, not a map`,
				`warning command-with-arguments: command of server "k" seems to contain its arguments too`,
				`error bad-variable: command of server "l": "${A b}" is not a variable`,
				`error bad-variable: args[0] of server "l": "${" has no closing "}"`,
				`error bad-server: command of server "m" is empty`,
				`error bad-setting: disabled of server "n" is text, not a boolean`,
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"patchbay.yaml": tt.text})
			cfg, list := load(t, config.Options{Dir: dir}, nil)
			if diff := cmp.Diff(tt.want, summary(list)); diff != "" {
				t.Error(diff)
			}
			if len(list) > 0 && !strings.Contains(list[0].Hint, tt.hint) {
				t.Errorf("hint %q lacks %q", list[0].Hint, tt.hint)
			}
			for _, d := range list {
				if d.Hint == "" {
					t.Errorf("no hint: %s", d.Message)
				}
			}
			if len(list) > 0 && !strings.Contains(cfg.Files[0].Render(), list[0].Message) {
				t.Errorf("rendering lacks the message:\n%s", cfg.Files[0].Render())
			}
		})
	}
}

func TestFixesOfTheConfiguration(t *testing.T) {
	src := `# mine
serverz:  # all
  a/b: {comand: x, headerz: {}}
trust: [a-b, fils]
limits: {max_node_executions: 3}
`
	const want = `# mine
servers:  # all
  a-b: {command: x, headers: {}}
trust: [a-b, fils]
limits: {maxNodeExecutions: 3}
`
	for range 3 {
		dir := folder(t, map[string]string{"patchbay.yaml": src})
		_, list := load(t, config.Options{Dir: dir}, nil)
		src, _ = diag.Apply(src, list)
	}
	if diff := cmp.Diff(want, src); diff != "" {
		t.Error(diff)
	}
}

// One client's odd entry must not keep the others from starting. A name that tools cannot have
// becomes one that they can.
func TestFaultsOfAClientsFileStopOneServer(t *testing.T) {
	dir := folder(t, map[string]string{"mcp.json": `{"mcpServers": {"odd": {"type": "pigeon"}, "a/b": {"command": "x"}, "list": [], "fine": {"command": "x"}}}`})
	cfg, list := load(t, config.Options{Dir: dir, MCP: []string{"mcp.json"}}, nil)
	if list.HasErrors() || len(list) != 3 {
		t.Errorf("diagnostics: %v", summary(list))
	}
	problems := map[string]bool{}
	for _, s := range cfg.Servers {
		problems[s.Name] = s.Problem != nil
	}
	if want := map[string]bool{"odd": true, "list": true, "fine": false, "a-b": false}; !maps.Equal(want, problems) {
		t.Errorf("problems %v, want %v", problems, want)
	}
}

func TestFileWithoutServers(t *testing.T) {
	for text, hint := range map[string]string{
		`{}`:                 `write {"mcpServers"`,
		`{"mcpServer": {}}`:  `rename "mcpServer" to "mcpServers"`,
		`{"fs": {"a": "b"}}`: `write {"mcpServers"`,
	} {
		dir := folder(t, map[string]string{"mcp.json": text})
		_, list := load(t, config.Options{Dir: dir, MCP: []string{"mcp.json"}}, nil)
		if len(list) != 1 || list[0].Code != "empty-mcp-file" || !strings.Contains(list[0].Hint, hint) {
			t.Errorf("%s: %v", text, summary(list))
		}
	}
}

func TestServerBounds(t *testing.T) {
	cfg, found := load(t, config.Options{Dir: folder(t, map[string]string{config.FileName: "servers: {a: {command: x, callTimeoutMs: 500, maxCalls: 3}, b: {command: x, maxCalls: 0}}"})}, nil)
	if s := cfg.Servers[0]; s.CallTimeout != 500*time.Millisecond || s.MaxCalls != 3 {
		t.Errorf("%s, %d calls", s.CallTimeout, s.MaxCalls)
	}
	if len(found) != 1 || found[0].Path != "/servers/b/maxCalls" {
		t.Errorf("%v", found)
	}
}
