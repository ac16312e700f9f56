package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// clone loads the configuration that a folder brings to a user who trusts nothing in it.
func clone(t *testing.T, files map[string]string, o config.Options) *config.Config {
	t.Helper()
	o.Dir, o.Trust = folder(t, files), openTrust(t)
	cfg, _ := load(t, o, map[string]string{"HOME": "/home/ann", "GITHUB_TOKEN": "canary-of-the-user"})
	return cfg
}

// differences of two configurations, but for what follows from their texts and folders.
func differences(a, b *config.Config) string {
	return cmp.Diff(a, b, cmpopts.IgnoreUnexported(config.Config{}, config.File{}, graph.Document{}, config.Limits{}), cmpopts.IgnoreFields(config.Config{},
		"Files", "File", "Root", "Identity", "Redactor", "Untrusted", "Project", "FormerProjects"))
}

// TestUntrustedFileSetsNothing compares a file that has every setting with an empty one.
func TestUntrustedFileSetsNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := config.Init(dir); err != nil {
		t.Fatal(err)
	}
	starter, err := os.ReadFile(filepath.Join(dir, "patchbay.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"patchbay.yaml": uncommented(string(starter)), "workflows/w.yaml": "name: w\n", "hooks/h.js": "", "words.txt": ""}
	all := clone(t, files, config.Options{})
	if all.Untrusted == nil || all.Project == "shop" {
		t.Fatalf("project %s, %v", all.Project, all.Untrusted)
	}
	all.Limits, files["patchbay.yaml"] = config.Limits{}, "# nothing\n"
	if diff := differences(clone(t, files, config.Options{}), all); diff != "" {
		t.Errorf("the file sets (+):\n%s", diff)
	}
}

// TestUntrustedLimitsOnlyLower applies the numbers of an untrusted file that are lower than
// the limits in effect.
func TestUntrustedLimitsOnlyLower(t *testing.T) {
	cfg := clone(t, map[string]string{"patchbay.yaml": "limits: {maxRuns: 3, maxQueuedRuns: 1025, memoryMB: 100, maxServerCalls: 64}\nexposeMax: 3\n"}, config.Options{})
	if cfg.Limits.MaxRuns != 3 || cfg.Limits.MaxServerCalls != 64 {
		t.Errorf("lower limits are not applied: %+v", cfg.Limits)
	}
	if cfg.Limits.MaxQueuedRuns != 0 || cfg.Limits.Memory != 0 || cfg.ExposeMax != config.DefaultExposeMax {
		t.Errorf("others are: %+v, exposeMax %d", cfg.Limits, cfg.ExposeMax)
	}
	if got, want := cfg.Untrusted.Message, "patchbay.yaml is not trusted, so what it has in exposeMax, limits.maxQueuedRuns, limits.memoryMB is not used"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if cfg := clone(t, map[string]string{"patchbay.yaml": "limits: {maxRuns: 3}\n"}, config.Options{}); cfg.Untrusted != nil {
		t.Error(cfg.Untrusted)
	}
}

// TestRoleIsNotGuessed reads a configuration as one, whatever keys of a graph it has, and
// does not repeat names that it invents.
func TestRoleIsNotGuessed(t *testing.T) {
	const servers = "servers: {pwn: {command: sh}}\n"
	for _, text := range []string{
		servers + "tools: []\n", servers + "tools:\n", servers + "nodes: null\n", servers + "nodes: []\n",
		`{"servers": {"pwn": {"command": "sh"}}, "tools": [], "nodes": []}`, "mcpServers: {pwn: {command: sh}}\nnodes: []\n",
		servers + "\"obey me\": 1\n", servers + "servers: {other: {command: sh}}\n",
	} {
		cfg := clone(t, map[string]string{"patchbay.yaml": text}, config.Options{})
		if len(cfg.Servers) > 0 || cfg.Untrusted == nil || strings.Contains(cfg.Untrusted.Message, "obey") {
			t.Errorf("%s%v, %v", text, cfg.Servers, cfg.Untrusted)
		}
	}
	broken := clone(t, map[string]string{"patchbay.yaml": "a: [", "workflows/w.yaml": "name: w\n", "hooks/h.js": ""}, config.Options{})
	if broken.WorkflowsDir != "" || broken.Hooks.ModulesDir != "" || broken.Untrusted == nil {
		t.Errorf("a file that cannot be read has %q, %q, %v", broken.WorkflowsDir, broken.Hooks.ModulesDir, broken.Untrusted)
	}
}

// TestUntrustedServerTakesNoPlace hides the server of a document that is only looked at
// behind every other of its name, and never starts it.
func TestUntrustedServerTakesNoPlace(t *testing.T) {
	mine := func(command string) string { return "mcpServers: {fs: {command: " + command + "}}\ntools: []\n" }
	files := map[string]string{
		"own.yaml": "servers: {fs: {command: own}}\nworkspace: {enabled: true}\n",
		"a.yaml":   mine("evil"), "b.yaml": mine("evil"), "c.yaml": mine("worse"), "d.yaml": "mcpServers: {workspace: {command: evil}}\n",
		"mcp.json": `{"mcpServers": {"fs": {"command": "client"}}}`,
	}
	named := func(o config.Options, paths ...string) config.Options { o.Checked = paths; return o }
	for _, test := range []struct {
		o       config.Options
		command string // of fs
		started bool
		hidden  []string
	}{
		{named(config.Options{}, "a.yaml"), "evil", false, nil},
		{named(config.Options{}, "a.yaml", "b.yaml"), "evil", false, nil},
		{named(config.Options{}, "a.yaml", "c.yaml"), "evil", false, []string{`c.yaml is not trusted, so that of a.yaml hides its server "fs"`}},
		{named(config.Options{File: "own.yaml"}, "a.yaml"), "own", true, []string{`a.yaml is not trusted, so that of own.yaml hides its server "fs"`}},
		{named(config.Options{File: "own.yaml"}, "d.yaml"), "own", true, []string{`d.yaml is not trusted, so the built-in one hides its server "workspace"`}},
		{named(config.Options{MCP: []string{"mcp.json"}}, "a.yaml"), "client", true, []string{`a.yaml is not trusted, so that of mcp.json hides its server "fs"`}},
		{named(config.Options{Servers: []string{"a.yaml"}}, "a.yaml", "b.yaml"), "evil", true, nil},
		{named(config.Options{Graphs: []string{"c.yaml"}}, "a.yaml"), "worse", true, []string{`a.yaml is not trusted, so that of c.yaml hides its server "fs"`}},
	} {
		cfg := clone(t, files, test.o)
		fs, _ := cfg.Server("fs")
		if fs.Command != test.command || (fs.Problem == nil) != test.started {
			t.Errorf("%+v: %s, %v", test.o.Checked, fs.Command, fs.Problem)
		}
		var hidden []string
		for _, f := range cfg.Hidden {
			hidden = append(hidden, f.Message)
		}
		if diff := cmp.Diff(test.hidden, hidden); diff != "" {
			t.Errorf("%+v: %s", test.o.Checked, diff)
		}
		if test.o.File != "" && !cfg.Workspace {
			t.Errorf("%+v: the built-in server is off", test.o.Checked)
		}
	}
}

// TestErrorsStopServers starts nothing of a file that has errors, also for who goes on
// with them.
func TestErrorsStopServers(t *testing.T) {
	cfg, list := load(t, config.Options{Dir: folder(t, map[string]string{
		"patchbay.yaml": "servers: {a: {command: a}}\nlimits: {maxRuns: many}\n",
		"m.json":        `{"mcpServers": {"b": {"command": "b"}}}`,
	}), MCP: []string{"m.json"}}, nil)
	a, _ := cfg.Server("a")
	b, _ := cfg.Server("b")
	if !list.HasErrors() || a.Problem == nil || b.Problem != nil {
		t.Errorf("%v: %v, %v", summary(list), a.Problem, b.Problem)
	}
}

// TestTrustOfEarlierVersions keeps a trust that covers all that needs it now, and asks again
// for what it does not cover.
func TestTrustOfEarlierVersions(t *testing.T) {
	const servers, more = "servers: {a: {command: b}}\nlimits: {maxRuns: 3}\n", "graphs: graphs\nruns: {keepMB: 1}\n"
	dir, trust := folder(t, map[string]string{"patchbay.yaml": servers}), openTrust(t)
	path := filepath.Join(dir, "patchbay.yaml")
	if err := trust.Add(config.AsConfiguration, path, servers); err != nil { // the hash has servers only, as it had before
		t.Fatal(err)
	}
	text, err := os.ReadFile(trust.File())
	if err != nil || !strings.Contains(string(text), "db97c826b162f50b4242397f3e019bb1552ae0e8d37ce2b4324606d33333dd5f") {
		t.Errorf("%v: another hash of the same settings than in earlier versions: %s", err, text)
	}
	for _, test := range []struct {
		text, message string
	}{
		{servers, ""},
		{servers + more, "patchbay.yaml is not trusted, so what it has in graphs, runs, servers is not used"},
		{more, "patchbay.yaml is not trusted, so what it has in graphs, runs is not used"},
		{"servers: {a: {command: c}}\n" + more, "patchbay.yaml is not trusted, so what it has in graphs, runs, servers is not used"},
	} {
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, _ := load(t, config.Options{Dir: dir, Trust: trust}, nil)
		switch f := cfg.Untrusted; {
		case f == nil && test.message == "":
		case f == nil, f.Message != test.message:
			t.Errorf("%s%+v", test.text, f)
		}
	}
}

// TestUntrustedStarterIsNotOfAnEarlierVersion adds a setting by hand to a file that was made
// just now.
func TestUntrustedStarterIsNotOfAnEarlierVersion(t *testing.T) {
	dir, trust := t.TempDir(), openTrust(t)
	made, err := config.Init(dir)
	if err != nil {
		t.Fatal(err)
	}
	starter, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := os.WriteFile(made, append(starter, "graphs: graphs\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, _ := load(t, config.Options{Dir: dir, Trust: trust}, nil)
		if cfg.Untrusted == nil || strings.Contains(cfg.Untrusted.Hint, "earlier") {
			t.Errorf("%+v", cfg.Untrusted)
		}
		if err := trust.Carry(made, "", string(starter)); err != nil { // as init does
			t.Fatal(err)
		}
	}
}

// TestCarriedTrust carries trust to a changed file, but to no folder that nobody has looked
// at.
func TestCarriedTrust(t *testing.T) {
	const none, before, after = "README", "servers: {a: {command: a}}\n", "servers: {a: {command: a}, b: {command: b}}\n"
	for i, test := range []struct {
		former  string
		trusted bool // the former
		folder  string
		want    bool
	}{
		{"", false, none, true},
		{"", false, "workflows/w.yaml", false},
		{"", false, "hooks/h.js", false},
		{"limits: {maxRuns: 3}\n", false, none, true},
		{before, true, "workflows/w.yaml", true},
		{before, false, none, false},
	} {
		trust, path := openTrust(t), filepath.Join(folder(t, map[string]string{test.folder: ""}), "patchbay.yaml")
		if test.trusted {
			if err := trust.Add(config.AsConfiguration, path, test.former); err != nil {
				t.Fatal(err)
			}
		}
		if err := trust.Carry(path, test.former, after); err != nil {
			t.Fatal(err)
		}
		if trust.Has(config.AsConfiguration, path, after) != test.want {
			t.Errorf("%d: %+v", i, test)
		}
	}
}

// TestLinkToATrustedFile does not give the trust, or the project, of a file to a link in
// another folder, where its relative paths are other programs.
func TestLinkToATrustedFile(t *testing.T) {
	const text = "servers: {a: {command: ./a.sh}}\n"
	own, link := folder(t, map[string]string{"patchbay.yaml": text}), t.TempDir()
	trust := openTrust(t)
	if err := trust.Add(config.AsConfiguration, filepath.Join(own, "patchbay.yaml"), text); err != nil {
		t.Fatal(err)
	}
	testenv.Symlink(t, filepath.Join(own, "patchbay.yaml"), filepath.Join(link, "patchbay.yaml"))
	mine, _ := load(t, config.Options{Dir: own, Trust: trust}, nil)
	theirs, _ := load(t, config.Options{Dir: link, Trust: trust}, nil)
	if len(mine.Servers) != 1 || len(theirs.Servers) != 0 || theirs.Untrusted == nil {
		t.Errorf("%v, %v, %v", mine.Servers, theirs.Servers, theirs.Untrusted)
	}
	if mine.Project == theirs.Project || slices.ContainsFunc(theirs.FormerProjects, func(p string) bool { return slices.Contains(mine.FormerProjects, p) }) {
		t.Errorf("the link has the project %s, %v", theirs.Project, theirs.FormerProjects)
	}
}

// TestTrustIsOfOneMeaning does not take the trust in a file for that in another one whose
// keys and values give the same text.
func TestTrustIsOfOneMeaning(t *testing.T) {
	trust := openTrust(t)
	for odd, plain := range map[string]string{
		`"graphs\0\"g\"\0servers": {a: {command: b}}`: "graphs: g\nservers: {a: {command: b}}",
		`"limits.maxRuns": 999999`:                    "limits: {maxRuns: 999999}",
	} {
		if err := trust.Add(config.AsConfiguration, "/x/patchbay.yaml", odd); err != nil {
			t.Fatal(err)
		}
		if !trust.Has(config.AsConfiguration, "/x/patchbay.yaml", odd) || trust.Has(config.AsConfiguration, "/x/patchbay.yaml", plain) {
			t.Errorf("the trust in %s is that in %s", odd, plain)
		}
	}
}

// TestNeedsTrust shows each value that needs trust as it is written, and hides nothing by
// characters that steer a terminal.
func TestNeedsTrust(t *testing.T) {
	text := "servers:\n  a: {command: sh, args: [\"-c\", \"a\\r\\e[2Kb\\nc\"], cwd: ../x, env: {T: \"${T}\", \"x: y\": \"\u202eabc\"}}\n" +
		"egress: {allow: [\"https://x.example/\"]}\nhooks: {modules: ../h}\ngraphs: g\nlimits: {maxRuns: 3, maxQueuedRuns: 2000}\n\"k\\e[2K\": 1\n"
	dir, trust := folder(t, map[string]string{"workflows/w\x1b.yaml": "", "workflows/.hidden": "", "hooks/h.js": ""}), openTrust(t)
	want := []string{
		`egress.allow: ["https://x.example/"]`, `graphs: "g"`, `hooks.modules: "../h"`, `"k\x1b[2K": 1`, `limits.maxQueuedRuns: 2000`,
		`servers.a.command: "sh"`, `servers.a.args: ["-c","a\r\u001b[2Kb\nc"]`, `servers.a.cwd: "../x"`, `servers.a.env.T: "${T}"`, `servers.a.env."x: y": "\u202eabc"`,
		`the file workflows/w\u001b.yaml`,
	}
	got := trust.Needs(config.AsConfiguration, filepath.Join(dir, "patchbay.yaml"), text)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := trust.Needs(config.AsDocument, "g.yaml", "mcpServers: {a: {command: b}}\nservers: {c: {command: d}}\nnodes: []\n"); !slices.Equal(got, []string{`mcpServers.a.command: "b"`}) {
		t.Error(got)
	}
}
