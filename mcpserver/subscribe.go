package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cache"
)

// maxSubscriptions is how many runs can be subscribed to at the same time. Sessions that end
// do not unsubscribe, so beyond it the oldest subscriptions to runs end.
const maxSubscriptions = 10_000

// subscriptions are the resources of Patchbay whose changes clients hear of: runs. What
// passes through the gateway is the server's.
type subscriptions struct {
	server  *mcp.Server
	pb      *app.App
	gateway *gateway

	uris *cache.Cache[string, bool] // of runs that a client has subscribed to
}

// offer says that resources can be subscribed to.
func (s *subscriptions) offer(o *mcp.ServerOptions) {
	o.SubscribeHandler = func(ctx context.Context, r *mcp.SubscribeRequest) error { return s.subscribe(ctx, r) }
	o.UnsubscribeHandler = func(ctx context.Context, r *mcp.UnsubscribeRequest) error { return s.unsubscribe(ctx, r) }
}

// start follows the runs.
func (s *subscriptions) start(server *mcp.Server, pb *app.App) {
	s.server, s.pb, s.uris = server, pb, cache.New[string, bool](maxSubscriptions)
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
	s.uris.Set(uri, true)
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
	if _, subscribed := s.uris.Get(uri); subscribed {
		go func() {
			_ = s.server.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: uri})
		}()
	}
}
