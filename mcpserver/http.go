package mcpserver

import (
	"cmp"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/servers/messages"
)

const (
	sessionTimeout = time.Hour
	// statelessFrom is the protocol version since which HTTP has no sessions.
	statelessFrom = "2026-07-28"
)

// DefaultMaxSessions is how many sessions may be open unless [HTTPOptions] say otherwise.
const DefaultMaxSessions = 1000

// HTTPOptions say how an MCP server is served over HTTP.
type HTTPOptions struct {
	httpd.Options
	Sessions    *Sessions // those of the server's options; they may be nil
	MaxSessions int       // that are open at the same time, at most half of them of one token's principal; 0 means DefaultMaxSessions

	now func() time.Time // the clock of sessions; nil is the system's
}

// Handler serves an MCP server as streamable HTTP at /mcp, to both eras of the
// protocol: with sessions before 2026-07-28, without since. o says who is let in.
func Handler(s *mcp.Server, o HTTPOptions) http.Handler {
	get := func(*http.Request) *mcp.Server { return s }
	options := mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout, MaxRequestBodyBytes: httpd.MaxBody, PropagateRequestCancellation: true, Logger: o.Logger, DisableLocalhostProtection: true} // o guards it
	sessions := mcp.NewStreamableHTTPHandler(get, &options)
	options.Stateless = true
	stateless := mcp.NewStreamableHTTPHandler(get, &options)
	door := newSessionLimiter(s, cmp.Or(o.MaxSessions, DefaultMaxSessions), &o)
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		requests, ok := requestsIn(w, r)
		if !ok || !o.Auth.TakeCalls(w, r, toolCalls(requests)) {
			return
		}
		id := r.Header.Get("Mcp-Session-Id")
		switch {
		case isStateless(r, requests):
			if namesTask(w, r, requests) {
				stateless.ServeHTTP(w, r)
			}
			return
		case id != "":
			done, ok := door.use(id)
			if !ok {
				http.Error(w, "this session has ended: open another one", http.StatusNotFound)
				return
			}
			defer done()
			if r.Method == http.MethodDelete { // the reply waits for the calls of the session
				o.Sessions.end(id)
			}
		case opens(r):
			who := ""
			if id := httpd.Identity(r.Context()); id != nil {
				who = id.Principal
			}
			if refusal := door.enter(who); refusal != "" {
				httpd.Unavailable(w, refusal)
				return
			}
			defer func() { door.leave(who, w.Header().Get("Mcp-Session-Id")) }()
		}
		sessions.ServeHTTP(w, r)
	})
	return o.Guard(mux, httpd.AnyScope)
}

// opens reports whether a request of the era of sessions opens one.
func opens(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == ""
}

// isStateless tells the era of a request: by the protocol header, or where there
// is not one by the _meta that requests of the later era carry.
func isStateless(r *http.Request, list []*jsonrpc.Request) bool {
	if v := r.Header.Get("Mcp-Protocol-Version"); v != "" {
		return v >= statelessFrom
	}
	if !opens(r) {
		return false
	}
	meta, _ := messages.Members(param(list, "_meta"))
	return meta["io.modelcontextprotocol/protocolVersion"] != nil
}
