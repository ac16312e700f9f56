// Package discover has search, lists and details of nodes.
package discover

import (
	"github.com/patchbay-mcp/patchbay/internal/discover/embeddings"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/process"
	"github.com/patchbay-mcp/patchbay/internal/servers"
)

// A Discovery finds nodes, and knows what was searched for. [New] returns one.
type Discovery struct {
	process *process.Process
	servers *servers.Gateway
	plans   *plans.Plans

	Meaning   *embeddings.Index                            // nil unless an endpoint is configured
	described *process.SnapshotCache[detailKey, described] // what get_node_details shows
	usage     *Usage
	Connects  typeIndex
}

// New returns a Discovery.
func New(proc *process.Process, gw *servers.Gateway, pl *plans.Plans, noMissed bool) *Discovery {
	disc := &Discovery{process: proc, servers: gw, plans: pl}
	disc.described, disc.usage = newDetailCache(), newUsage(!noMissed)
	return disc
}
