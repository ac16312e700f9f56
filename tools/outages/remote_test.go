//go:build linux || darwin

package outages

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A remote is a server over HTTP, in this process.
type remote struct {
	url     string
	mu      sync.Mutex
	server  *mcp.Server
	handler http.Handler
	hung    chan struct{} // nil, or closed when it answers again
	down    bool          // connections are closed
	version int
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	r := &remote{}
	r.restart()
	s := httptest.NewServer(r)
	t.Cleanup(func() { // its streams last as long as their clients
		s.CloseClientConnections()
		s.Close()
	})
	r.url = s.URL
	return r
}

func (s *remote) name() string  { return "distant" }
func (s *remote) title() string { return "a Go server over HTTP" }
func (s *remote) entry() string { return fmt.Sprintf("{url: %q}", s.url) }

func (s *remote) call(c, n int) (string, map[string]any) {
	return "echo", map[string]any{"text": value(c, n)}
}

// ServeHTTP implements [http.Handler].
func (s *remote) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	handler, hung, down := s.handler, s.hung, s.down
	s.mu.Unlock()
	if down {
		panic(http.ErrAbortHandler)
	}
	if hung != nil {
		select {
		case <-hung:
		case <-r.Context().Done():
			return
		}
	}
	handler.ServeHTTP(w, r)
}

// restart forgets all sessions.
func (s *remote) restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server = mcp.NewServer(&mcp.Implementation{Name: "distant", Version: "1"}, nil)
	s.addEcho()
	s.addExtra()
	server := s.server
	s.handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
}

func (s *remote) addEcho() {
	s.server.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: r.Params.Arguments, Content: []mcp.Content{}}, nil
		})
}

func (s *remote) addExtra() {
	s.server.AddTool(&mcp.Tool{Name: "extra", Description: fmt.Sprintf("version %d", s.version), InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
}

func (s *remote) deeds() ([]string, map[string]deed) {
	set := func(f func()) {
		s.mu.Lock()
		defer s.mu.Unlock()
		f()
	}
	all := map[string]deed{
		"down": func(*rand.Rand) func() {
			set(func() { s.down = true })
			return func() { set(func() { s.down = false }) }
		},
		"hung": func(*rand.Rand) func() {
			hung := make(chan struct{})
			set(func() { s.hung = hung })
			return func() {
				set(func() { s.hung = nil })
				close(hung)
			}
		},
		"restarted": func(*rand.Rand) func() {
			s.restart()
			return nil
		},
		"flooded": func(*rand.Rand) func() {
			s.mu.Lock()
			server := s.server
			s.mu.Unlock()
			for session := range server.Sessions() {
				for i := range 500 {
					if session.NotifyProgress(context.Background(), &mcp.ProgressNotificationParams{ProgressToken: i, Progress: 1}) != nil {
						break
					}
				}
			}
			return nil
		},
		"changed": func(*rand.Rand) func() {
			set(func() { s.version++; s.addExtra() })
			return nil
		},
		"emptied": func(*rand.Rand) func() {
			set(func() { s.server.RemoveTools("echo") })
			return func() { set(s.addEcho) }
		},
	}
	return slices.Sorted(maps.Keys(all)), all
}
