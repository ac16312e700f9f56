package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "", true},
		{"*", "fs/read", true},
		{"", "", true},
		{"", "a", false},
		{"fs/*", "fs/read_file", true},
		{"fs/*", "fsx/read_file", false},
		{"*_file", "read_file", true},
		{"*_file", "read_files", false},
		{"*a*b*", "xxaxxaxb", true},
		{"*a*b", "aab_", false},
		{"get-?", "get-x", true},
		{"get-?", "get-", false},
		{"[a]", "a", false},
		{"[a]", "[a]", true},
		{"é*", "école", true},
	} {
		if got := config.Match(tt.pattern, tt.name); got != tt.want {
			t.Errorf("%q matches %q: %t", tt.pattern, tt.name, got)
		}
	}
}

func TestExpose(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": `
expose: {downstream: true, prefix: "", allow: ["fs/*", "*/echo"], deny: "*/delete_*", discoveryThreshold: 40}
servers:
  zed: {command: zed, tools: {deny: [write_*, move]}}
  abc: {command: abc, tools: [read_*]}
`})
	cfg, list := load(t, config.Options{Dir: dir}, map[string]string{"HOME": "/home/ann"})
	if len(list) > 0 {
		t.Fatalf("diagnostics: %v", summary(list))
	}
	want := config.Expose{Downstream: true, Names: config.Names{Allow: []string{"fs/*", "*/echo"}, Deny: []string{"*/delete_*"}}, Threshold: 40}
	if diff := cmp.Diff(want, cfg.Expose); diff != "" {
		t.Error(diff)
	}
	for tool, want := range map[[2]string]string{
		{"zed", "write_file"}: "servers.zed.tools", {"zed", "move"}: "servers.zed.tools", {"zed", "moved"}: "",
		{"abc", "read_file"}: "", {"abc", "echo"}: "servers.abc.tools", {"abc", "delete_all"}: "expose.deny", {"workspace", "read"}: "",
	} {
		if got := cfg.Denied(tool[0], tool[1]); got != want {
			t.Errorf("%v is denied by %q, want %q", tool, got, want)
		}
	}
	if zed, _ := cfg.Server("zed"); zed.Order != 0 {
		t.Errorf("zed, the first, has place %d", zed.Order)
	}
}

// A restriction that cannot be read must not leave a server unrestricted.
func TestUnreadableToolsStopTheServer(t *testing.T) {
	for text, message := range map[string]string{
		"servers: {a: {command: a, tools: 7}}":                   `tools of server "a" is a number, not a map`,
		"servers: {a: {command: a, tools: {deny: [{name: b}]}}}": `tools of server "a" has a map, not a pattern`,
	} {
		cfg, list := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": text})}, nil)
		if a, _ := cfg.Server("a"); a.Problem == nil || len(list) != 1 || list[0].Message != message {
			t.Errorf("%s: %v, problem %v", text, summary(list), a.Problem)
		}
	}
	cfg, list := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": "servers: {a: {command: a, tools: {deney: [x]}}}"})}, nil)
	if a, _ := cfg.Server("a"); len(list) != 1 || !list.HasErrors() && a.Problem == nil {
		t.Errorf("a misspelt deny: %v", summary(list))
	}
}
