package mcpserver

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// operatorCommands are the commands that replies may name: what they do is for a person
// or for the operator only, so there is no tool for it.
var operatorCommands = []string{
	"patchbay mcp info",    // what has changed in a tool
	"patchbay mcp approve", // an agent must not accept that
	"patchbay graphs approve",
	"patchbay runs answer", // an agent must not answer for a person
	"patchbay runs list",   // which runs there are
	"patchbay runs adopt",  // which runs belong together
	"patchbay runs prune",  // what may be deleted
	"patchbay serve",
}

// commandNamed finds what may be the words of a command.
var commandNamed = regexp.MustCompile(`\bpatchbay [a-z]+( [a-z-]+)?`)

// namedCommands are the commands that a text names and that a client of MCP cannot use.
func namedCommands(text string) (named []string) {
	for _, words := range commandNamed.FindAllString(text, -1) {
		allowed := slices.ContainsFunc(operatorCommands, func(c string) bool { return strings.HasPrefix(words+" ", c+" ") })
		if !allowed && slices.ContainsFunc(app.Operations(), func(o app.Operation) bool {
			return o.Command != "" && strings.HasPrefix(words+" ", "patchbay "+o.Command+" ")
		}) {
			named = append(named, words)
		}
	}
	return named
}

// What agents are told names tools, not commands that they cannot run: the tools, the
// guide, the messages of the checker, and whole sessions. Replies are checked wherever a
// test receives one.
func TestAgentsAreToldOfTools(t *testing.T) {
	files := []string{"../docs/reference/guide.md", "../docs/reference/idioms.md", "../docs/sessions.md"}
	for _, pattern := range []string{"../testdata/tools/*.json", "../testdata/err/*.out"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if named := namedCommands(string(text)); len(named) > 0 {
			t.Errorf("%s names %s", file, strings.Join(named, ", "))
		}
	}
	if got := namedCommands("patchbay runs show x; patchbay runs answer x; patchbay search, or patchbay in a folder"); !slices.Equal(got, []string{"patchbay runs show", "patchbay search"}) {
		t.Errorf("the check finds %q", got)
	}
}
