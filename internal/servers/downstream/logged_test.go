package downstream

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/run"
)

// hearing is a host that keeps what servers log, and is slow to.
type hearing struct {
	Host
	heard []string
}

func (h *hearing) Logged(_ string, _ Client, p *mcp.LoggingMessageParams) {
	for range 100 {
		_, _ = json.Marshal(p)
	}
	h.heard = append(h.heard, fmt.Sprint(p.Data))
}

// What a server logs during a call is passed on before the call returns: a client hears
// nothing about a call after its reply.
func TestLogsComeBeforeTheReply(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}}})
	const lines = 20
	s.AddTool(&mcp.Tool{Name: "chatty", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range lines {
			if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: i}); err != nil {
				return nil, err
			}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
	})
	levelled := make(chan struct{})
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if method == "logging/setLevel" {
				close(levelled)
			}
			return res, err
		}
	})
	handler := newLegacyServer(t, s)
	h := New([]Server{{Name: "go", URL: handler}}, &Options{Gateway: true})
	defer h.Close()
	host := &hearing{}
	h.SetHost(host)
	h.LogAt("debug")
	h.Start(t.Context(), "go")
	<-levelled
	for range 5 {
		host.heard = nil
		if _, err := h.CallTool(t.Context(), run.Call{Server: "go", Tool: "chatty", Args: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
		if len(host.heard) != lines {
			t.Errorf("%d of %d lines are heard before the reply", len(host.heard), lines)
		}
	}
}

// newLegacyServer serves s over HTTP with sessions, as protocols before 2026-07-28 have
// them, and returns its address.
func newLegacyServer(t *testing.T, s *mcp.Server) string {
	t.Helper()
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(server.Close)
	return server.URL
}
