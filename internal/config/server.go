package config

import (
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"
	"sync"
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
	AnyHTTP        Transport = "url"   // streamable HTTP, or SSE if the server does not speak that
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
	Start       string            // eager or lazy; "" is lazy in what serves
	Idle        time.Duration     // stdio: after which the process is ended until the next call; 0 is never

	Trust    string      // how changes of its tools are taken: strict, pin or auto; "" is pin
	Trusted  bool        // the operator trusts its tools' annotations
	Disabled bool        // listed, never started
	From     string      // the file that defines it
	Called   string      // its name there, if that cannot be used here
	Problem  *diag.Fault // why it cannot be started, or nil
}

// patterns are those of SERVER/TOOL, which describe the server by its name in its file, with its
// name here.
func (s Server) patterns(list []string) (here []string) {
	for _, p := range list {
		for i := range len(p) + 1 {
			if s.Called == "" || !Match(p[:i], s.Called+"/") {
				continue
			}
			here = append(here, s.Name+"/"+p[i:])
			if i > 0 && p[i-1] == '*' { // it may describe a part of the tool's name too
				here = append(here, s.Name+"/*"+p[i:])
			}
		}
	}
	return here
}

// String is the name.
func (s Server) String() string { return s.Name }

// GoString is the name, for %#v.
func (s Server) GoString() string { return s.Name }

// MarshalJSON encodes the name.
func (s Server) MarshalJSON() ([]byte, error) { return json.Marshal(s.Name) }

// LogValue is the name, for slog.
func (s Server) LogValue() slog.Value { return slog.StringValue(s.Name) }

const maxServerName = 64

// isServerName reports whether the name begins with a letter or a number, followed by
// letters, numbers and _.@- and with single spaces between them.
func isServerName(name string) bool { return serverName().MatchString(name) }

var serverName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}\p{N}](?: ?[\p{L}\p{N}_.@-])*$`) })

// LegalName returns the nearest legal spelling of a server's name.
func LegalName(name string) string {
	legal := strings.Map(func(c rune) rune {
		if isServerName(string(c)) || strings.ContainsRune("_.-", c) {
			return c
		}
		return '-'
	}, name)
	if legal = strings.Trim(legal, "-_. "); legal == "" {
		return "server"
	}
	runes := []rune(legal)
	return strings.Trim(string(runes[:min(len(runes), maxServerName)]), "-_. ")
}
