package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli"
)

// declared is a release of the repository's declaration, in a folder of the test.
func declared(t *testing.T) release {
	t.Helper()
	p, err := readProduct(filepath.Join("..", "..", ".goreleaser.yaml"), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	return release{product: p, dir: t.TempDir(), log: t.Output()}
}

func TestDeclaration(t *testing.T) {
	r := declared(t)
	if ldflags, err := r.expand(r.Builds[0].Ldflags[0]); err != nil || !strings.Contains(ldflags, "cli/command.release=1.2.3") {
		t.Errorf("ldflags are %q, %v", ldflags, err)
	}
	m := r.mainManifest()
	if len(m.Optional) != 6 || m.Optional["@patchbay-mcp/win32-x64"] != "1.2.3" {
		t.Errorf("the npm package depends on %v", m.Optional)
	}
	about := r.about()
	if about.Description == "" || len(about.Description) > 100 || about.Homepage == "" || about.License == "" || about.Vendor == "" {
		t.Errorf("the MCP registry wants at most 100 characters, and every package all of %+v", about)
	}
	config, err := r.nfpmConfig(platform{"linux", "amd64"}, "patchbay")
	if err != nil || !strings.Contains(string(config), "dst: /usr/bin/patchbay\n") || !strings.Contains(string(config), "dst: /usr/share/man/man1/\n") {
		t.Errorf("%v: the deb has\n%s", err, config)
	}
}

func TestEveryCommandHasAManPage(t *testing.T) {
	pages := manPages(cli.Command())
	var check func(*cobra.Command)
	check = func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-")
		page, ok := pages[name+".1"]
		if !ok || !strings.Contains(page, ".SH NAME\n") || !strings.Contains(page, ".SH SYNOPSIS\n") {
			t.Errorf("%s has no page", name)
		}
		for line := range strings.Lines(page) {
			if strings.ContainsFunc(line, func(r rune) bool { return r > 127 }) {
				t.Errorf("%s: %q is not ASCII", name, line)
			}
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.Name() != "help" {
				check(sub)
			}
		}
	}
	check(cli.Command())
}

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		"a --flag":   `a \-\-flag`,
		".TH\n'x":    "\\&.TH\n\\&'x",
		`C:\x`:       `C:\ex`,
		"KEY=VALUE…": `KEY=VALUE\[u2026]`,
	} {
		if got := roff(text); got != want {
			t.Errorf("roff(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestBundle writes a bundle and reads it as a client does.
func TestBundle(t *testing.T) {
	r := declared(t)
	t.Chdir(filepath.Join("..", ".."))
	binary := filepath.Join(r.dir, "patchbay")
	if err := os.WriteFile(binary, []byte("binary"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := platform{"linux", "arm64"}
	if err := r.bundle(p, binary); err != nil {
		t.Fatal(err)
	}
	at := t.TempDir()
	m := unpack(t, r.bundlePath(p), at)
	if m.Version != "1.2.3" || len(m.Tools) == 0 {
		t.Errorf("the manifest is %+v", m)
	}
	// A client puts the setting, or its default, into the arguments.
	if o := m.UserConfig["config"]; o.Type != "file" || o.Required || !slices.Equal(m.Server.Config.Args, []string{"serve", "--config", "${user_config.config}"}) {
		t.Errorf("the settings are %+v, the arguments %q", m.UserConfig, m.Server.Config.Args)
	}
	command := strings.ReplaceAll(m.Server.Config.Command, "${__dirname}", at)
	if info, err := os.Stat(command); err != nil || info.Size() != 6 {
		t.Errorf("the command of the manifest is not there: %v", err)
	}
	e, err := r.registryEntry()
	if err != nil || len(e.Packages) != 3 || len(e.Packages[2].SHA256) != 64 {
		t.Errorf("%v: the registry gets %+v", err, e.Packages)
	}
}

// TestManifestIsComplete: manifest.json has the fields that version 0.3 of its schema requires,
// and a client that knows the schema finds each value in the form that it expects.
func TestManifestIsComplete(t *testing.T) {
	r := declared(t)
	for _, p := range r.platforms() {
		text, err := json.Marshal(r.bundleManifest(p))
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Version                    string `json:"manifest_version"`
			Name, Description, License string
			Author                     struct{ Name string }
			Repository                 struct{ Type, URL string }
			Server                     struct {
				Type       string
				EntryPoint string `json:"entry_point"`
				Config     struct {
					Command string
					Args    []string
				} `json:"mcp_config"`
			}
			UserConfig    map[string]struct{ Type, Title, Description string } `json:"user_config"`
			Tools         []struct{ Name, Description string }
			Compatibility struct{ Platforms []string }
		}
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		system, _ := p.node()
		complete := m.Version == "0.3" && m.Name != "" && m.Description != "" && m.License != "" && m.Author.Name != "" && m.Repository.Type == "git" && strings.HasPrefix(m.Repository.URL, "https://") &&
			m.Server.Type == "binary" && strings.HasSuffix(m.Server.Config.Command, "/"+m.Server.EntryPoint) && slices.Equal(m.Compatibility.Platforms, []string{system})
		if !complete || !slices.Contains([]string{"darwin", "linux", "win32"}, system) {
			t.Errorf("%v: %s", p, text)
		}
		for name, o := range m.UserConfig {
			if !slices.Contains([]string{"string", "number", "boolean", "directory", "file"}, o.Type) || o.Title == "" || o.Description == "" {
				t.Errorf("the setting %s is %+v", name, o)
			}
		}
		for _, tool := range m.Tools {
			if tool.Name == "" || tool.Description == "" {
				t.Errorf("a tool is %+v", tool)
			}
		}
	}
}
