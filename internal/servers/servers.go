// Package servers has what calls reach: downstream servers, APIs and the web, and what the
// gateway offers of them.
package servers

import (
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/servers/models"
)

// A Gateway is what calls reach. [New] returns one.
type Gateway struct {
	policy *policy.Policy

	Hub     *downstream.Hub // nil: no tool can be called
	Egress  *egress.Client
	Changes changes                                     // diffs of definitions in faults
	models  atomic.Pointer[map[string]*models.Endpoint] // by name
}

// New returns a Gateway.
func New(pol *policy.Policy, client *egress.Client) *Gateway {
	gw := &Gateway{policy: pol}
	gw.Egress, gw.Changes = client, newChanges()
	if gw.Egress == nil {
		gw.Egress = egress.New(nil)
	}
	return gw
}

// Status returns the state of each server, by name.
func (gw *Gateway) Status() []downstream.Status {
	if gw.Hub == nil {
		return []downstream.Status{}
	}
	return gw.Hub.Status()
}
