// Package author has what authors do with a graph that is not saved: check, evaluate,
// prove, export.
package author

import (
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/process"
)

// An Author is the service of this package. [New] returns one.
type Author struct {
	process   *process.Process
	plans     *plans.Plans
	discover  *discover.Discovery
	execution *execution.Execution
}

// New returns an Author.
func New(proc *process.Process, pl *plans.Plans, disc *discover.Discovery, ex *execution.Execution) *Author {
	return &Author{proc, pl, disc, ex}
}
