package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
)

// described is a graph with the description of the input.
func (in *SaveInput) described(s *source) *source {
	if in.Description == "" {
		return s
	}
	doc, _ := graph.Parse(s.name, s.text)
	if doc == nil {
		return s
	}
	for _, tool := range doc.Tools() {
		if in.Tool != "" && tool.Name.Text() != in.Tool {
			continue
		}
		fix := tool.Insert("", "description", in.Description, "name")
		if tool.Description.Exists() {
			fix = tool.Description.Replace("", in.Description)
		}
		out := *s
		out.text = diag.ApplyEdits(s.text, fix.Edits)
		return &out
	}
	return s
}

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
func (a *App) Servers(context.Context, ServersInput) (*ServersResult, *diag.Fault) {
	missed, list := a.discovery.usage.Missed(), a.Status()
	for i := range list {
		list[i].Changed = len(a.servers.hub.Waiting(list[i].Name))
	}
	return &ServersResult{Servers: list, Missed: missed[:min(len(missed), maxMissedShown)]}, nil
}

// Status returns the state of each server, by name.
func (a *App) Status() []downstream.Status {
	if a.servers.hub == nil {
		return []downstream.Status{}
	}
	return a.servers.hub.Status()
}

// Reach is a transport to URLs that the configuration names, by the rules of egress.
func (a *App) Reach(urls ...string) *egress.Reach { return a.servers.egress.APIReach(urls...) }
