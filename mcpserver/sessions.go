package mcpserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/request"
)

// Sessions are the HTTP sessions of one server. They decide what becomes of the runs
// of a session when it ends: by the client's DELETE, after an hour without a
// request, or earlier for one that opens.
type Sessions struct {
	onDisconnect request.Disconnect

	mu   sync.Mutex
	open map[string]session // by id: those that have called a tool
}

// session is one of them.
type session struct {
	life context.Context //nolint:containedctx // ends with the session
	end  context.CancelFunc
}

// NewSessions returns the sessions of a server that serves none yet.
func NewSessions(onDisconnect request.Disconnect) *Sessions {
	return &Sessions{onDisconnect: onDisconnect, open: map[string]session{}}
}

// of returns a context that ends with a session, nil if it is not one of HTTP.
func (s *Sessions) of(of mcp.Session) context.Context {
	ss, ok := of.(*mcp.ServerSession)
	if !ok || ss.ID() == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.open[ss.ID()]
	if !ok {
		known.life, known.end = context.WithCancel(context.Background())
		s.open[ss.ID()] = known
		go func() {
			_ = ss.Wait()
			s.end(ss.ID())
		}()
	}
	return known.life
}

// keeps reports whether the end of the session would end runs that may be in progress.
func (s *Sessions) keeps(id string) bool {
	if s == nil || s.onDisconnect != "park" && s.onDisconnect != "cancel" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, called := s.open[id]
	return called
}

// end ends the session of an id, if there is one.
func (s *Sessions) end(id string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.open[id]; ok {
		delete(s.open, id)
		known.end()
	}
}
