// Package servers has what calls reach: downstream servers, APIs and the web, and what the gateway offers of them.
package servers

import (
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
)

// A Gateway is what calls reach. [New] returns one.
type Gateway struct {
	policy *policy.Policy

	Hub     *downstream.Hub // nil: no tool can be called
	Egress  *egress.Client
	Changes changes // diffs of definitions in faults
}

// New returns a Gateway.
func New(rules *policy.Policy, client *egress.Client) *Gateway {
	gw := &Gateway{policy: rules}
	gw.Egress, gw.Changes = client, newChanges()
	if gw.Egress == nil {
		gw.Egress = egress.New(nil)
	}
	return gw
}
