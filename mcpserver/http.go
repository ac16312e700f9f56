package mcpserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
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
// protocol: with sessions before 2026-07-28, without since. Requests of another
// origin are refused unless it is among those allowed.
func Handler(s *mcp.Server, o HTTPOptions) http.Handler {
	get := func(*http.Request) *mcp.Server { return s }
	options := mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout, MaxRequestBodyBytes: MaxBody, PropagateRequestCancellation: true, Logger: o.Logger}
	sessions := mcp.NewStreamableHTTPHandler(get, &options)
	options.Stateless = true
	stateless := mcp.NewStreamableHTTPHandler(get, &options)
	door := &doorway{server: s, most: cmp.Or(o.MaxSessions, DefaultMaxSessions)}
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case isStateless(r):
			stateless.ServeHTTP(w, r)
			return
		case r.Method == http.MethodDelete: // the reply waits for the calls of the session
			o.Sessions.end(r.Header.Get("Mcp-Session-Id"))
		case opens(r):
			if !door.enter() {
				w.Header().Set("Retry-After", retryAfter)
				http.Error(w, "there are too many sessions: end some, or try again later", http.StatusServiceUnavailable)
				return
			}
			defer door.leave()
		}
		sessions.ServeHTTP(w, r)
	})
	return guarded(mux, o)
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

// refused answers requests that a page of another origin makes a browser send,
// whatever their method. A page whose name was pointed at this machine has its
// own name for host, and its GET requests have no Origin: the Host must be a
// loopback address, as the one that [Listen] opens is.
func refused(w http.ResponseWriter, r *http.Request, allowed []string) bool {
	if !isLoopback(r.Host) {
		http.Error(w, fmt.Sprintf("the Host %q of the request is not this machine: use localhost or 127.0.0.1", r.Host), http.StatusForbidden)
		return true
	}
	if origin := r.Header.Get("Origin"); origin != "" && !sameHost(origin, r.Host) && !slices.Contains(allowed, origin) {
		http.Error(w, "the Origin of the request is not this server's", http.StatusForbidden)
		return true
	}
	return false
}

// isLoopback reports whether a Host header names this machine, with any port.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

func sameHost(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && u.Host == host
}

// Listen opens a listener on a loopback address: "8080", ":8080" and
// "localhost:8080" all mean loopback. Any other interface is refused.
func Listen(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		host, port = "", addr
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	ip := net.ParseIP(host)
	if ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("%s is not a loopback address: Patchbay serves this machine only; use 127.0.0.1:%s", addr, port)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port)) //nolint:noctx // lives as long as the process
	if err != nil {
		if op, ok := errors.AsType[*net.OpError](err); ok {
			return nil, fmt.Errorf("cannot listen on %s: %w", addr, op.Err)
		}
		return nil, err
	}
	return l, nil
}
