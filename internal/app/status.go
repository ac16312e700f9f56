package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
	"github.com/patchbay-mcp/patchbay/internal/egress"
)

// ServersInput asks for all downstream servers.
type ServersInput struct{}

// ServersResult lists the downstream servers.
type ServersResult struct {
	Servers []downstream.Status `json:"servers"`
	Missed  []MissedQuery       `json:"missed_searches,omitempty"` // that found no node, the most frequent first
}

// maxMissedShown is how many searches without a result are listed with the servers.
const maxMissedShown = 50

// Servers returns the state of the downstream servers, by name, and what was searched for
// in this process without finding a node.
func (pb *App) Servers(context.Context, ServersInput) (*ServersResult, *diag.Fault) {
	missed := pb.usage.Missed()
	return &ServersResult{Servers: pb.Status(), Missed: missed[:min(len(missed), maxMissedShown)]}, nil
}

// Status returns the state of each server, by name.
func (pb *App) Status() []downstream.Status {
	if pb.hub == nil {
		return []downstream.Status{}
	}
	return pb.hub.Status()
}

// Reach is a transport to URLs that the configuration names, by the rules of egress.
func (pb *App) Reach(urls ...string) *egress.Reach { return pb.egress.APIReach(urls...) }
