package discover

import (
	"context"
	"fmt"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// idiomDetails shows a pattern or a part of the guide: its text, and the graph to
// copy. An idiom is not a node, so it has no parameters, ports or skeleton.
func idiomDetails(spec *specs.Spec, examples bool) NodeDetails {
	d := NodeDetails{ID: spec.ID(), NodeType: spec.NodeType, Subtype: spec.Subtype, Title: spec.Title, Description: spec.Description}
	d.setRunnable(spec)
	if spec.Subtype == idioms.GuideName {
		d.Description = Guide().Text()
	}
	for _, ex := range spec.Examples {
		d.Graph = ex.Graph
		if ex.Graph = ""; examples {
			d.Examples = append(d.Examples, ex)
		}
	}
	return d
}

// maxGraphText is how long the text of a saved graph in its details may be, in bytes.
const maxGraphText = 4 << 10

// graphText is the text of a saved graph to copy nodes from, or "" where it is long:
// get_graph returns that.
func (disc *Discovery) graphText(name string) string {
	if disc.plans.Saved == nil {
		return ""
	}
	g, _, fault := disc.plans.Saved.Find(name)
	if fault != nil || len(g.Src) > maxGraphText {
		return ""
	}
	return g.Src
}

// besideGraph is how many results a search returns by default where the first one
// comes with its graph: the reply still has at most 900 tokens.
const besideGraph = 4

// find searches the catalog. An idiom that comes first takes the place of other results.
func find(ctx context.Context, snap *catalog.Snapshot, q search.Query) (*search.Results, error) {
	found, err := snap.Search(ctx, q)
	if err != nil || q.Max > 0 || q.Cursor != "" || firstGraph(found.Hits) == "" {
		return found, err
	}
	q.Max = besideGraph
	return snap.Search(ctx, q)
}

// firstGraph is the graph of the first hit if that is an idiom, or "".
func firstGraph(hits []search.Hit) string {
	if len(hits) == 0 || hits[0].Spec.NodeType != specs.Idiom || len(hits[0].Spec.Examples) == 0 {
		return ""
	}
	return hits[0].Spec.Examples[0].Graph
}

// showPatterns completes what was found first, and the saved graphs among idioms.
func (r *SearchResult) showPatterns(q search.Query, hits []search.Hit) {
	if text := firstGraph(hits); text != "" && q.Cursor == "" {
		r.Results[0].Graph = text
	}
	for i := range r.Results {
		switch h := &r.Results[i]; {
		case q.TypeFilter != specs.Idiom:
		case h.NodeType == specs.Graph:
			h.Pattern = fmt.Sprintf("get_graph {\"name\": %q} returns its text; edit_graph {\"adapt\": %q} makes a draft of it", h.Subtype, h.Name())
		case len(hits[i].Spec.Examples) > 0:
			h.Hint = toAdapt(h.Name())
		}
	}
}

// toAdapt says how to make a draft of an idiom.
func toAdapt(id string) string {
	return fmt.Sprintf("edit_graph {\"adapt\": %q} makes a draft with the tools that are here", id)
}
