package app

import (
	"context"
	"fmt"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// besideGraph is how many results a search returns by default where the first one
// comes with its graph: the reply still has at most 900 tokens.
const besideGraph = 4

// find searches the catalog. An idiom that comes first takes the place of other results.
func find(ctx context.Context, snap *catalog.Snapshot, q search.Query) (*search.Results, error) {
	found, err := snap.Search(ctx, q)
	if err != nil || q.Max > 0 || q.Cursor != "" || graphOf(found.Hits) == "" {
		return found, err
	}
	q.Max = besideGraph
	return snap.Search(ctx, q)
}

// graphOf is the graph of the first hit if that is an idiom, or "".
func graphOf(hits []search.Hit) string {
	if len(hits) == 0 || hits[0].Spec.NodeType != specs.Idiom || len(hits[0].Spec.Examples) == 0 {
		return ""
	}
	return hits[0].Spec.Examples[0].Graph
}

// showPatterns completes what was found first, and the saved graphs among idioms.
func (r *SearchResult) showPatterns(q search.Query, hits []search.Hit) {
	if text := graphOf(hits); text != "" && q.Cursor == "" {
		r.Results[0].Graph = text
	}
	for i := range r.Results {
		h := &r.Results[i]
		switch {
		case h.NodeType == specs.Idiom:
			h.Signature, h.Title = hits[i].Spec.Title, ""
		case q.TypeFilter == specs.Idiom:
			h.Pattern = fmt.Sprintf("get_graph {\"name\": %q} returns its text, to copy nodes from", h.Subtype)
		}
	}
}
