// Package app is the application: what the product can do, one operation a file.
// Each takes an input struct and returns a result struct. The command line and the
// MCP server both call it, so they cannot differ.
//
// An author's faults come back in the result, as diagnostics; a caller's or the
// machine's as a [diag.Fault].
package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/admission"
	"github.com/patchbay-mcp/patchbay/internal/audit"
	"github.com/patchbay-mcp/patchbay/internal/cache"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
	"github.com/patchbay-mcp/patchbay/internal/egress"
	"github.com/patchbay-mcp/patchbay/internal/embeddings"
	"github.com/patchbay-mcp/patchbay/internal/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/idioms"
	"github.com/patchbay-mcp/patchbay/internal/observed"
	"github.com/patchbay-mcp/patchbay/internal/permissions"
	"github.com/patchbay-mcp/patchbay/internal/runs"
	"github.com/patchbay-mcp/patchbay/internal/schedules"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

// App is the product, assembled: every operation is a method. It is safe for
// concurrent use.
type App struct {
	meaning *embeddings.Index // nil unless an endpoint is configured

	catalog    *catalog.Catalog
	hub        *downstream.Hub
	egress     *egress.Client
	kinds      *engine.KindSet
	graphs     *graphfiles.Graphs
	runs       runs.Runner
	drafts     *drafts
	passed     *passedCases
	redact     func(json.RawMessage) json.RawMessage // masks secrets in what is written; nil masks nothing
	limits     run.Limits
	expose     int
	agents     config.GraphsOfAgents // what agents may do with saved graphs
	seen       *observed.Store       // nil: nothing is learned
	log        *slog.Logger
	slow       time.Duration                 // calls that take as long are logged; 0 logs none
	audit      *audit.Log                    // nil: there is none
	config     atomic.Pointer[config.Config] // nil unless opened from one
	setup      Setup                         // with that
	packs      atomic.Pointer[[]LoadedPack]  // of the configuration
	flush      func()                        // sends the last spans; nil: there are none
	project    string                        // whose runs are listed, deleted and resumed; "" is every project
	runChanges runChanges
	watchers   watchers
	debuggers  debuggers

	reserved map[string]bool // names of the tools of the operations

	denied   atomic.Pointer[func(server, tool string) string] // as in [Options]; nil: nothing is
	policies policies

	permissions *permissions.Store
	process     string // begins the names of its sessions

	filter       atomic.Pointer[ToolFilter]          // nil: clients see all tools
	views        *snapshotCache[string, *view]       // by client
	limited      *snapshotCache[string, limitedView] // by the keys of rights
	callees      atomic.Pointer[func() callees]      // of the operator's documents and of saved graphs
	lacking      atomic.Pointer[map[string][]string] // what saved graphs lack here, by the name
	exposePrefix string                              // of the names of downstream tools, where {server} is the server

	documents []*graph.Document // the operator's own, whose tools are served

	workflows        atomic.Pointer[workflowSet]
	workflowDocs     []*graph.Document  // those that are not files of their own
	loadingWorkflows sync.Mutex         // guards workflowDocs
	workflowFiles    *graphfiles.Graphs // nil: there is no folder of them
	beside           *config.Beside
	reporters        []workflowMetrics // guarded by mu
	hooks            *hookScripts

	usage     *Usage
	cacheUse  cacheUses
	links     answerLinks
	received  *cache.Cache[Delivery, bool] // by webhooks, the latest
	queue     *admission.Queue             // what computes for long takes its turn
	pool      *admission.Pool              // memory for what runs keep
	memory    Memory
	plans     *snapshotCache[string, cachedPlan]
	following following
	described *snapshotCache[detailKey, described] // what get_node_details shows
	changes   changes                              // diffs of definitions in faults
	tools     atomic.Pointer[toolCache]

	scheduler    atomic.Pointer[schedules.Scheduler] // nil unless it runs
	graphsFollow follower                            // files saved graphs again when tools change
	filing       sync.Mutex                          // held while saved graphs are filed in the catalog
	unapproved   []string                            // saved graphs of which the log says so; guarded by filing
	reloading    sync.Mutex                          // one reload at a time
	started      sync.Once
	loaded       chan struct{} // closed when the first Start returns
	closed       sync.Once
	work         sync.WaitGroup  // in the background
	working      context.Context //nolint:containedctx // of that work
	endWork      context.CancelFunc
	recoverDelay time.Duration
	recovers     atomic.Bool // runs are resumed

	mu      sync.Mutex // guards what follows
	offered []func()   // called when what passes through a gateway may have changed
	changed []func()   // called when the set of published tools changes
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
	Hooks       HookOptions         // of scripts
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
	Audit        *audit.Log       // gets an entry for each call; Close closes it; nil: there is none
	Kinds        *engine.KindSet  // the node types of graphs; nil means the built-in ones
	OnEvent      func(run.Notice) // called with the events of every run, by branches and runs at the same time; nil listens to nothing
	// Project is what runs and learned shapes belong to. Runs of another project are
	// listed and deleted only on request, and not resumed. Without one all runs are
	// listed, and none is recovered.
	Project string
	Tracer  oteltrace.Tracer // makes a span of each run and each node execution; nil makes none
}

// New assembles an App of its parts and fills the catalog with the built-in kinds
// and the saved graphs. [App.Start] starts the servers.
func New(o Options) *App {
	pb := &App{
		catalog: o.Catalog, egress: o.Egress, kinds: o.Kinds, graphs: o.Graphs, limits: o.Limits, expose: 20, log: o.Logger, documents: o.Documents, workflowDocs: o.Workflows, workflowFiles: o.WorkflowFiles, beside: o.Beside, project: o.Project, redact: o.Redact, slow: o.SlowCall, audit: o.Audit,
		drafts: newDrafts(), changes: newChanges(), passed: newPassedCases(o.CasesIn), reserved: toolNames(Operations()), loaded: make(chan struct{}), recoverDelay: recoverDelay,
	}
	pb.permissions, pb.process = permissions.Open(o.Permissions), rand.Text()
	pb.received = cache.New[Delivery, bool](maxDeliveries)
	pb.plans = newSnapshotCache(cache.New[string, cachedPlan](maxPlans))
	pb.views = newSnapshotCache(cache.New[string, *view](maxViews))
	pb.limited = newSnapshotCache(cache.New[string, limitedView](maxLimited))
	pb.described = newDetailCache()
	pb.links.notified = cache.New[string, bool](maxNotified)
	pb.hooks = newHookScripts(&o)
	pb.queue = admission.New(admission.Options{Bytes: o.Memory / 4 * workShare})
	pb.pool = admission.NewPool(o.Memory / 2)
	pb.working, pb.endWork = context.WithCancel(context.Background())
	if pb.egress == nil {
		pb.egress = egress.New(nil)
	}
	if pb.catalog == nil {
		pb.catalog = catalog.New()
	}
	if o.ExposeMax != nil {
		pb.expose = *o.ExposeMax
	}
	pb.usage = newUsage(!o.NoMissed)
	if !o.NoObserve {
		pb.seen = observed.Open(o.ObserveIn, o.Project, o.Redact, func() { pb.tools.Store(nil) })
	}
	if pb.log == nil {
		pb.log = slog.New(slog.DiscardHandler)
	}
	pb.exposePrefix, pb.agents = o.ExposePrefix, o.GraphsOfAgents
	if o.Denied != nil {
		pb.denied.Store(&o.Denied)
	}
	pb.policies.set(o.Calls, nil)
	pb.runs = newRunner(pb, o)
	if pb.kinds == nil {
		pb.kinds, _ = engine.Extend() // cannot fail
	}
	pb.catalog.Later("built-in", pb.kinds.Specs)
	pb.catalog.Later("idioms", func() []*specs.Spec { return slices.Concat(Guide().Specs(), idioms.Specs()) })
	pb.graphsFollow.f = pb.Refresh
	if o.Servers != nil {
		o.Downstream.OnTools, o.Downstream.OnReady, o.Downstream.OnRemoved = pb.toolsListed, pb.serverReady, pb.serverRemoved
		o.Downstream.OnOffer, o.Downstream.OnCache = pb.announceOffer, pb.cacheUse.toolLists.note
		pb.hub = downstream.New(o.Servers, &o.Downstream)
	}
	pb.publishGraphs()
	pb.loadWorkflows()
	return pb
}

// Config returns the configuration that was read last, by [Open] or for [App.Reload]; nil
// after [New].
func (pb *App) Config() *config.Config { return pb.config.Load() }

// Kinds returns the node types of graphs.
func (pb *App) Kinds() *engine.KindSet { return pb.kinds }

// Catalog returns the live set of specs.
func (pb *App) Catalog() *catalog.Catalog { return pb.catalog }

// OnPublished registers a function to call after the set of tools that
// [App.Published] returns has changed.
func (pb *App) OnPublished(f func()) {
	pb.mu.Lock()
	defer pb.mu.Unlock()
	pb.changed = append(pb.changed, f)
}

func (pb *App) announce() {
	pb.mu.Lock()
	listeners := append([]func(){}, pb.changed...)
	pb.mu.Unlock()
	for _, f := range listeners {
		f()
	}
}
