package config

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graphql"
	"github.com/patchbay-mcp/patchbay/openapi"
)

// A Transport is how a downstream server is reached.
type Transport string

// The transports.
const (
	Stdio          Transport = "stdio" // a child process
	StreamableHTTP Transport = "http"  // streamable HTTP
	SSE            Transport = "sse"   // HTTP with server-sent events, before 2025-03-26

	GraphQL Transport = "graphql" // an API, whose operations are the tools of a server in this process
	OpenAPI Transport = "openapi" // likewise
)

// A Server is one downstream MCP server. Its fields hold secrets in the clear, for
// whoever starts it; printed, logged or encoded as JSON it is only its name.
type Server struct {
	Name      string
	Transport Transport

	Command string            // stdio: a bare name to look up, or an absolute path
	Args    []string          // stdio
	Env     map[string]string // stdio: what the entry declares in addition to the inherited variables
	Cwd     string            // stdio: absolute

	Confine Confinement // stdio

	URL     string            // http, sse
	Headers map[string]string // http, sse
	Auth    Auth              // http, sse

	GraphQL     []graphql.Options // graphql: the APIs whose tools it has
	OpenAPI     []openapi.Options // openapi: likewise
	Tools       Names             // those that can be used
	Tags        []string          // words by which a search finds its tools
	Aliases     []string          // other names of the server, likewise
	Order       int               // of its entry among all that were read
	CallTimeout time.Duration     // of one call; 0 is the limit of all servers
	MaxCalls    int               // at the same time; 0 is the limit of all servers

	Trust    string      // how changes of its tools are taken: strict, pin or auto; "" is pin
	Trusted  bool        // the operator trusts its tools' annotations
	Disabled bool        // listed, never started
	From     string      // the file that defines it
	Problem  *diag.Fault // why it cannot be started, or nil
}

// String is the name.
func (s Server) String() string { return s.Name }

// GoString is the name, for %#v.
func (s Server) GoString() string { return s.Name }

// MarshalJSON encodes the name.
func (s Server) MarshalJSON() ([]byte, error) { return json.Marshal(s.Name) }

// LogValue is the name, for slog.
func (s Server) LogValue() slog.Value { return slog.StringValue(s.Name) }
