package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A Transport is how a downstream server is reached.
type Transport string

// The transports.
const (
	Stdio          Transport = "stdio" // a child process
	StreamableHTTP Transport = "http"  // streamable HTTP
	SSE            Transport = "sse"   // HTTP with server-sent events, before 2025-03-26
)

// A Server is one downstream MCP server. Its fields hold secrets in the clear,
// for whoever starts it; printing it in any way, or encoding it, shows only
// [Server.Shown].
type Server struct {
	Name      string
	Transport Transport

	Command string            // stdio: a bare name to look up, or an absolute path
	Args    []string          // stdio
	Env     map[string]string // stdio: what the entry declares beside the allowlisted
	Cwd     string            // stdio: absolute

	URL     string            // http, sse
	Headers map[string]string // http, sse

	Trusted  bool        // the operator trusts its tools' annotations
	Disabled bool        // listed, never started
	From     string      // the file that defines it
	Problem  *diag.Fault // why it cannot be started, or nil

	shown Shown
}

// Shown is what may be seen of a [Server]: its entry as it was written, with
// ${VAR} unexpanded, without any value of env or headers.
type Shown struct {
	Name      string    `json:"name"`
	Transport Transport `json:"transport,omitempty"`
	Command   string    `json:"command,omitempty"`
	Args      []string  `json:"args,omitempty"`
	Env       []string  `json:"env,omitempty"` // names, sorted
	Cwd       string    `json:"cwd,omitempty"`
	URL       string    `json:"url,omitempty"`
	Headers   []string  `json:"headers,omitempty"` // names, sorted
	Trusted   bool      `json:"trusted,omitempty"`
	Disabled  bool      `json:"disabled,omitempty"`
	From      string    `json:"from,omitempty"`
	Problem   string    `json:"problem,omitempty"`
}

// Shown returns what may be seen of s.
func (s Server) Shown() Shown {
	v := s.shown
	v.Name, v.Transport, v.Trusted, v.Disabled, v.From = s.Name, s.Transport, s.Trusted, s.Disabled, s.From
	v.Env, v.Headers = names(s.Env), names(s.Headers)
	if s.Problem != nil {
		v.Problem = s.Problem.Message
	}
	return v
}

// String is one line: the name and the command or URL as written.
func (s Server) String() string {
	v := s.Shown()
	if v.URL != "" {
		return fmt.Sprintf("%s: %s %s", v.Name, v.Transport, v.URL)
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s", v.Name, v.Command, strings.Join(v.Args, " ")))
}

// GoString is String, so that %#v shows no secret either.
func (s Server) GoString() string { return s.String() }

// MarshalJSON encodes [Server.Shown].
func (s Server) MarshalJSON() ([]byte, error) { return json.Marshal(s.Shown()) }

// LogValue is String, for slog.
func (s Server) LogValue() slog.Value { return slog.StringValue(s.String()) }

func names(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
