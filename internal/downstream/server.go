package downstream

import (
	"cmp"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A Server says how to reach one MCP server.
type Server struct {
	Name string

	Command string // for stdio
	Args    []string
	Env     map[string]string // variables of the child, in addition to the inherited ones
	Cwd     string
	Confine Confinement

	URL     string // for HTTP
	Headers map[string]string
	Auth    Auth

	InProcess *mcp.Server // for in-process
	Source    string      // what the server in this process is made of: another text means another server
	Load      Load        // for in-process, in place of InProcess
	Generated bool        // the schemas of its tools are made by this program, and valid

	// Transport is stdio, streamableHttp (http is the same), sse or in-process;
	// empty means what the other fields say, where a URL is tried as
	// streamableHttp and then as sse.
	Transport string

	Problem *diag.Fault // why its entry cannot be used; it is listed as failed

	Trust        string        // how changes of its tools are taken: [TrustStrict], [TrustAuto], else [TrustPin]
	Trusted      bool          // the operator trusts the annotations of its tools
	CallTimeout  time.Duration // of one call; 0 is [DefaultCallTimeout]
	MaxCalls     int           // at the same time; 0 is [DefaultMaxCalls]
	StartTimeout time.Duration // of starting or connecting, and of listing the tools; 0 is 60 s
}

// complete returns the server with its defaults.
func (s Server) complete() Server {
	s.CallTimeout = cmp.Or(s.CallTimeout, DefaultCallTimeout)
	s.MaxCalls = cmp.Or(s.MaxCalls, DefaultMaxCalls)
	s.StartTimeout = cmp.Or(s.StartTimeout, time.Minute)
	s.Transport = transportOf(&s)
	return s
}

// transportOf names the transport in one spelling; "" for a URL of either kind.
func transportOf(s *Server) string {
	switch {
	case s.InProcess != nil, s.Load != nil:
		return "in-process"
	case s.Transport == "http", s.Transport == "streamable-http":
		return "streamableHttp"
	case s.Transport != "":
		return s.Transport
	case s.URL != "":
		return ""
	}
	return "stdio"
}
