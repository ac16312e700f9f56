package plans

import (
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/specs"
)

// graphSpecs are the specs of saved graphs in the catalog.
type graphSpecs struct {
	plans   *Plans
	filing  sync.Mutex                          // held while they are filed in the catalog
	lacking atomic.Pointer[map[string][]string] // what saved graphs lack here, by the name
	filed   []*filedGraph                       // saved graphs by name; guarded by filing
	groups  map[string][]*specs.Spec            // their specs by origin; guarded by filing
	grouped bool                                // they are more than [graphfiles.FewGraphs]; guarded by filing
}

// File puts the saved graphs into the catalog, each under what it does.
func (gs *graphSpecs) File() {
	snap := gs.plans.Catalog.Snapshot() // before filing is locked: it may file them for the first time
	gs.file(snap, gs.plans.Catalog.Replace)
}

// FileLater is File when the catalog is first read.
func (gs *graphSpecs) FileLater() { gs.plans.Catalog.Then(gs.file) }

func (gs *graphSpecs) file(snap *catalog.Snapshot, file func(origin string, list []*specs.Spec)) {
	if gs.plans.Saved == nil {
		gs.plans.Views.setCallees(nil)
		gs.plans.Following.file(func() []*graph.Document { return gs.plans.Documents })
		return
	}
	gs.filing.Lock()
	defer gs.filing.Unlock()
	list, broken := gs.plans.Saved.List()
	for _, b := range broken {
		gs.plans.process.Log.Warn("a saved graph cannot be read", "path", b.Path, "error", b.Fault.Message)
	}
	known, approval := &ToolResolver{Plans: gs.plans, Known: true, at: snap}, gs.plans.Saved.ApprovalsNow()
	before, now, changed := gs.filed, make([]*filedGraph, 0, len(list)), changedGroups{}
	if many := len(list) > graphfiles.FewGraphs; many != gs.grouped {
		gs.grouped, changed.any, changed.all = many, true, true
	}
	for _, g := range list {
		for len(before) > 0 && before[0].graph.Name < g.Name {
			changed.note(before[0])
			before = before[1:]
		}
		var was *filedGraph
		if len(before) > 0 && before[0].graph.Name == g.Name {
			was = before[0]
			before = before[1:]
		}
		var f *filedGraph
		if err := Alone(func() { f = gs.fileGraph(g, was, approval(g), known) }); err != nil {
			gs.plans.process.Log.Error("a saved graph cannot be loaded", "path", g.Path, "error", err)
		} else {
			now = append(now, f)
		}
		if f != was {
			changed.note(was)
			changed.note(f)
		}
	}
	for _, gone := range before {
		changed.note(gone)
	}
	if gs.filed != nil && !changed.any {
		return
	}
	gs.filed = now
	gs.plans.Approvals.noteUnapproved(now)
	gs.plans.Following.file(func() []*graph.Document {
		docs := slices.Clone(gs.plans.Documents)
		for _, f := range now {
			if len(f.lacks) == 0 && f.specs[0] != nil {
				docs = append(docs, f.graph.Doc)
			}
		}
		return docs
	})
	gs.plans.Views.setCallees(list) // first: what is in the catalog is judged by it
	gs.fileSpecs(now, &changed, file)
}

// graphGroups is in how many groups more than [graphfiles.FewGraphs] are filed: a save indexes
// only the group again that it changes.
const graphGroups = 256

// changedGroups are those that have to be filed again.
type changedGroups struct {
	any, all bool
	groups   [graphGroups]bool
}

func (c *changedGroups) note(f *filedGraph) {
	if f == nil {
		return
	}
	c.any = true
	for _, group := range f.groups {
		c.groups[group] = true
	}
}

// fileSpecs puts the specs of saved graphs into the catalog, as far as they have changed.
func (gs *graphSpecs) fileSpecs(all []*filedGraph, changed *changedGroups, file func(origin string, list []*specs.Spec)) {
	var first, others [graphGroups][]*specs.Spec // others of a document: the name of a file has precedence
	var templates []*specs.Spec
	lacking := map[string][]string{}
	for _, f := range all {
		if len(f.lacks) > 0 {
			lacking[f.graph.Name], templates = f.lacks, append(templates, f.specs...)
			continue
		}
		for i, spec := range f.specs {
			switch group := f.groups[i]; {
			case spec == nil, gs.grouped && !changed.all && !changed.groups[group]:
			case i == 0:
				first[group] = append(first[group], spec)
			default:
				others[group] = append(others[group], spec) // those of one name have their precedence in one group
			}
		}
	}
	gs.lacking.Store(&lacking)
	again := func(origin string, list []*specs.Spec) {
		if !slices.Equal(list, gs.groups[origin]) {
			file(origin, list)
			gs.groups[origin] = list
		}
	}
	if gs.grouped {
		again("graphs", nil)
	} else {
		again("graphs", slices.Concat(append(first[:], others[:]...)...))
	}
	for i, list := range first {
		switch origin := fmt.Sprintf("graphs/%02x", i); {
		case !gs.grouped:
			again(origin, nil)
		case changed.all || changed.groups[i]:
			again(origin, append(list, others[i]...))
		}
	}
	again("templates", templates)
}

// A filedGraph has the specs of the tools of a saved graph, and all that they depend on
// besides its text.
type filedGraph struct {
	graph    *graphfiles.Graph
	lacks    []string      // why it cannot run here: then its only spec is a template
	specs    []*specs.Spec // in the order of ToolNames, nil for a part of a function, and a tool with faults
	groups   []uint8       // of these
	approval graphfiles.Approval
	asked    askedTools
	alone    bool // they depend on no server and no other graph
}

// fileGraph describes a saved graph, unless it would be described again as it was.
func (gs *graphSpecs) fileGraph(g *graphfiles.Graph, was *filedGraph, a graphfiles.Approval, known *ToolResolver) *filedGraph {
	same := was != nil && was.graph == g && was.approval == a
	if same && was.alone {
		return was
	}
	lacks := gs.lacks(g, map[string]bool{})
	switch {
	case same && slices.Equal(lacks, was.lacks) && (len(lacks) > 0 || was.asked.again(known)):
		return was
	case len(lacks) > 0:
		return &filedGraph{graph: g, lacks: lacks, approval: a, specs: Typed([]*specs.Spec{templateSpec(g, lacks)})}
	}
	return gs.describe(g, a, known)
}

// again reports whether all that was asked would be answered so again.
func (a *askedTools) again(known *ToolResolver) bool {
	if a.more {
		return false
	}
	for name, was := range a.found {
		if now, _ := known.Tool(name[0], name[1]); now != was {
			return false
		}
	}
	return true
}

// askedTools notes what a compilation asks of tools.
type askedTools struct {
	engine.Tools
	found map[[2]string]*engine.Tool
	more  bool // what was asked is not only tools that there are
}

func (a *askedTools) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	t, fault := a.Tools.Tool(server, tool)
	a.found[[2]string{server, tool}], a.more = t, a.more || fault != nil
	return t, fault
}

func (a *askedTools) Names() []string {
	a.more = true
	return a.Tools.Names()
}

func (a *askedTools) Resolve(name string) (server, tool string, ok bool) {
	a.more = true
	return a.Tools.Resolve(name)
}

// describe describes the tools of a saved graph as nodes.
func (gs *graphSpecs) describe(g *graphfiles.Graph, a graphfiles.Approval, known *ToolResolver) *filedGraph {
	f := &filedGraph{graph: g, approval: a, asked: askedTools{Tools: known, found: map[[2]string]*engine.Tool{}}}
	for _, name := range g.ToolNames() {
		var spec *specs.Spec
		if g.Doc.IsPart(name) {
			// no spec
		} else if plan := gs.compileKnown(g.Doc, g.Named(name).Name.Text(), &f.asked); plan != nil && plan.Workflow() == nil {
			spec = plan.Spec(name, g.Revision)
			if a == graphfiles.Unapproved {
				spec.NotApproved = WhyUnapproved(a)
			}
		}
		h := fnv.New32a()
		h.Write([]byte(name))
		f.specs, f.groups = append(f.specs, spec), append(f.groups, uint8(h.Sum32()%graphGroups))
	}
	f.asked.Tools = nil // it has a state of the catalog
	f.alone = !f.asked.more && len(f.asked.found) == 0 && (gs.plans.servers.Hub == nil || !g.Needs())
	return f
}

// knownPlan compiles a tool of a document with the tools that are known, or else without
// looking at them; nil if it has faults.
func (gs *graphSpecs) knownPlan(doc *graph.Document, tool string) *engine.Plan {
	return gs.compileKnown(doc, tool, &ToolResolver{Plans: gs.plans, Known: true})
}

func (gs *graphSpecs) compileKnown(doc *graph.Document, tool string, known engine.Tools) *engine.Plan {
	plan, _ := engine.Compile(doc, tool, engine.Env{Kinds: gs.plans.Kinds, Limits: gs.plans.Limits, Tools: known})
	if plan == nil {
		plan, _ = engine.Compile(doc, tool, engine.Env{Kinds: gs.plans.Kinds, Limits: gs.plans.Limits})
	}
	return plan
}
