package downstream

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Host is the end of a gateway that clients see. Its methods must be quick, but Roots.
type Host interface {
	// Updated says that a resource has changed to which somebody subscribed.
	Updated(server, uri string)
	// Logged is what a server logs, and the client of its calls in progress; nil if
	// there is none or not one only.
	Logged(server string, c Client, p *mcp.LoggingMessageParams)
	// Roots answers a server that asks for roots while no call is in progress, as
	// servers do at their start.
	Roots(ctx context.Context) (mcp.Result, error)
}

// SetHost makes host the other end of the gateway.
func (h *Hub) SetHost(host Host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.host = host
}

func (h *Hub) hosting() Host {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.host
}

// Subscribe asks a server to tell of the changes of a resource, also after its restart;
// or no more. As many calls end it as have begun it.
func (h *Hub) Subscribe(ctx context.Context, server, uri string, on bool) error {
	s, fault := h.server(server)
	if fault != nil {
		return fault
	}
	live, fault := s.session(ctx)
	if fault != nil {
		return fault
	}
	key := [2]string{server, uri}
	h.mu.Lock()
	if h.follow == nil {
		h.follow = map[[2]string]int{}
	}
	before := h.follow[key]
	switch {
	case on:
		h.follow[key]++
	case before > 1:
		h.follow[key]--
	default:
		delete(h.follow, key)
	}
	h.mu.Unlock()
	var err error
	switch {
	case on && before == 0:
		err = live.client.Subscribe(ctx, &mcp.SubscribeParams{URI: uri})
	case !on && before == 1:
		err = live.client.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri})
	}
	if e, ok := answered(err); ok {
		err = e
	}
	if err != nil && on {
		h.mu.Lock()
		delete(h.follow, key)
		h.mu.Unlock()
	}
	return err
}

// LogAt asks servers that log, also those that start later, to do so at a level.
func (h *Hub) LogAt(level mcp.LoggingLevel) {
	h.mu.Lock()
	h.level = level
	h.mu.Unlock()
	for _, name := range h.names() {
		if live := h.liveSession(name); live != nil {
			h.goWork(func() { live.logAt(level) })
		}
	}
}

// RootsChanged tells servers that the roots of a client have changed.
func (h *Hub) RootsChanged() {
	for _, name := range h.names() {
		if live := h.liveSession(name); live != nil && live.protocol <= legacy {
			h.goWork(func() {
				ctx, cancel := context.WithTimeout(live.calls, retryTimeout)
				defer cancel()
				_, _ = live.sendMethod(ctx, "notifications/roots/list_changed", &mcp.ClientRequest[*mcp.RootsListChangedParams]{Session: live.client, Params: &mcp.RootsListChangedParams{}})
			})
		}
	}
}

// liveSession returns the session of a server that is ready, or nil.
func (h *Hub) liveSession(name string) *session {
	s := h.named(name)
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil || !s.live.alive() {
		return nil
	}
	return s.live
}

// takeUp repeats to a new session what the former one of its server was asked for.
func (s *session) takeUp() {
	h := s.hub
	h.mu.Lock()
	level := h.level
	var uris []string
	for key := range h.follow {
		if key[0] == s.Name {
			uris = append(uris, key[1])
		}
	}
	h.mu.Unlock()
	if level != "" {
		s.logAt(level)
	}
	for _, uri := range uris {
		ctx, cancel := context.WithTimeout(s.calls, retryTimeout)
		if err := s.client.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
			h.options.Logger.Warn("a subscription cannot be repeated", "server", s.Name, "error", s.redact(err.Error()))
		}
		cancel()
	}
}

// logAt asks the server of an older protocol to log at a level.
func (s *session) logAt(level mcp.LoggingLevel) {
	if s.protocol > legacy || s.capabilities().Logging == nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.calls, retryTimeout)
	defer cancel()
	if err := s.client.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: level}); err != nil {
		s.hub.options.Logger.Warn("a server does not take a level of logging", "server", s.Name, "error", s.redact(err.Error()))
	}
}
