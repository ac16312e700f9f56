package policy

import (
	"context"

	"github.com/patchbay-mcp/patchbay/internal/request"
)

// Session names the session of the client of ctx, "" if it has none.
func (pol *Policy) Session(ctx context.Context) string {
	c := request.Peer(ctx)
	if c.Peer == "" {
		return ""
	}
	return pol.sessions + " " + c.Of(request.ActorFrom(ctx).Principal)
}
