package downstream

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// loaded is a server of this process with one tool.
func loaded(tool string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "loaded"}, nil)
	s.AddTool(&mcp.Tool{Name: tool, InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
	})
	return s
}

// A server that cannot be loaded says why, and others are not affected.
func TestLoad(t *testing.T) {
	broken := diag.Faultf("server-failed", "the schema is at fault")
	broken.Hint = "mend it"
	h := New([]Server{
		{Name: "good", Load: func(context.Context) (*mcp.Server, []string, error) {
			return loaded("do"), []string{"x is left out"}, nil
		}},
		{Name: "bad", Load: func(context.Context) (*mcp.Server, []string, error) { return nil, nil, broken }},
	}, nil)
	defer h.Close()
	h.Start(t.Context())
	if res, err := h.CallTool(t.Context(), run.Call{Server: "good", Tool: "do"}); err != nil || res.IsError {
		t.Errorf("%+v, %v", res, err)
	}
	if fault := h.Ready(t.Context(), "bad"); fault == nil || !strings.Contains(fault.Message, `server "bad" cannot be started: the schema is at fault`) || !strings.HasPrefix(fault.Hint, "mend it") {
		t.Errorf("%+v", fault)
	}
	for _, s := range h.Status() {
		switch s.Name {
		case "good":
			if s.State != "ready" || !slices.Equal(s.Notes, []string{"x is left out"}) {
				t.Errorf("%+v", s)
			}
		case "bad":
			if s.State != "failed" || s.Hint != "mend it" {
				t.Errorf("%+v", s)
			}
		}
	}
}

// The cached tools of a server that is loaded are known at once, unless it is made of
// something else.
func TestLoadIsCached(t *testing.T) {
	dir := t.TempDir()
	var fails atomic.Bool
	server := func(source string) Server {
		return Server{Name: "api", Source: source, Load: func(context.Context) (*mcp.Server, []string, error) {
			if fails.Load() {
				return nil, nil, errors.New("it is down")
			}
			return loaded("do"), nil, nil
		}}
	}
	h := New([]Server{server("one")}, &Options{CacheDir: dir})
	h.Start(t.Context())
	if fault := h.Ready(t.Context(), "api"); fault != nil {
		t.Fatal(fault)
	}
	h.Close()
	fails.Store(true)
	for source, want := range map[string]int{"one": 1, "two": 0} {
		h := New([]Server{server(source)}, &Options{CacheDir: dir})
		h.Start(t.Context())
		if got := len(h.Tools("api")); got != want {
			t.Errorf("%s: %d tools", source, got)
		}
		h.Close()
	}
}
