package config_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// The strictest pattern that describes a tool counts.
func TestCalls(t *testing.T) {
	cfg, found := load(t, config.Options{Dir: folder(t, map[string]string{config.FileName: `
servers: {a: {command: x}}
calls: {allow: ["a/*"], confirm: [a/w*, "*/send"], deny: "a/wipe"}
`})}, nil)
	if len(found) > 0 {
		t.Fatal(found)
	}
	for tool, want := range map[string]config.Policy{"read": config.PolicyAllow, "write": config.PolicyConfirm, "send": config.PolicyConfirm, "wipe": config.PolicyDeny} {
		if got := cfg.Calls.Of("a", tool); got != want {
			t.Errorf("%s: %d, want %d", tool, got, want)
		}
	}
	if got := cfg.Calls.Of("b", "read"); got != config.PolicyByHint {
		t.Errorf("another server: %d", got)
	}
	if by := cfg.Denied("a", "wipe"); by != "calls.deny" {
		t.Errorf("it is denied by %q", by)
	}
}

// graphs is a folder, or a map that says also what agents may do; what cannot be read
// allows them nothing.
func TestGraphsOfAgents(t *testing.T) {
	for text, want := range map[string]config.GraphsOfAgents{
		"graphs: g":                       config.AgentsExpose,
		"graphs: {dir: g}":                config.AgentsExpose,
		"graphs: {dir: g, agents: save}":  config.AgentsSave,
		"graphs: {agents: off, dir: g}":   config.AgentsOff,
		"graphs: {agents: false, dir: g}": config.AgentsOff,
		"graphs: {agents: some, dir: g}":  config.AgentsOff,
	} {
		dir := folder(t, map[string]string{config.FileName: text})
		cfg, found := load(t, config.Options{Dir: dir}, nil)
		if cfg.GraphsOfAgents != want || cfg.GraphsDir != dir+"/g" || (text == "graphs: {agents: some, dir: g}") != found.HasErrors() {
			t.Errorf("%s: %d in %s, %v", text, cfg.GraphsOfAgents, cfg.GraphsDir, found)
		}
	}
}

// What patterns say of a server by its name in its file holds for its name here, and two names
// that are spelt alike here stay apart.
func TestPatternsOfNamesThatCannotBeUsed(t *testing.T) {
	dir := folder(t, map[string]string{
		config.FileName: `calls: {confirm: ["@org/*/send*", "*ask"], deny: "@org/x/wipe"}` + "\n" + `expose: {allow: "@org/x/*", deny: "@*/rm"}`,
		"mcp.json":      `{"mcpServers": {"@org/x": {"command": "x"}, "a/b": {"command": "y"}, "a:b": {"command": "z"}}}`,
	})
	cfg, found := load(t, config.Options{Dir: dir, MCP: []string{"mcp.json"}}, nil)
	if found.HasErrors() || len(cfg.Servers) != 3 {
		t.Fatal(found, cfg.Servers)
	}
	for _, s := range cfg.Servers {
		if s.Called == "a/b" && s.Name == "a-b" || s.Called == "@org/x" && s.Name != "org-x" {
			t.Errorf("%q is named %q", s.Called, s.Name)
		}
	}
	for tool, want := range map[string]config.Policy{"read": config.PolicyByHint, "send_it": config.PolicyConfirm, "to_ask": config.PolicyConfirm, "wipe": config.PolicyDeny} {
		if got := cfg.Calls.Of("org-x", tool); got != want {
			t.Errorf("%s: %d, want %d", tool, got, want)
		}
	}
	if by := cfg.Denied("org-x", "rm"); by != "expose.deny" || !cfg.Expose.Allows("org-x/read") {
		t.Errorf("rm is denied by %q; of %q", by, cfg.Expose.Allow)
	}
}
