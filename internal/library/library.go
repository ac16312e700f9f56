// Package library has what is kept: saved graphs with their tests and revisions, skills,
// drafts from calls, and changes of tools that wait for a person.
package library

import (
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/process"
	"github.com/patchbay-mcp/patchbay/internal/servers"
)

// A Library is the service of this package. [New] returns one.
type Library struct {
	process   *process.Process
	policy    *policy.Policy
	servers   *servers.Gateway
	plans     *plans.Plans
	discover  *discover.Discovery
	execution *execution.Execution
	author    *author.Author
}

// New returns a Library.
func New(proc *process.Process, pol *policy.Policy, gw *servers.Gateway, pl *plans.Plans, disc *discover.Discovery, ex *execution.Execution, au *author.Author) *Library {
	return &Library{proc, pol, gw, pl, disc, ex, au}
}
