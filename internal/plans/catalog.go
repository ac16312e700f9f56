package plans

import (
	"context"

	"github.com/patchbay-mcp/patchbay/internal/request"
)

// CatalogState says what the catalog still lacks: servers that are starting, and
// those that failed, with the reason.
type CatalogState struct {
	Pending []string          `json:"pending,omitempty"`
	Failed  map[string]string `json:"failed,omitempty"`
}

// CatalogState returns nil when every server is ready.
func (pl *Plans) CatalogState(ctx context.Context) *CatalogState {
	if pl.servers.Hub == nil {
		return nil
	}
	var c CatalogState
	for _, s := range pl.servers.Hub.Status() {
		if !request.SeesServer(ctx, s.Name) || pl.untrusted(s.Name) != nil { // a check of the document says it
			continue
		}
		switch s.State {
		case "ready", "idle":
		case "failed":
			if c.Failed == nil {
				c.Failed = map[string]string{}
			}
			c.Failed[s.Name] = s.Reason
		default:
			c.Pending = append(c.Pending, s.Name)
		}
	}
	if len(c.Pending) == 0 && len(c.Failed) == 0 {
		return nil
	}
	return &c
}
