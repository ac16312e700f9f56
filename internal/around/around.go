// Package around has workflows around calls, and the scripts of their hooks.
package around

import (
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/process"
	"github.com/patchbay-mcp/patchbay/internal/servers"
)

// An Around runs workflows around calls. [New] returns one.
type Around struct {
	process   *process.Process
	servers   *servers.Gateway
	plans     *plans.Plans
	execution *execution.Execution

	workflows        atomic.Pointer[workflowSet]
	workflowDocs     []*graph.Document  // those that are not files of their own
	loadingWorkflows sync.Mutex         // guards workflowDocs
	workflowFiles    *graphfiles.Graphs // nil: there is no folder of them
	beside           *config.Beside
	reporting        sync.Mutex // guards reporters
	reporters        []WorkflowMetrics
	Hooks            *Scripts
}

// Options are the parts of what happens around calls.
type Options struct {
	Workflows     []*graph.Document
	WorkflowFiles *graphfiles.Graphs
	Beside        *config.Beside
	Hooks         *Scripts
}

// New returns an Around.
func New(proc *process.Process, gw *servers.Gateway, pl *plans.Plans, ex *execution.Execution, o Options) *Around {
	ar := &Around{process: proc, servers: gw, plans: pl, execution: ex}
	ar.workflowDocs, ar.workflowFiles, ar.beside, ar.Hooks = o.Workflows, o.WorkflowFiles, o.Beside, o.Hooks
	return ar
}
