package downstream

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/internal/tests/spectest"
	"github.com/patchbay-mcp/patchbay/run"
)

// npmServers are the official servers, or the test is skipped.
func npmServers(t *testing.T, dir string) []Server {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	modules, err := filepath.Abs("../../../testdata/npm/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(modules); err != nil {
		t.Skip("the npm servers are not installed: run npm ci in testdata/npm")
	}
	server := func(name string, args ...string) Server {
		script := filepath.Join(modules, "@modelcontextprotocol", "server-"+name, "dist", "index.js")
		return Server{Name: name, Command: "node", Args: append([]string{script}, args...)}
	}
	memory := server("memory")
	memory.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.jsonl")}
	return []Server{server("filesystem", dir), server("everything"), memory}
}

func TestNPMServers(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	servers := npmServers(t, dir)
	h := startHub(t, nil, servers...)
	for _, c := range []struct{ server, tool, args, structured, text string }{
		{"filesystem", "list_directory", `{"path":"` + dir + `"}`, `{"content":"[FILE] a.txt"}`, "[FILE] a.txt"},
		{"filesystem", "read_text_file", `{"path":"a.txt"}`, `{"content":"hello"}`, "hello"},
		{"everything", "echo", `{"message":"9007199254740993"}`, "", "Echo: 9007199254740993"},
		{"everything", "get-structured-content", `{"location":"New York"}`, `{"temperature":33,"conditions":"Cloudy","humidity":82}`, "temperature"},
		{"memory", "create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["counts"]}]}`, `{"entities":[{"name":"Ada","entityType":"person","observations":["counts"]}]}`, "Ada"},
		{"memory", "read_graph", `{}`, `{"entities":[{"name":"Ada","entityType":"person","observations":["counts"]}],"relations":[]}`, "Ada"},
	} {
		awaitReady(t, h, c.server)
		res, err := h.CallTool(t.Context(), run.Call{Server: c.server, Tool: c.tool, Args: json.RawMessage(c.args)})
		if err != nil {
			t.Errorf("%s/%s: %v", c.server, c.tool, err)
			continue
		}
		if res.IsError || string(res.Structured) != c.structured || len(res.Content) == 0 || !strings.Contains(string(res.Content[0]), c.text) {
			t.Errorf("%s/%s: error %t, structured %s, content %s", c.server, c.tool, res.IsError, res.Structured, res.Content)
		}
	}
	for _, s := range h.Status() {
		if s.State != "ready" || s.Tools < 5 || len(s.Notes) > 0 {
			t.Errorf("status is %+v", s)
		}
		for _, tool := range h.Tools(s.Name) {
			spec := tooldef.Spec(tool).Whole()
			spectest.Example(t, spec)
			if spec.Examples[0].Arguments == nil {
				t.Errorf("%s: no arguments could be made for %s", spec.ID(), tool.InputSchema)
				continue
			}
			spectest.Arguments(t, tool.Name, tool.InputSchema, spec.Examples[0].Arguments)
		}
	}
	h.Close()
}

// The official server asks during the call, and gets the answer.
func TestNPMServerAsks(t *testing.T) {
	h := startHub(t, nil, npmServers(t, t.TempDir())[1])
	awaitReady(t, h, "everything")
	asked := ""
	ask := asker(func(_ context.Context, q run.Question) (*run.Answer, error) {
		asked = q.Message
		return &run.Answer{Action: "accept", Content: json.RawMessage(`{"name":"Ada Lovelace"}`)}, nil
	})
	res, err := h.CallTool(t.Context(), run.Call{Server: "everything", Tool: "trigger-elicitation-request", Ask: &ask})
	if err != nil || res.IsError {
		t.Fatalf("%+v, %v", res, err)
	}
	if text := string(res.Raw); !strings.Contains(text, "Ada Lovelace") || !strings.HasPrefix(asked, "The server everything asks, for a call of its tool trigger-elicitation-request: ") {
		t.Errorf("%q was asked: %s", asked, text)
	}
}

// awaitReady returns when a server has started.
func awaitReady(t *testing.T, h *Hub, server string) {
	t.Helper()
	for f := h.Ready(t.Context(), server); f != nil; f = h.Ready(t.Context(), server) {
		if f.Code != "server-starting" {
			t.Fatal(f)
		}
		t.Logf("%s is still starting", server)
	}
}
