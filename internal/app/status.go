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
}

// Servers returns the state of the downstream servers, by name.
func (pb *App) Servers(context.Context, ServersInput) (*ServersResult, *diag.Fault) {
	return &ServersResult{Servers: pb.Status()}, nil
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
