package app

import (
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/search"
)

// Bounds on the details that a search includes: an agent reads all of a reply to choose one
// node.
const (
	maxFullHits    = 3       // with a whole specification
	maxDetailBytes = 8 << 10 // of all results together, as JSON
)

// detail adds details to the results as long as there is room, the best ones first. A hint
// has the call that returns those of the others.
func (pb *App) detail(snap *catalog.Snapshot, r *SearchResult, hits []search.Hit, detail Detail) {
	describer := pb.describer(DetailsInput{Detail: detail})
	bytes, full := jsonSize(r.Results), 0
	var others []string
	for i, h := range hits {
		hit := r.Results[i]
		hit.NodeDetails, hit.LeftOut = describer.describe(h.Spec)
		hit.ID, hit.FollowedBy = "", present(snap, hit.FollowedBy)
		more := jsonSize(hit) - jsonSize(r.Results[i])
		switch isFull := detail.full(h.Spec); {
		case isFull && full == maxFullHits, bytes+more > maxDetailBytes:
			others = append(others, h.Spec.ID())
		default:
			r.Results[i], bytes = hit, bytes+more
			if isFull {
				full++
			}
		}
	}
	if len(others) > 0 {
		call, _ := json.Marshal(map[string]any{"nodes": others}) // strings are JSON
		r.Hint = "other results have no details here: get_node_details " + string(call) + " returns them"
	}
}

// jsonSize is how many bytes a part of a reply has, which is JSON.
func jsonSize(part any) int {
	b, _ := json.Marshal(part)
	return len(b)
}
