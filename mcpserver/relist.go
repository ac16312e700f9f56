package mcpserver

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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

func (r *relister) replies(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		before := r.changes.Load()
		res, err := next(ctx, method, req)
		switch call, _ := req.GetParams().(*mcp.CallToolParamsRaw); {
		case method == "tools/list":
			r.end(req.GetSession())
		case call != nil && publishes[call.Name] && r.changes.Load() != before && peerOf(req) != "":
			r.await(ctx, req.GetSession())
		}
		return res, err
	}
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
