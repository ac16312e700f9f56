package plans

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/specs"
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

// SkeletonOf is the node to copy of a spec, or nil.
func SkeletonOf(spec *specs.Spec) (skeleton graph.Members) {
	doc, _ := graph.Parse("skeleton", spec.Whole().Skeleton)
	if doc == nil || !doc.Root.Is(graph.Object) {
		return nil
	}
	for key, v := range doc.Root.Members() {
		pair := graph.Pair{Key: key, Value: json.RawMessage(v.JSON())}
		if v.Is(graph.String) {
			pair.Value = v.Text()
		}
		skeleton = append(skeleton, pair)
	}
	return skeleton
}
