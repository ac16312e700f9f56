package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/discover/embeddings"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/execution/schedules"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/policy/permissions"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/store/observed"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/internal/sys/audit"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

// The parts of an [App], each with what its operations share. The zero value of a part is
// completed by its init.

// servers are what calls reach.
type servers struct {
	hub     *downstream.Hub // nil: no tool can be called
	egress  *egress.Client
	tools   atomic.Pointer[toolCache]
	changes changes // diffs of definitions in faults
}

func (s *servers) init(o *Options) {
	s.egress, s.changes = o.Egress, newChanges()
	if s.egress == nil {
		s.egress = egress.New(nil)
	}
}

// discovery is what can be found, and what is known of it.
type discovery struct {
	catalog   *catalog.Catalog
	meaning   *embeddings.Index            // nil unless an endpoint is configured
	packs     atomic.Pointer[[]LoadedPack] // of the configuration
	seen      *observed.Store              // nil: nothing is learned
	following following
	described *snapshotCache[detailKey, described] // what get_node_details shows
	usage     *Usage
	cacheUse  cacheUses
	connects  typeIndex
}

// init calls learned when something was learned of a tool's results.
func (d *discovery) init(o *Options, learned func()) {
	d.catalog, d.described, d.usage = o.Catalog, newDetailCache(), newUsage(!o.NoMissed)
	if d.catalog == nil {
		d.catalog = catalog.New()
	}
	if !o.NoObserve {
		d.seen = observed.Open(o.ObserveIn, o.Project, o.Redact, func() {
			d.connects.learned.Add(1)
			learned()
		})
	}
	d.catalog.Later("built-in", o.Kinds.Specs)
	d.catalog.Later("idioms", func() []*specs.Spec { return slices.Concat(Guide().Specs(), typed(idioms.Specs())) })
}

// authoring is what checks and drafts of graphs need.
type authoring struct {
	kinds  *engine.KindSet
	limits run.Limits
	drafts *drafts
	passed *passedCases
}

func (g *authoring) init(o *Options) {
	*g = authoring{o.Kinds, o.Limits, newDrafts(), newPassedCases(o.CasesIn)}
}

// library is what is saved, and what of it is published.
type library struct {
	graphs       *graphfiles.Graphs // nil: none is saved
	documents    []*graph.Document  // the operator's own, whose tools are served
	plans        *snapshotCache[string, cachedPlan]
	lacking      atomic.Pointer[map[string][]string] // what saved graphs lack here, by the name
	callees      atomic.Pointer[func() callees]      // of the operator's documents and of saved graphs
	expose       int                                 // saved graphs published unless they say otherwise
	agents       config.GraphsOfAgents               // what agents may do with saved graphs
	graphsFollow follower                            // files saved graphs again when tools change
	filing       sync.Mutex                          // held while saved graphs are filed in the catalog
	unapproved   []string                            // saved graphs that the log names; guarded by filing
}

func (l *library) init(o *Options, refresh func()) {
	l.graphs, l.documents, l.expose, l.agents = o.Graphs, o.Documents, defaultExposed, o.GraphsOfAgents
	if o.ExposeMax != nil {
		l.expose = *o.ExposeMax
	}
	l.plans = newSnapshotCache(cache.New[string, cachedPlan](maxPlans))
	l.graphsFollow.f = refresh
}

// defaultExposed is how many saved graphs are published unless they say otherwise.
const defaultExposed = 20

// execution is what runs graphs.
type execution struct {
	runs         runs.Runner
	project      string // whose runs are listed, deleted and resumed; "" is every project
	runChanges   runChanges
	watchers     watchers
	debuggers    debuggers
	links        answerLinks
	received     *cache.Cache[Delivery, bool]        // by webhooks, the latest
	scheduler    atomic.Pointer[schedules.Scheduler] // nil unless it runs
	queue        *admission.Queue                    // what computes for long takes its turn
	pool         *admission.Pool                     // memory for what runs keep
	memory       Memory
	recoverDelay time.Duration
	recovers     atomic.Bool                           // runs are resumed
	slow         time.Duration                         // calls that take as long are logged; 0 logs none
	audit        *audit.Log                            // nil: none
	redact       func(json.RawMessage) json.RawMessage // masks secrets in what is written; nil masks nothing
}

func (e *execution) init(o *Options) {
	e.project, e.slow, e.audit, e.redact, e.recoverDelay = o.Project, o.SlowCall, o.Audit, o.Redact, recoverDelay
	e.received, e.links.notified = cache.New[Delivery, bool](maxDeliveries), cache.New[string, bool](maxNotified)
	e.queue = admission.New(admission.Options{Bytes: o.Memory / 4 * workShare})
	e.pool = admission.NewPool(o.Memory / 2)
}

// around are the workflows around calls.
type around struct {
	workflows        atomic.Pointer[workflowSet]
	workflowDocs     []*graph.Document  // those that are not files of their own
	loadingWorkflows sync.Mutex         // guards workflowDocs
	workflowFiles    *graphfiles.Graphs // nil: there is no folder of them
	beside           *config.Beside
	reporters        []workflowMetrics // guarded by the lock of the listeners
	hooks            *hookScripts
}

func (r *around) init(o *Options) {
	r.workflowDocs, r.workflowFiles, r.beside, r.hooks = o.Workflows, o.WorkflowFiles, o.Beside, newHookScripts(o)
}

// policy is who may see and call what.
type policy struct {
	reserved     map[string]string                                // scopes of the tools of the operations, by their names
	denied       atomic.Pointer[func(server, tool string) string] // as in [Options]; nil: nothing is
	policies     policies
	permissions  *permissions.Store
	process      string                              // begins the names of its sessions
	filter       atomic.Pointer[ToolFilter]          // nil: clients see all tools
	views        *snapshotCache[string, *view]       // by client
	limited      *snapshotCache[string, limitedView] // by the keys of rights
	exposePrefix string                              // of the names of downstream tools, where {server} is the server
}

func (p *policy) init(o *Options) {
	p.reserved, p.permissions, p.process, p.exposePrefix = toolScopes(Operations()), permissions.Open(o.Permissions), rand.Text(), o.ExposePrefix
	p.views = newSnapshotCache(cache.New[string, *view](maxViews))
	p.limited = newSnapshotCache(cache.New[string, limitedView](maxLimited))
	if o.Denied != nil {
		p.denied.Store(&o.Denied)
	}
	p.policies.set(o.Calls, nil)
}

// lifecycle is from the configuration to the end of the work in the background.
type lifecycle struct {
	config    atomic.Pointer[config.Config]
	setup     Setup      // with which the App was opened
	reloading sync.Mutex // one reload at a time
	started   sync.Once
	loaded    chan struct{} // closed when the first Start returns
	closed    sync.Once
	work      sync.WaitGroup  // in the background
	working   context.Context //nolint:containedctx // of that work
	endWork   context.CancelFunc
	flush     func() // sends the last spans; nil: there are none
}

func (l *lifecycle) init() {
	l.config.Store(&config.Config{Runs: config.Runs{NoRecover: true}})
	l.loaded = make(chan struct{})
	l.working, l.endWork = context.WithCancel(context.Background())
}

// listeners are told of changes.
type listeners struct {
	mu      sync.Mutex // guards what follows
	offered []func()   // called when what passes through a gateway may have changed
	changed []func()   // called when the set of published tools changes
}
