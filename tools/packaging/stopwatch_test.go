package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var stopwatch = flag.Bool("stopwatch", false, "go from nothing but Node.js to a saved graph: downloads two servers from npm")

// note is a graph over two servers from npm: it stores a text in a file and in a memory.
const note = `name: note
description: Writes a text into a file and remembers its name
inputSchema: {type: object, properties: {file: {type: string}, text: {type: string}}, required: [file, text]}
outputSchema: {type: object, properties: {found: {type: string}}, required: [found]}
nodes:
  - {id: entry, type: entry, next: write}
  - {id: write, type: mcp, server: files, tool: write_file, args: {path: {expr: $.entry.file}, content: {expr: $.entry.text}}, next: remember}
  - {id: remember, type: mcp, server: memory, tool: create_entities, args: {entities: [{name: {expr: $.entry.file}, entityType: note, observations: [{expr: $.entry.text}]}]}, next: find}
  - {id: find, type: mcp, server: memory, tool: search_nodes, args: {query: {expr: $.entry.file}}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"found": $.find.entities[0].name}'}}
`

const twoServers = `{"mcpServers": {
  "memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"], "env": {"MEMORY_FILE_PATH": "${HOME}/memory.json"}},
  "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]}}}`

// TestFromNothingToASavedGraph measures the three commands of docs/install.md in an empty
// home, with an empty cache of npm: it reports how long each takes, and asserts that the
// graph works.
func TestFromNothingToASavedGraph(t *testing.T) {
	main, platform := built(t, "npm/patchbay-mcp-patchbay-*.tgz"), built(t, "npm/patchbay-mcp-*-*64-*.tgz")
	if !*stopwatch {
		t.Skip("make release-test measures it")
	}
	home := t.TempDir()
	project := filepath.Join(home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, "note.yaml"), []byte(note), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "npm", "config", "get", "userconfig").Output(); err == nil { // the registry of this machine
		if text, err := os.ReadFile(strings.TrimSpace(string(out))); err == nil {
			if err := os.WriteFile(filepath.Join(home, ".npmrc"), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	prefix := filepath.Join(home, "npm")
	do := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = project
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME=", "XDG_STATE_HOME=", "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "PATH="+filepath.Join(prefix, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), "npm_config_prefix="+prefix, "npm_config_cache="+filepath.Join(home, "cache"), "TMPDIR="+home)
		began := time.Now()
		out, err := cmd.CombinedOutput()
		t.Logf("%6.1f s  %s %s", time.Since(began).Seconds(), filepath.Base(name), strings.Join(args[:min(2, len(args))], " "))
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	program := filepath.Join(prefix, "bin", "patchbay")
	began := time.Now()
	do("npm", "install", "--global", "--omit=optional", "--no-audit", "--no-fund", platform, main)
	do(program, "mcp", "add", twoServers)
	do(program, "graphs", "save", "note.yaml")
	t.Logf("%6.1f s  from nothing but Node.js to a saved graph", time.Since(began).Seconds())
	if out := do(program, "run", "note", "file=a.txt", "text=hello"); !strings.Contains(out, `{"found":"a.txt"}`) {
		t.Errorf("the saved graph returns %s", out)
	}
}
