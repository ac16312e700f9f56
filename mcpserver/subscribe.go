package mcpserver

import (
	"context"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// maxSubscriptions is how many runs can be subscribed to at the same time. Sessions that end
// do not unsubscribe, so beyond it the subscriptions to runs begin anew.
const maxSubscriptions = 10_000

// subscriptions are the resources of Patchbay whose changes clients hear of: runs. What
// passes through the gateway is the server's.
type subscriptions struct {
	server  *mcp.Server
	pb      *app.App
	gateway *gateway

	mu   sync.Mutex
	uris map[string]bool // of runs that somebody has subscribed to
}

// offer says that resources can be subscribed to.
func (s *subscriptions) offer(o *mcp.ServerOptions) {
	o.SubscribeHandler = func(ctx context.Context, r *mcp.SubscribeRequest) error { return s.subscribe(ctx, r) }
	o.UnsubscribeHandler = func(ctx context.Context, r *mcp.UnsubscribeRequest) error { return s.unsubscribe(ctx, r) }
}

// start follows the runs.
func (s *subscriptions) start(server *mcp.Server, pb *app.App) {
	s.server, s.pb = server, pb
	pb.OnRunChange(s.changed)
}

func (s *subscriptions) subscribe(ctx context.Context, r *mcp.SubscribeRequest) error {
	uri := r.Params.URI
	id, own := strings.CutPrefix(uri, runsURI)
	if !own {
		return s.gateway.subscribe(ctx, r, uri, true)
	}
	if _, fault := s.pb.GetRun(ctx, app.GetRunInput{RunID: id}); fault != nil {
		return notFound(uri, fault)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uris == nil || len(s.uris) >= maxSubscriptions {
		s.uris = map[string]bool{}
	}
	s.uris[uri] = true
	return nil
}

func (s *subscriptions) unsubscribe(ctx context.Context, r *mcp.UnsubscribeRequest) error {
	if uri := r.Params.URI; !strings.HasPrefix(uri, runsURI) {
		return s.gateway.subscribe(ctx, r, uri, false)
	}
	return nil // others may have subscribed to it too
}

// changed notifies those who have subscribed to a run.
func (s *subscriptions) changed(id string) {
	uri := runsURI + id
	s.mu.Lock()
	subscribed := s.uris[uri]
	s.mu.Unlock()
	if subscribed {
		go func() {
			_ = s.server.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: uri})
		}()
	}
}
