package plans

import (
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

// MaxRevisions is how many revisions of a saved graph are kept.
const MaxRevisions = graphfiles.MaxRevisions
