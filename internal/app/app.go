// Package app is the application: what the product can do, one operation a file.
// Each takes an input struct and returns a result struct. The command line and the
// MCP server both call it, so they cannot differ.
//
// An author's faults come back in the result, as diagnostics; a caller's or the
// machine's as a [diag.Fault].
package app

import (
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/around"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/process"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/store/observed"
	"github.com/patchbay-mcp/patchbay/internal/sys/audit"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

// App is the product: every operation is a method. Its services are packages of their own. It is safe for
// concurrent use.
type App struct {
	*process.Process
	*policy.Policy
	*servers.Gateway
	*plans.Plans
	*discover.Discovery
	*execution.Execution
	*author.Author
	*library.Library
	*around.Around
	lifecycle lifecycle
}

// Options are the parts of an [App]. Nil fields mean none: an App without graphs
// saves none.
type Options struct {
	// Denied says whose setting denies a tool, such as "expose.deny", "" if none does.
	// Nil denies nothing.
	Denied func(server, tool string) string
	Calls  config.Calls // for which calls a person is asked
	// Permissions is the file of the calls that people have permitted beyond one run; "" is memory.
	Permissions string
	Servers     []downstream.Server // whose tools are nodes; nil: tools are those of Catalog, and none can be called
	Downstream  downstream.Options  // how the servers are reached; the App sets OnTools
	Egress      *egress.Client      // nil refuses every request; Close closes it
	Hooks       around.HookOptions  // of scripts
	Catalog     *catalog.Catalog
	Graphs      *graphfiles.Graphs
	// GraphsOfAgents is what agents may do with Graphs.
	GraphsOfAgents config.GraphsOfAgents
	Documents      []*graph.Document // the operator's own; their tools are published
	// Workflows run around calls, and so do those in WorkflowFiles.
	Workflows     []*graph.Document
	WorkflowFiles *graphfiles.Graphs
	Beside        *config.Beside // says which files of workflows and hook modules are trusted
	Limits        run.Limits     // the operator's ceiling for every run
	MaxRuns       int            // that execute at the same time; 0 means the default
	MaxQueued     int            // that wait for their turn; 0 means the default
	// MaxHeld is how long a call waits for the answer to a question that its server asks
	// meanwhile; 0 means the default.
	MaxHeld time.Duration
	Memory  int64 // that all work may take, in bytes; 0 has no bound
	// Store opens what keeps runs, when the first is needed; nil keeps the latest in
	// memory.
	Store func() (runs.RunStore, error)
	// Runtime returns what executes runs elsewhere; nil executes them in this process.
	Runtime func(runs.Options) runs.Remote
	// ExposePrefix begins the names of downstream tools, where {server} is the server.
	ExposePrefix string
	ExposeMax    *int                                  // saved graphs published as tools unless they say otherwise; nil means 20
	ObserveIn    string                                // directory that keeps the learned shapes of results; "" keeps them in memory
	CasesIn      string                                // directory that shares the cases that passed with later processes; "" keeps them in memory
	Refer        func([]byte) []byte                   // replaces secrets by their names; nil replaces none
	Redact       func(json.RawMessage) json.RawMessage // masks secrets in what is kept there; nil masks nothing
	NoObserve    bool                                  // learn nothing
	NoMissed     bool                                  // do not remember the queries that found nothing
	Logger       *slog.Logger
	SlowCall     time.Duration    // calls that take as long are logged; 0 logs none
	Audit        *audit.Log       // gets an entry for each call; Close closes it; nil: none
	Kinds        *engine.KindSet  // the node types of graphs; nil means the built-in ones
	OnEvent      func(run.Notice) // called with the events of every run, by branches and runs at the same time; nil listens to nothing
	// Project is what runs and learned shapes belong to. Runs of another project are
	// listed and deleted only on request, and not resumed. Without one all runs are
	// listed, and none is recovered.
	Project string
	Tracer  oteltrace.Tracer // makes a span of each run and each node execution; nil makes none
}

// New assembles an App of its parts and fills the catalog with the built-in kinds
// and the saved graphs. [plans.Downstream.Start] starts the servers.
func New(o Options) *App {
	a := &App{}
	if o.Kinds == nil {
		o.Kinds, _ = engine.Extend() // cannot fail
	}
	a.Process = process.New(process.Options{Log: o.Logger, Project: o.Project, Redact: o.Redact, Memory: o.Memory})
	a.Policy = policy.New(a.Process, policy.Options{Permissions: o.Permissions, Denied: o.Denied, Calls: o.Calls, Reserved: toolScopes(Operations())})
	a.Gateway = servers.New(a.Policy, o.Egress)
	var seen *observed.Store
	if !o.NoObserve {
		seen = observed.Open(o.ObserveIn, o.Project, o.Redact, a.learned)
	}
	a.Plans = plans.New(a.Process, a.Policy, a.Gateway, plans.Options{
		Kinds: o.Kinds, Limits: o.Limits, Catalog: o.Catalog, Seen: seen, Graphs: o.Graphs, Documents: o.Documents,
		GraphsOfAgents: o.GraphsOfAgents, ExposeMax: o.ExposeMax, ExposePrefix: o.ExposePrefix, Refresh: a.Refresh,
		BuiltinPacks: builtinPacks,
	})
	a.Catalog().Later("built-in", o.Kinds.Specs)
	a.Catalog().Later("idioms", func() []*specs.Spec { return slices.Concat(discover.Guide().Specs(), plans.Typed(idioms.Specs())) })
	a.Discovery = discover.New(a.Process, a.Gateway, a.Plans, o.NoMissed)
	a.Execution = execution.New(a.Process, a.Policy, a.Gateway, a.Plans, a.Discovery, execution.Options{CasesIn: o.CasesIn, SlowCall: o.SlowCall, Audit: o.Audit})
	a.Author = author.New(a.Process, a.Plans, a.Discovery, a.Execution)
	a.Library = library.New(a.Process, a.Policy, a.Gateway, a.Plans, a.Discovery, a.Execution, a.Author)
	a.Around = around.New(a.Process, a.Gateway, a.Plans, a.Execution, around.Options{Workflows: o.Workflows, WorkflowFiles: o.WorkflowFiles, Beside: o.Beside, Hooks: o.Hooks})
	a.Runner = newRunner(a, o)
	if o.Servers != nil {
		o.Downstream.OnTools, o.Downstream.OnReady, o.Downstream.OnRemoved = a.toolsListed, a.ServerReady, a.serverRemoved
		o.Downstream.Pass = a.Tools.Pass
		o.Downstream.OnOffer, o.Downstream.OnCache = a.AnnounceOffer, a.CacheUse.ToolLists.Note
		a.Hub = downstream.New(o.Servers, &o.Downstream)
	}
	a.GraphSpecs.FileLater()
	a.refreshFeatures()
	return a
}

// learned forgets what depends on the results that tools have had, when that has grown.
func (a *App) learned() {
	a.Connects.Learned.Add(1)
	a.Tools.Forget()
}

// Kinds returns the node types of graphs.
func (a *App) Kinds() *engine.KindSet { return a.Plans.Kinds }

// Catalog returns the live set of specs.
func (a *App) Catalog() *catalog.Catalog { return a.Plans.Catalog }

// ListsAtOnce reports whether the published tools and their definitions need nothing of the
// servers: no graph is saved, and no workflow looks at the list.
func (a *App) ListsAtOnce() bool {
	return (a.Saved == nil || !a.Saved.More(0)) && a.Filter() == nil && !a.listsChange()
}
