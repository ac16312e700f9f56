package plans

import (
	"github.com/patchbay-mcp/patchbay/diag"
)

// Unpublishable is what clients and model APIs refuse in the tools of the graph.
func (c *Checked) Unpublishable() diag.List {
	var found diag.List
	for _, plan := range c.Plans {
		found = append(found, plan.Unpublishable()...)
	}
	return found
}
