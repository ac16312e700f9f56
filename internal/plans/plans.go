// Package plans has what graphs are built of and compiled to: the catalog, saved graphs and
// drafts, and the definitions of tools that they pin.
package plans

import (
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

	Kinds     *engine.KindSet
	Limits    run.Limits
	Hooks     engine.Hooks // checks scripts; nil: there are none
	Drafts    *drafts
	Catalog   *catalog.Catalog
	Seen      *observed.Store // nil: nothing is learned
	Following following
	cached    *process.SnapshotCache[string, cachedPlan]

	Saved        *graphfiles.Graphs    // nil: none is saved
	Documents    []*graph.Document     // the operator's own, whose tools are served
	Agents       config.GraphsOfAgents // what agents may do with saved graphs
	GraphsFollow process.Follower      // files saved graphs again when tools change

	*Downstream
	Tools      toolSet
	Packs      packList
	Approvals  approvals
	GraphSpecs graphSpecs
	GraphTools graphTools
	Views      views
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
	pl.Kinds, pl.Limits, pl.Drafts, pl.Catalog, pl.Seen = o.Kinds, o.Limits, newDrafts(), o.Catalog, o.Seen
	if pl.Catalog == nil {
		pl.Catalog = catalog.New()
	}
	pl.Saved, pl.Documents, pl.Agents = o.Graphs, o.Documents, o.GraphsOfAgents
	pl.cached = process.NewSnapshotCache(cache.New[string, cachedPlan](maxPlans))
	pl.GraphsFollow.F, pl.Packs.builtin = o.Refresh, o.BuiltinPacks
	pl.Downstream, pl.Tools.plans, pl.Approvals.plans = &Downstream{pl}, pl, pl
	pl.GraphSpecs.plans, pl.GraphSpecs.groups = pl, map[string][]*specs.Spec{}
	pl.GraphTools.plans, pl.GraphTools.expose = pl, defaultExposed
	if o.ExposeMax != nil {
		pl.GraphTools.expose = *o.ExposeMax
	}
	pl.Views.plans, pl.Views.exposePrefix = pl, o.ExposePrefix
	pl.Views.clients = process.NewSnapshotCache(cache.New[string, *view](maxViews))
	pl.Views.limited = process.NewSnapshotCache(cache.New[string, limitedView](maxLimited))
	return pl
}

// defaultExposed is how many saved graphs are published unless they say otherwise.
const defaultExposed = 20
