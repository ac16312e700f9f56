package protocol

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// How a client reaches Patchbay: it starts it, or by HTTP.
var transports = []string{"stdio", "http"}

// startable is Patchbay as a client starts it: this binary, with what makes it the command
// in the environment of the test.
func startable(t *testing.T) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "patchbay.yaml")
	if err := os.WriteFile(file, []byte("graphs: graphs\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(asCommand, "1")
	t.Setenv(config.TrustVariable, "all")
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, dir)
	}
	return []string{self, "serve", "--config", file}
}

// installed is the path of something that npm has installed, or the test is skipped.
func installed(t *testing.T, path string) string {
	t.Helper()
	whole, err := filepath.Abs(filepath.Join(npm, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(whole); err != nil {
		t.Skip("it is not installed: make npm")
	}
	return whole
}

func runNode(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), node(t), args...)
	cmd.Stderr = testLog{t}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// TestTypeScriptClient: the official client, which validates structured content, finds,
// checks, runs and saves a graph, calls the new tool, sees progress and cancels.
func TestTypeScriptClient(t *testing.T) {
	installed(t, "@modelcontextprotocol/sdk/package.json")
	script, err := filepath.Abs(filepath.Join(npm, "..", "session.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			args := []string{script}
			if transport == "http" {
				args = append(args, "--url", serve(t, "graphs: graphs\n"))
			} else {
				args = append(args, startable(t)...)
			}
			var seen map[string]any
			if err := json.Unmarshal(runNode(t, args...), &seen); err != nil {
				t.Fatal(err)
			}
			want := map[string]any{
				"server": "patchbay", "tools": true, "validated": true, "found": true, "valid": true, "saved": "double", "progress": true, "cancelled": true,
				"ran": map[string]any{"n": 42.0}, "called": map[string]any{"n": 8.0}, "works": map[string]any{"n": 2.0},
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// inspector is the program of the Inspector's command line. Its package expects to be a
// folder of the whole Inspector, whose pages are large and not needed.
func inspector(t *testing.T) string {
	t.Helper()
	build := installed(t, "@modelcontextprotocol/inspector-cli/build")
	dir := t.TempDir()
	err := os.CopyFS(filepath.Join(dir, "cli", "build"), os.DirFS(build))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name": "inspector", "version": "1.0.3", "type": "module"}`), 0o600)
	}
	if err == nil {
		err = os.Symlink(filepath.Dir(filepath.Dir(filepath.Dir(build))), filepath.Join(dir, "node_modules"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "cli", "build", "index.js")
}

// TestInspector: the command line of the MCP Inspector lists tools, and saves and calls one.
func TestInspector(t *testing.T) {
	cli := inspector(t)
	const graph = `{"name":"same","description":"Returns n","inputSchema":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]},` +
		`"outputSchema":{"type":"object"},"nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit"}]}`
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			var target []string
			if transport == "http" {
				target = []string{serve(t, "graphs: graphs\n"), "--transport", "http"}
			} else {
				target = startable(t)
			}
			inspect := func(method string, args ...string) map[string]any {
				t.Helper()
				words := append([]string{cli}, target...)
				if transport == "stdio" {
					words = append([]string{cli}, target...)
				}
				var out map[string]any
				if err := json.Unmarshal(runNode(t, append(append(words, "--method", method), args...)...), &out); err != nil {
					t.Fatal(err)
				}
				return out
			}
			if tools, _ := inspect("tools/list")["tools"].([]any); len(tools) < 10 {
				t.Errorf("%d tools", len(tools))
			}
			for _, call := range [][2]string{
				{"search_nodes", "query=transform data"},
				{"validate_graph", "graph=" + graph},
				{"run_graph", "graph=" + graph},
				{"save_graph", "graph=" + graph},
				{"same", "n=3"},
			} {
				args := []string{"--tool-name", call[0], "--tool-arg", call[1]}
				if call[0] == "run_graph" {
					args = append(args, "--tool-arg", `arguments={"n":3}`)
				}
				r := inspect("tools/call", args...)
				if r["isError"] == true || r["structuredContent"] == nil {
					t.Errorf("%s: %v", call[0], r)
				}
			}
		})
	}
}
