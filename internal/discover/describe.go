package discover

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
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
func (disc *Discovery) Servers(context.Context, ServersInput) (*ServersResult, *diag.Fault) {
	missed, list := disc.usage.Missed(), disc.servers.Status()
	for i := range list {
		list[i].Changed = len(disc.servers.Hub.Waiting(list[i].Name))
	}
	return &ServersResult{Servers: list, Missed: missed[:min(len(missed), maxMissedShown)]}, nil
}
