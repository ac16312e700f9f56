package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

// newFolder makes an empty folder the working directory and another the home directory.
func newFolder(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	t.Chdir(t.TempDir())
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA"} {
		t.Setenv(name, home)
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	return home
}

func runInit(t *testing.T, terminal bool, typed string, args ...string) (code int, out, log string) {
	t.Helper()
	var stdout, stderr strings.Builder
	f := &command.Flags{AtTerminal: func() bool { return terminal }}
	code = runWith(t.Context(), f, append([]string{"init"}, args...), strings.NewReader(typed), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestInitConnectsClients(t *testing.T) {
	home := newFolder(t)
	mine := "{\n  // mine\n  \"context_servers\": {\"git\": {\"command\": \"uvx\"}}\n}\n"
	zed := filepath.Join(home, ".config", "zed", "settings.json")
	write(t, zed, mine)
	if code, out, log := runInit(t, false, "", "--client", "claude-code,zed"); code != command.ExitOK || !strings.Contains(out, "created patchbay.yaml") || !strings.Contains(out, ".mcp.json: restart claude-code") {
		t.Fatalf("exit %d\n%s%s", code, out, log)
	}
	var project struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(text(t, ".mcp.json")), &project); err != nil || project.Servers["patchbay"].Command != "patchbay" {
		t.Errorf("%v %+v", err, project)
	}
	if got := text(t, zed); !strings.Contains(got, "// mine") || !strings.Contains(got, `"uvx"`) || !strings.Contains(got, "patchbay.yaml") {
		t.Error(got)
	}
	if code, out, _ := runInit(t, false, "", "--client", "zed"); code != command.ExitOK || !strings.Contains(out, "is unchanged: it has the entry already") {
		t.Errorf("a second time: exit %d\n%s", code, out)
	}
	if code, out, _ := runInit(t, false, "", "--client", "zed", "--remove"); code != command.ExitOK || !strings.Contains(out, "removed patchbay") || text(t, zed) != mine {
		t.Errorf("exit %d\n%s\n%s", code, out, text(t, zed))
	}
}

func TestInitPrintsAndRefuses(t *testing.T) {
	newFolder(t)
	if code, out, _ := runInit(t, false, "", "--client", "codex", "--print"); code != command.ExitOK || !strings.Contains(out, "[mcp_servers.patchbay]") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if _, err := os.Stat("patchbay.yaml"); err == nil {
		t.Error("--print wrote patchbay.yaml")
	}
	if code, _, log := runInit(t, false, "", "sub", "--client", "zed,Claude"); code != command.ExitUsage || !strings.Contains(log, "did you mean: claude-code") {
		t.Errorf("a client that is nearly known: exit %d, %q", code, log)
	}
	if _, err := os.Stat("sub"); err == nil {
		t.Error("a name that no client has left a folder behind")
	}
	if code, _, log := runInit(t, false, "", "--client", "emacs"); code != command.ExitUsage || !strings.Contains(log, "claude-code") {
		t.Errorf("exit %d\n%s", code, log)
	}
	if code, _, log := runInit(t, false, "", "--print"); code != command.ExitUsage || !strings.Contains(log, "claude-code") {
		t.Errorf("exit %d\n%s", code, log)
	}
	other := `{"servers": {"patchbay": {"command": "other"}}}`
	write(t, filepath.Join(".vscode", "mcp.json"), other)
	if code, _, log := runInit(t, false, "", "--client", "vscode"); code != command.ExitUsage || !strings.Contains(log, "--force") || text(t, filepath.Join(".vscode", "mcp.json")) != other {
		t.Errorf("exit %d\n%s", code, log)
	}
}

// At a terminal the servers of other clients are offered, and the clients that can start
// Patchbay.
func TestInitAsks(t *testing.T) {
	newFolder(t)
	write(t, filepath.Join(".cursor", "mcp.json"), `{"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}}}`)
	code, out, log := runInit(t, true, "y\ncursor, gemini\n")
	if code != command.ExitOK || !strings.Contains(log, "Add the servers that cursor has (git)? [y/N]") || !strings.Contains(out, "restart gemini") {
		t.Fatalf("exit %d\n%s%s", code, out, log)
	}
	if got := text(t, "patchbay.yaml"); !strings.Contains(got, "mcp-server-git") {
		t.Error(got)
	}
	if got := text(t, filepath.Join(".cursor", "mcp.json")); !strings.Contains(got, "mcp-server-git") || !strings.Contains(got, "${workspaceFolder}/patchbay.yaml") {
		t.Error(got)
	}
	if _, _, log := runInit(t, true, "", "--yes"); strings.Contains(log, "?") {
		t.Error(log)
	}
	if code, _, log := runInit(t, true, ""); code != command.ExitOK {
		t.Errorf("the input ends: exit %d\n%s", code, log)
	}
}
