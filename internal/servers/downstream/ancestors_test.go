package downstream

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestOwnServerOverHTTP: a Patchbay is not reached by itself, and by others not deeper than
// two; another program is told who is above it.
func TestOwnServerOverHTTP(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "echoes", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	})
	server := httptest.NewServer(Guard("me", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)))
	defer server.Close()
	for _, test := range []struct {
		above Ancestors
		says  string
	}{
		{Ancestors{"you"}, ""},
		{Ancestors{"you", "they"}, ""},
		{Ancestors{"you"}.With("me"), "this Patchbay has been made its own server"},
		{Ancestors{"a", "b", "c"}, "at most 2 may be above it, and there are 3"},
	} {
		h := startHub(t, &Options{Ancestors: test.above}, Server{Name: "fake", URL: server.URL, Transport: "http"})
		_, fault := call(t, h, `{}`)
		if test.says == "" && fault != nil || test.says != "" && (fault == nil || !strings.Contains(fault.Message, test.says)) {
			t.Errorf("%v: %v", test.above, fault)
		}
		h.Close()
	}
}
