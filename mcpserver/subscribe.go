package mcpserver

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
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
	pb.RunChanges.Listen(s.changed)
}

func (s *subscriptions) subscribe(ctx context.Context, r *mcp.SubscribeRequest) error {
	uri := r.Params.URI
	id, own := strings.CutPrefix(uri, runsURI)
	if !own {
		return s.gateway.subscribe(ctx, r, uri, true)
	}
	if _, fault := s.pb.GetRun(ctx, execution.GetRunInput{RunID: id}); fault != nil {
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

// relistTime bounds how long the reply to a call that has changed the list of tools waits for
// the client to read it.
const relistTime = 300 * time.Millisecond

// publishes are the tools that change the list.
var publishes = map[string]bool{"save_graph": true, "edit_graph": true}

// A relister holds the reply to a call that has published a tool until the client has read
// the list of tools again. The reply names the new tool, and a client such as Claude Code
// calls only tools of the list that it has read when the reply comes.
type relister struct {
	changes atomic.Int64 // of the list
	mu      sync.Mutex
	waiting map[mcp.Session]chan struct{} // closed when the client of the session has read the list
}

func (r *relister) replies(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	before := r.changes.Load()
	res, err := next(ctx, method, req)
	switch call, _ := req.GetParams().(*mcp.CallToolParamsRaw); {
	case method == "tools/list":
		r.end(req.GetSession())
	case call != nil && publishes[call.Name] && r.changes.Load() != before && peer(req) != "":
		r.await(ctx, req.GetSession())
	}
	return res, err
}

func (r *relister) await(ctx context.Context, s mcp.Session) {
	r.mu.Lock()
	listed := r.waiting[s]
	if listed == nil {
		listed = make(chan struct{})
		r.waiting[s] = listed
	}
	r.mu.Unlock()
	select {
	case <-listed:
		return
	case <-time.After(relistTime):
	case <-ctx.Done():
	}
	r.end(s)
}

// end has the replies to a session wait no longer.
func (r *relister) end(s mcp.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if listed := r.waiting[s]; listed != nil {
		close(listed)
		delete(r.waiting, s)
	}
}
