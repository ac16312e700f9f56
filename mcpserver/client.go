package mcpserver

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/run"
)

// agent is who every call is made for while there is no authentication: an agent of
// the user of the loopback interface.
var agent = run.Actor{Principal: "local"}

// defaultWait leaves clients that wait for a minute time to receive the reply.
const defaultWait = 45 * time.Second

// followsRuns are the tools that are published with graphs only, too: the reply to a
// call whose run continues names them.
var followsRuns = map[string]bool{"get_run": true, "cancel_run": true}

// asClient says for whom requests are handled, and how long their replies wait.
func asClient(wait time.Duration, sessions *Sessions) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			ctx = app.WithClientID(app.WithActor(ctx, agent), clientName(req))
			if method == "tools/call" {
				c := app.Client{Wait: wait}
				if sessions != nil {
					if s := req.GetSession(); s != nil {
						c.Peer = s.ID()
					}
					c.Session, c.OnDisconnect = sessions.of(req.GetSession()), sessions.onDisconnect
				}
				ctx = app.WithClient(ctx, c)
			}
			return next(ctx, method, req)
		}
	}
}
