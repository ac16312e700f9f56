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
	Hooks         HookOptions
}

// New returns an Around, after it has told the services of its hooks and workflows.
func New(proc *process.Process, gw *servers.Gateway, pl *plans.Plans, ex *execution.Execution, o Options) *Around {
	ar := &Around{process: proc, servers: gw, plans: pl, execution: ex}
	ar.workflowDocs, ar.workflowFiles, ar.beside = o.Workflows, o.WorkflowFiles, o.Beside
	ar.Hooks = newScripts(o.Hooks, o.Beside, proc.Log)
	pl.Hooks, ex.Hooks, ex.Around = ar.Hooks, ar.Hooks, ar.intercept
	proc.Features = append(proc.Features, process.Feature{
		Refresh: ar.loadWorkflows, Reload: func(cfg *config.Config) { ar.setWorkflows(cfg.Workflows) },
		ChangesLists: ar.hasWorkflows, Report: ar.report, Close: ar.Hooks.close,
	})
	return ar
}
