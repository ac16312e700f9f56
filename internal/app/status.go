package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/internal/downstream"
)

// ServersResult lists the downstream servers.
type ServersResult struct {
	Servers []downstream.Status `json:"servers"`
}

// Servers returns how the downstream servers stand, by name.
func (pb *App) Servers(context.Context) *ServersResult {
	r := &ServersResult{Servers: []downstream.Status{}}
	if pb.hub != nil {
		r.Servers = pb.hub.Status()
	}
	return r
}
