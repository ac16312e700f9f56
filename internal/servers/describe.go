package servers

import (
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
)

// Status returns the state of each server, by name.
func (gw *Gateway) Status() []downstream.Status {
	if gw.Hub == nil {
		return []downstream.Status{}
	}
	return gw.Hub.Status()
}

// Reach is a transport to URLs that the configuration names, by the rules of egress.
func (gw *Gateway) Reach(urls ...string) *egress.Reach { return gw.Egress.APIReach(urls...) }
