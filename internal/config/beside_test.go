package config_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

const withFolders = "servers: {a: {command: b}}\n"

// withNames names files of each kind that is trusted as it is.
const withNames = `packs: [packs, "builtin:workflow"]
openapi: {a: api.yaml, source: {source: ./api.yaml, url: "https://a.example"}, web: "https://a.example/api.yaml"}
graphql: {b: [{source: "schema/*.graphql", endpoint: "https://b.example"}, {source: "scalar A", endpoint: "https://b.example"}]}
search: {synonyms: "${X:-words.txt}"}
servers: {a: {command: b}}
`

// put writes files into a folder; one without a text is removed.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if text == "" {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestTrustCoversFilesBeside uses nothing of a trusted folder in which a workflow or a hook
// module is another since, until it is trusted again.
func TestTrustCoversFilesBeside(t *testing.T) {
	elsewhere := t.TempDir()
	for name, test := range map[string]struct {
		text   string // of patchbay.yaml
		change map[string]string
		want   string // the end of the message, "" if the trust holds
	}{
		"nothing":                    {withFolders, nil, ""},
		"what is not used":           {withFolders, map[string]string{"workflows/.new.yaml": "x", "workflows/w.yaml.orig": "x", "hooks/README.md": "x", "hooks/sub/a.js": "x", "js/m.js": "x", "new.yaml": "x"}, ""},
		"a new workflow":             {withFolders, map[string]string{"workflows/new.yaml": "x"}, "workflows/new.yaml is new"},
		"a changed workflow":         {withFolders, map[string]string{"workflows/w.yaml": "x"}, "workflows/w.yaml has changed"},
		"a removed workflow":         {withFolders, map[string]string{"workflows/w.yaml": ""}, "workflows/w.yaml is gone"},
		"tests of a workflow":        {withFolders, map[string]string{"workflows/w.test.yaml": "x"}, "workflows/w.test.yaml is new"},
		"hook modules":               {withFolders, map[string]string{"hooks/h.js": "x", "hooks/\x1b.js": "x"}, "hooks/\\u001b.js is new, hooks/h.js has changed"},
		"no settings":                {"# nothing\n", map[string]string{"hooks/h.js": "x"}, "hooks/h.js has changed"},
		"no settings, nothing left":  {"# nothing\n", map[string]string{"hooks": "", "workflows": ""}, "hooks/h.js is gone, workflows/w.yaml is gone"},
		"another folder":             {"hooks: {modules: js}\n", map[string]string{"js/m.js": "x"}, "js/m.js is new"},
		"a folder of a variable":     {"hooks: {modules: \"${X:-./js}\"}\n", map[string]string{"js/m.js": "x"}, "js/m.js is new"},
		"the folder that is not it":  {"hooks: {modules: js}\n", map[string]string{"hooks/h.js": "x"}, ""},
		"the folder of the settings": {"hooks: {modules: .}\n", map[string]string{"m.js": "x"}, "m.js is new"},
		"what settings name":         {withNames, map[string]string{"packs/p.yaml": "x", "api.yaml": "x", "schema/a.graphql": "x", "words.txt": "x"}, "api.yaml has changed, packs/p.yaml has changed, parts/x.yaml is gone, schema/a.graphql has changed, words.txt has changed"},
		"what named files refer to":  {withNames, map[string]string{"parts/x.yaml": "x", "parts/y.yaml": "x"}, "parts/x.yaml has changed"},
		"a new file of a pattern":    {withNames, map[string]string{"schema/b.graphql": "x"}, "schema/b.graphql is new"},
		"files of a pack":            {withNames, map[string]string{"packs/sub/q.json": "x", "packs/README.md": "x", "packs/.git/config.yaml": "x"}, "packs/sub/q.json is new"},
		"a link out of the folder":   {"packs: [away]\n", map[string]string{"away": ""}, "away is gone"},
		"files that are not named":   {withFolders, map[string]string{"packs/p.yaml": "x", "api.yaml": "x", "words.txt": ""}, ""},
		"a folder outside":           {"hooks: {modules: " + strconv.Quote(elsewhere) + "}\n", map[string]string{"hooks/h.js": "x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, trust := folder(t, map[string]string{
				"patchbay.yaml": test.text, "workflows/w.yaml": "name: w\n", "hooks/h.js": "1",
				"packs/p.yaml": "nodes: []", "api.yaml": "a: {$ref: 'parts/x.yaml#/a', $ref: \"#/b\"}", "parts/x.yaml": "a: 1", "parts/y.yaml": "a: 1", "schema/a.graphql": "scalar A", "words.txt": "a b",
			}), openTrust(t)
			path := filepath.Join(dir, "patchbay.yaml")
			used := func() *config.Config {
				cfg, _ := load(t, config.Options{Dir: dir, Trust: trust}, nil)
				return cfg
			}
			if err := os.Symlink(elsewhere, filepath.Join(dir, "away")); err != nil {
				t.Fatal(err)
			}
			if err := trust.Add(config.AsConfiguration, path, test.text); err != nil {
				t.Fatal(err)
			}
			put(t, dir, test.change)
			cfg := used()
			switch {
			case test.want == "" && (cfg.Untrusted != nil || cfg.WorkflowsDir == ""):
				t.Errorf("not used: %v", cfg.Untrusted)
			case test.want != "" && (cfg.Untrusted == nil || !strings.HasSuffix(cfg.Untrusted.Message, "; since it was trusted, "+test.want)):
				t.Errorf("got %v", cfg.Untrusted)
			case test.want != "" && (cfg.WorkflowsDir != "" || cfg.Hooks.ModulesDir != "" || len(cfg.Servers) > 0 || trust.Has(config.AsConfiguration, path, test.text)):
				t.Errorf("used: %q, %q, %v", cfg.WorkflowsDir, cfg.Hooks.ModulesDir, cfg.Servers)
			}
			if err := trust.Add(config.AsConfiguration, path, test.text); err != nil {
				t.Fatal(err)
			}
			if cfg := used(); cfg.Untrusted != nil || cfg.WorkflowsDir == "" {
				t.Errorf("not used once it is trusted: %v", cfg.Untrusted)
			}
		})
	}
}

// A schema that is written into the configuration is not the name of a file, however long it is.
func TestASchemaAsTextIsNotAFile(t *testing.T) {
	text := "graphql: {shop: {source: 'type Query { " + strings.Repeat("field: Int ", 100) + "}', endpoint: 'https://shop.example/graphql'}}\n"
	dir, trust := folder(t, map[string]string{"patchbay.yaml": text}), openTrust(t)
	if err := trust.Add(config.AsConfiguration, filepath.Join(dir, "patchbay.yaml"), text); err != nil {
		t.Fatal(err)
	}
	if cfg, _ := load(t, config.Options{Dir: dir, Trust: trust}, nil); cfg.Untrusted != nil {
		t.Errorf("not trusted: %v", cfg.Untrusted)
	}
}

// TestChangeBeside carries the trust to what an operation of the operator writes, and has it
// write nothing next to what nobody has looked at.
func TestChangeBeside(t *testing.T) {
	dir, trust := folder(t, map[string]string{"patchbay.yaml": withFolders, "workflows/w.yaml": "name: w\n"}), openTrust(t)
	path, module := filepath.Join(dir, "patchbay.yaml"), filepath.Join(dir, "hooks", "h.js")
	if err := trust.Add(config.AsConfiguration, path, withFolders); err != nil {
		t.Fatal(err)
	}
	cfg, _ := load(t, config.Options{Dir: dir, Trust: trust}, nil)
	for _, text := range []string{"1", "2", ""} {
		if fault := cfg.Beside.Change(func() *diag.Fault { put(t, dir, map[string]string{"hooks/h.js": text}); return nil }); fault != nil {
			t.Fatal(fault)
		}
		if again, _ := load(t, config.Options{Dir: dir, Trust: trust}, nil); again.Untrusted != nil {
			t.Errorf("%q: %v", text, again.Untrusted)
		}
		if cfg.Beside.Has(module, text) != (text != "") || cfg.Beside.Has(module, "other") {
			t.Errorf("%q: Has is wrong", text)
		}
	}
	put(t, dir, map[string]string{"workflows/new.yaml": "x"})
	fault := cfg.Beside.Change(func() *diag.Fault { t.Error("it is done"); return nil })
	if fault == nil || fault.Code != "untrusted-file" || !strings.HasSuffix(fault.Message, "workflows/new.yaml is new") {
		t.Errorf("%v", fault)
	}
}

// TestFoldersOfEarlierVersions asks again for a file whose folders were used without asking
// for their files.
func TestFoldersOfEarlierVersions(t *testing.T) {
	dir, trust := folder(t, map[string]string{"patchbay.yaml": withFolders}), openTrust(t)
	if err := trust.Add(config.AsConfiguration, filepath.Join(dir, "patchbay.yaml"), withFolders); err != nil { // the hash has no files, as it had none before
		t.Fatal(err)
	}
	put(t, dir, map[string]string{"workflows/w.yaml": "name: w\n"})
	cfg, _ := load(t, config.Options{Dir: dir, Trust: trust}, nil)
	if f := cfg.Untrusted; f == nil || !strings.HasSuffix(f.Message, "workflows/w.yaml is new") {
		t.Errorf("%+v", f)
	}
}

// TestTooManyFilesBeside trusts no folder that nobody can look at.
func TestTooManyFilesBeside(t *testing.T) {
	files := map[string]string{"patchbay.yaml": withFolders}
	for i := range 1001 {
		files["hooks/h"+strconv.Itoa(i)+".js"] = "1"
	}
	dir, trust := folder(t, files), openTrust(t)
	err := trust.Add(config.AsConfiguration, filepath.Join(dir, "patchbay.yaml"), withFolders)
	if err == nil || !strings.Contains(err.Error(), "hooks has more than 1000 files") {
		t.Errorf("%v", err)
	}
	if cfg, _ := load(t, config.Options{Dir: dir, Trust: trust}, nil); cfg.Untrusted == nil || len(cfg.Servers) > 0 {
		t.Errorf("it is used: %v", cfg.Servers)
	}
}
