package discover

import (
	"encoding/json"
	"fmt"

	"github.com/patchbay-mcp/patchbay/catalog"
)

// maxHintNodes is how many nodes the call in a hint names.
const maxHintNodes = 10

// scaffoldHint says how to make a draft of some nodes, or is "" if they are fewer than
// two or do not run here.
func scaffoldHint(snap *catalog.Snapshot, nodes []NodeDetails) string {
	var ids []string
	for _, n := range nodes {
		if n.Error != "" || n.Runnable != nil || n.NodeType == functionsFilter {
			return ""
		}
		if spec := snap.Spec(n.ID); spec == nil || !spec.Starts && !spec.Ends {
			ids = append(ids, n.ID)
		}
	}
	if len(ids) < 2 || len(ids) > maxHintNodes {
		return ""
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(`edit_graph {"scaffold": %s} makes a draft of these nodes in this order`, list)
}
