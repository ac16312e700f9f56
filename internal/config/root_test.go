package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// TestPathsFollowTheirFile starts in another folder than the files are in.
func TestPathsFollowTheirFile(t *testing.T) {
	dir := folder(t, map[string]string{
		"p/patchbay.yaml": "workspace: {enabled: true}\nservers: {own: {command: x}, sub: {command: x, cwd: data}, abs: {command: x, cwd: /srv}}",
		"m/mcp.json":      `{"mcpServers": {"m": {"command": "x"}, "n": {"command": "x", "cwd": ".."}}}`,
		"g/graph.yaml":    "mcpServers: {g: {command: x}}\nnodes: []",
		"s/beside.yaml":   "mcpServers: {s: {command: x}}\nnodes: []",
	})
	elsewhere := t.TempDir()
	cfg, list := load(t, config.Options{
		Dir: elsewhere, File: filepath.Join(dir, "p", "patchbay.yaml"), MCP: []string{filepath.Join(dir, "m", "mcp.json")},
		Graphs: []string{filepath.Join(dir, "g", "graph.yaml")}, Servers: []string{filepath.Join(dir, "s", "beside.yaml")},
	}, nil)
	if list.HasErrors() {
		t.Errorf("diagnostics: %v", summary(list))
	}
	for name, want := range map[string]string{
		"own": dir + "/p", "sub": dir + "/p/data", "abs": "/srv", "m": dir + "/m", "n": dir, "g": dir + "/g", "s": dir + "/s",
	} {
		if s, ok := cfg.Server(name); !ok || s.Cwd != filepath.FromSlash(want) {
			t.Errorf("%s starts in %q, want %q", name, s.Cwd, want)
		}
	}
	if want := filepath.Join(dir, "p"); !cfg.Workspace || cfg.Root != want {
		t.Errorf("workspace %v, root %q, want %q", cfg.Workspace, cfg.Root, want)
	}
}

// The user's own patchbay.yaml serves every folder, not the one it is in.
func TestRootOfTheUsersConfiguration(t *testing.T) {
	home := folder(t, map[string]string{".config/patchbay/patchbay.yaml": "workspace: {enabled: true}"})
	dir := t.TempDir()
	if cfg, _ := load(t, config.Options{Dir: dir}, map[string]string{"HOME": home}); cfg.File == "" || cfg.Root != dir {
		t.Errorf("file %q, root %q", cfg.File, cfg.Root)
	}
}

func TestRootsThatAreTooMuch(t *testing.T) {
	home := folder(t, map[string]string{
		"enabled.yaml": "workspace: {enabled: true}", "written.yaml": "workspace: {enabled: true, root: .}", "disk.yaml": "workspace: {enabled: true, root: /}",
		"servers.yaml": "servers: {a: {command: x}}", "project/patchbay.yaml": "workspace: {enabled: true}",
	})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		name, dir, file string
		offered, said   bool
	}{
		{"the disk", "/", "", false, true},
		{"the home directory", home, "", false, true},
		{"a link to it", link, "", false, true},
		{"a configuration in it", "/", home + "/enabled.yaml", false, true},
		{"a written root", "/", home + "/written.yaml", true, false},
		{"a written root that is the disk", home, home + "/disk.yaml", true, false},
		{"nothing asked for it", home, home + "/servers.yaml", false, false},
		{"a folder in it", home + "/project", "", true, false},
	} {
		cfg, list := load(t, config.Options{Dir: tt.dir, File: tt.file}, map[string]string{"HOME": home})
		if len(list) > 0 || cfg.Workspace != tt.offered || (cfg.WorkspaceOff != nil) != tt.said {
			t.Errorf("%s: offered %v, said %v, diagnostics %v", tt.name, cfg.Workspace, cfg.WorkspaceOff, summary(list))
		}
	}
}
