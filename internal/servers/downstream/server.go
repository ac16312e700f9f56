package downstream

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
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

	Called  string      // its name in the operator's file, if it has another one here
	Problem *diag.Fault // why its entry cannot be used; it is listed as failed

	Trust        string        // how changes of its tools are taken: [TrustStrict], [TrustAuto], else [TrustPin]
	Trusted      bool          // the operator trusts the annotations of its tools
	CallTimeout  time.Duration // of one call; 0 is [DefaultCallTimeout]
	TimeSetting  string        // what the operator sets it by, for hints; "" is limits.maxCallTimeMs
	FixedTime    bool          // reports of progress do not renew it
	MaxCalls     int           // at the same time; 0 is [DefaultMaxCalls]
	Start        string        // [StartEager] or [StartLazy]; "" is as the hub says
	Idle         time.Duration // after which its process is ended, until a call needs it; 0 is never
	StartTimeout time.Duration // of starting or connecting, and of listing the tools; 0 is 60 s
}

// When a server is started whose tools are cached.
const (
	StartEager = "eager" // at once
	StartLazy  = "lazy"  // when something needs it
)

// complete returns the server with its defaults.
func (s Server) complete() Server {
	s.CallTimeout = cmp.Or(s.CallTimeout, DefaultCallTimeout)
	s.MaxCalls = cmp.Or(s.MaxCalls, DefaultMaxCalls)
	s.StartTimeout = cmp.Or(s.StartTimeout, time.Minute)
	s.Transport = transportName(&s)
	return s
}

// transportName names the transport in one spelling; "" for a URL of either kind.
func transportName(s *Server) string {
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

// newClient returns the SDK's client of a session.
func (s *session) newClient() *mcp.Client {
	changed := func() {
		select {
		case s.changed <- struct{}{}:
		default:
		}
	}
	o := &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}},
		ProgressNotificationHandler: s.followed.Hear,
		MultiRoundTrip:              &mcp.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed() },
	}
	if s.hub.options.Gateway {
		s.passThrough(o, changed)
	}
	c := mcp.NewClient(s.hub.implementation(), o)
	c.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		s.sendMethod = next
		return next
	})
	c.AddReceivingMiddleware(s.answerServer)
	return c
}

// passThrough lets the server of a gateway tell clients of changes, log to them and
// ask them for something.
func (s *session) passThrough(o *mcp.ClientOptions, changed func()) {
	s.followed.Logs = &transport.Logs{}
	o.Capabilities = &mcp.ClientCapabilities{
		RootsV2:     &mcp.RootCapabilities{ListChanged: true},
		Sampling:    &mcp.SamplingCapabilities{},
		Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
	}
	o.PromptListChangedHandler = func(context.Context, *mcp.PromptListChangedRequest) { changed() }
	o.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) { changed() }
	o.ResourceUpdatedHandler = func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
		if h := s.hub.hosting(); h != nil {
			h.Updated(s.Name, r.Params.URI)
		}
	}
	o.LoggingMessageHandler = func(_ context.Context, r *mcp.LoggingMessageRequest) {
		if h := s.hub.hosting(); h != nil {
			h.Logged(s.Name, s.passed.only().of(), r.Params)
		}
	}
}

// address is a url as it may be shown: without user, password and query.
func address(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "its url"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
