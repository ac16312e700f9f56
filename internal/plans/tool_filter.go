package plans

import (
	"github.com/patchbay-mcp/patchbay/internal/policy"
)

// FilterTools makes f change what clients see; nil changes nothing.
func (pl *Plans) FilterTools(f policy.ToolFilter) {
	if f == nil {
		pl.policy.SetFilter(nil)
	} else {
		pl.policy.SetFilter(&f)
	}
	pl.views.Clear()
	pl.process.AnnounceOffer()
}
