// Package plans has what graphs are built of and compiled to: the catalog, saved graphs and
// drafts, and the definitions of tools that they pin.
package plans

import (
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/process"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/store/observed"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Plans are what graphs are built of and compiled to: the catalog, saved graphs, and drafts.
// [New] returns them.
type Plans struct {
	process *process.Process
	policy  *policy.Policy
	servers *servers.Gateway

	Kinds  *engine.KindSet
	Limits run.Limits
	Hooks  engine.Hooks // checks scripts; nil: there are none
	Drafts *drafts

	Catalog   *catalog.Catalog
	Packs     packList
	Seen      *observed.Store // nil: nothing is learned
	Tools     atomic.Pointer[toolCache]
	Following following

	Saved        *graphfiles.Graphs // nil: none is saved
	Documents    []*graph.Document  // the operator's own, whose tools are served
	cached       *process.SnapshotCache[string, cachedPlan]
	lacking      atomic.Pointer[map[string][]string] // what saved graphs lack here, by the name
	callees      atomic.Pointer[func() callees]      // of the operator's documents and of saved graphs
	expose       int                                 // saved graphs published unless they say otherwise
	Agents       config.GraphsOfAgents               // what agents may do with saved graphs
	GraphsFollow process.Follower                    // files saved graphs again when tools change
	filing       sync.Mutex                          // held while saved graphs are filed in the catalog
	unapproved   []string                            // saved graphs that the log names; guarded by filing
	filed        []*filedGraph                       // saved graphs by name; guarded by filing
	groups       map[string][]*specs.Spec            // their specs by origin; guarded by filing
	grouped      bool                                // they are more than [graphfiles.FewGraphs]; guarded by filing

	views        *process.SnapshotCache[string, *view]       // by client
	limited      *process.SnapshotCache[string, limitedView] // by the keys of rights
	exposePrefix string                                      // of the names of downstream tools, where {server} is the server
}

// Options are the parts of plans.
type Options struct {
	Kinds          *engine.KindSet
	Limits         run.Limits
	Catalog        *catalog.Catalog // nil: a new one
	Seen           *observed.Store  // nil: nothing is learned
	Graphs         *graphfiles.Graphs
	Documents      []*graph.Document
	GraphsOfAgents config.GraphsOfAgents
	ExposeMax      *int
	ExposePrefix   string
	Refresh        func()               // files saved graphs again
	BuiltinPacks   func() []BuiltinPack // nil: there are none
}

// New returns a Plans.
func New(proc *process.Process, pol *policy.Policy, gw *servers.Gateway, o Options) *Plans {
	pl := &Plans{process: proc, policy: pol, servers: gw}
	pl.groups = map[string][]*specs.Spec{}
	pl.Kinds, pl.Limits, pl.Drafts, pl.Catalog, pl.Seen = o.Kinds, o.Limits, newDrafts(), o.Catalog, o.Seen
	if pl.Catalog == nil {
		pl.Catalog = catalog.New()
	}
	pl.Saved, pl.Documents, pl.expose, pl.Agents, pl.exposePrefix = o.Graphs, o.Documents, defaultExposed, o.GraphsOfAgents, o.ExposePrefix
	if o.ExposeMax != nil {
		pl.expose = *o.ExposeMax
	}
	pl.cached = process.NewSnapshotCache(cache.New[string, cachedPlan](maxPlans))
	pl.views = process.NewSnapshotCache(cache.New[string, *view](maxViews))
	pl.limited = process.NewSnapshotCache(cache.New[string, limitedView](maxLimited))
	pl.GraphsFollow.F, pl.Packs.builtin = o.Refresh, o.BuiltinPacks
	return pl
}

// defaultExposed is how many saved graphs are published unless they say otherwise.
const defaultExposed = 20
