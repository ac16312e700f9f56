package serverfile_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
)

// Which tools of a server can be used changes in its entry, whose comments stay.
func TestEnableTools(t *testing.T) {
	const plain = "# mine\nservers:\n  fs: # files\n    command: fs\n  git: {command: git}\n"
	const limited = "servers:\n  fs:\n    command: fs # the program\n    tools:\n      allow: [read_*] # enough\n      deny: [write_*, move]\n"
	for _, tt := range []struct {
		name, text, server string
		on                 bool
		patterns           []string
		want               string
	}{
		{"first denial", plain, "fs", false, []string{"write_*", "move"}, "# mine\nservers:\n  fs: # files\n    command: fs\n    tools: {deny: [write_*, move]}\n  git: {command: git}\n"},
		{"in one line", plain, "git", false, []string{"push"}, "# mine\nservers:\n  fs: # files\n    command: fs\n  git: {command: git, tools: {deny: [push]}}\n"},
		{"nothing to enable", plain, "fs", true, []string{"*"}, plain},
		{"said already", limited, "fs", false, []string{"move"}, limited},
		{"enabled", limited, "fs", true, []string{"move"}, "servers:\n  fs:\n    command: fs # the program\n    tools:\n      allow: [read_*, move] # enough\n      deny: [write_*]\n"},
		{"a list", "servers: {fs: {command: fs, tools: [a, b]}}", "fs", false, []string{"b"}, "servers: {fs: {command: fs, tools: {allow: [a, b], deny: [b]}}}"},
	} {
		got, had, err := serverfile.EnableTools(tt.text, tt.server, tt.on, tt.patterns)
		if err != nil || !had {
			t.Errorf("%s: %t, %v", tt.name, had, err)
		} else if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	if _, had, err := serverfile.EnableTools(plain, "none", true, []string{"*"}); had || err != nil {
		t.Errorf("an unknown server: %t, %v", had, err)
	}
}
