package mcpserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxBody is how many bytes the body of a request over HTTP may have.
const MaxBody = 16 << 20

const (
	sessionTimeout = time.Hour
	// statelessFrom is the protocol version since which HTTP has no sessions.
	statelessFrom = "2026-07-28"
)

// Handler serves an MCP server as streamable HTTP at /mcp, to both eras of the
// protocol: with sessions before 2026-07-28, without since. o says who is let in.
func Handler(s *mcp.Server, o HTTPOptions) http.Handler {
	get := func(*http.Request) *mcp.Server { return s }
	options := mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout, MaxRequestBodyBytes: MaxBody, PropagateRequestCancellation: true, Logger: o.Logger, DisableLocalhostProtection: true} // o guards it
	sessions := mcp.NewStreamableHTTPHandler(get, &options)
	options.Stateless = true
	stateless := mcp.NewStreamableHTTPHandler(get, &options)
	door := newDoorway(s, cmp.Or(o.MaxSessions, DefaultMaxSessions), &o)
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("Mcp-Session-Id")
		switch {
		case isStateless(r):
			if namesTask(w, r) {
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
			if id := Identity(r.Context()); id != nil {
				who = id.Principal
			}
			if refusal := door.enter(who); refusal != "" {
				w.Header().Set("Retry-After", retryAfter)
				http.Error(w, refusal, http.StatusServiceUnavailable)
				return
			}
			defer func() { door.leave(who, w.Header().Get("Mcp-Session-Id")) }()
		}
		sessions.ServeHTTP(w, r)
	})
	return o.guard(mux, anyScope)
}

// isStateless tells the era of a request: by the protocol header, or where there
// is not one by the _meta that requests of the later era carry.
func isStateless(r *http.Request) bool {
	if v := r.Header.Get("Mcp-Protocol-Version"); v != "" {
		return v >= statelessFrom
	}
	if !opens(r) {
		return false
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var msg struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	if err != nil || json.Unmarshal(body, &msg) != nil {
		return false
	}
	_, ok := msg.Params.Meta["io.modelcontextprotocol/protocolVersion"]
	return ok
}
