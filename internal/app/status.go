package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
)

// ServersInput asks for all downstream servers.
type ServersInput struct{}

// ServersResult lists the downstream servers.
type ServersResult struct {
	Servers []downstream.Status `json:"servers"`
}

// Servers returns the state of the downstream servers, by name.
func (pb *App) Servers(context.Context, ServersInput) (*ServersResult, *diag.Fault) {
	r := &ServersResult{Servers: []downstream.Status{}}
	if pb.hub != nil {
		r.Servers = pb.hub.Status()
	}
	return r, nil
}
