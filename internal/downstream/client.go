package downstream

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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
		ProgressNotificationHandler: s.followed.hear,
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
	s.followed.logs = &logged{}
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
