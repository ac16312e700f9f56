package downstream

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/internal/servers/workspace"
	"github.com/patchbay-mcp/patchbay/run"
)

// fakeServer is an entry for a fake of one mode.
func fakeServer(mode string, env ...string) Server {
	s := Server{Name: "fake", Command: os.Args[0], Env: map[string]string{"FAKE": mode}}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		s.Env[name] = value
	}
	return s
}

func startHub(t *testing.T, o *Options, servers ...Server) *Hub {
	t.Helper()
	h := New(servers, o)
	h.Start(t.Context())
	t.Cleanup(h.Close)
	return h
}

func call(t *testing.T, h *Hub, args string) (*run.Result, *diag.Fault) {
	t.Helper()
	res, err := h.CallTool(t.Context(), run.Call{Server: "fake", Tool: "echo", Args: json.RawMessage(args)})
	if err == nil {
		return res, nil
	}
	fault, ok := errors.AsType[*diag.Fault](err)
	if !ok {
		t.Fatalf("an error that is not a fault: %v", err)
	}
	return nil, fault
}

func TestCallKeepsBytes(t *testing.T) {
	h := startHub(t, nil, fakeServer("ok"))
	res, fault := call(t, h, `{"z":9007199254740993,"b":1.10}`)
	if fault != nil {
		t.Fatal(fault)
	}
	if want := `{"z":9007199254740993,"a":1.10,"args":{"z":9007199254740993,"b":1.10},"pid":`; !strings.HasPrefix(string(res.Structured), want) {
		t.Errorf("structured content is %s, want it to begin %s", res.Structured, want)
	}
	if len(res.Content) != 2 || string(res.Content[1]) != `{"type":"text","n":9007199254740993,"text":""}` {
		t.Errorf("content is %s", res.Content)
	}
	tools := h.Tools("fake")
	if len(tools) != 1 {
		t.Fatalf("%d tools", len(tools))
	}
	if want := `{"type":"object","properties":{"z":{"type":"integer","default":9007199254740993},"a":{"type":"number","minimum":1.10}},"required":["z"]}`; string(tools[0].InputSchema) != want {
		t.Errorf("schema is %s\nwant      %s", tools[0].InputSchema, want)
	}
	st := h.Status()[0]
	if st.State != "ready" || st.Software != "fake 1" || st.Transport != "stdio" || st.Tools != 1 {
		t.Errorf("status is %+v", st)
	}
}

// A server learns by what text it can tell a repeated call from a new one, and in
// which trace the call belongs.
func TestMetaOfACall(t *testing.T) {
	h := startHub(t, nil, fakeServer("meta"))
	ctx := propagation.TraceContext{}.Extract(t.Context(), propagation.MapCarrier{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
	for _, test := range []struct {
		ctx       context.Context
		key, want string
	}{
		{t.Context(), "", `{"key":"","trace":""}`},
		{t.Context(), "abc", `{"key":"abc","trace":""}`},
		{ctx, "", `{"key":"","trace":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`},
	} {
		res, err := h.CallTool(test.ctx, run.Call{Server: "fake", Tool: "echo", Args: json.RawMessage(`{"z":1}`), Idempotency: test.key})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(res.Structured); got != test.want {
			t.Errorf("the server saw %s, want %s", got, test.want)
		}
	}
}

func TestWorkspaceInProcess(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := workspace.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	var heard int
	h := startHub(t, &Options{OnTools: func(string, []*tooldef.Tool) { heard++ }}, Server{Name: "workspace", InProcess: server, Trusted: true})
	if heard != 1 || h.Status()[0].State != "ready" {
		t.Fatalf("after Start: heard of tools %d times, status %+v", heard, h.Status())
	}
	res, err := h.CallTool(t.Context(), run.Call{Server: "workspace", Tool: "list_directory", Args: json.RawMessage(`{"path":"."}`)})
	if err != nil || string(res.Structured) != `{"content":"[FILE] a.txt"}` {
		t.Fatalf("%s, %v", res.Structured, err)
	}
	if res, err = h.CallTool(t.Context(), run.Call{Server: "workspace", Tool: "list_directory", Args: json.RawMessage(`{"path":".."}`)}); err != nil || !res.IsError {
		t.Errorf("a path outside: %+v, %v", res, err)
	}
	for _, tool := range h.Tools("workspace") {
		if !tool.Annotations.IsReadOnly() {
			t.Errorf("%s is not read-only", tool.Name)
		}
	}
}

func TestUnknownServer(t *testing.T) {
	h := startHub(t, nil)
	if f := h.Ready(t.Context(), "x"); f == nil || f.Code != "unknown-server" || f.Hint != noServerReady {
		t.Errorf("%+v", f)
	}
	h = startHub(t, nil, fakeServer("ok"))
	if f := h.Ready(t.Context(), "fkae"); f == nil || len(f.Suggestions) != 1 || f.Suggestions[0] != "fake" {
		t.Errorf("%+v", f)
	}
	if _, err := h.CallTool(t.Context(), run.Call{Server: "nothing", Tool: "x"}); err == nil || !strings.Contains(err.Error(), `there is no server "nothing"`) {
		t.Errorf("%v", err)
	}
}

// TestCloseEndsServers closes hubs whose servers are at every stage of starting.
func TestCloseEndsServers(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"ok", "silent", "slow", "mute", "onlyjunk", "listless"} {
		n := takeNotes(t)
		h := New([]Server{fakeServer(mode, n.env())}, nil)
		h.Start(t.Context())
		pid := n.started()
		h.Close()
		if !gone(pid) {
			t.Errorf("%s: process %d survives", mode, pid)
		}
	}
}
