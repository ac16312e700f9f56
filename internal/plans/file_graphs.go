package plans

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/specs"
)

// PublishGraphs puts the saved graphs into the catalog, each under what it does.
func (pl *Plans) PublishGraphs() {
	snap := pl.Catalog.Snapshot() // before filing is locked: it may file them for the first time
	pl.publishGraphs(snap, pl.Catalog.Replace)
}

// PublishGraphsLater is [Plans.PublishGraphs] when the catalog is first read.
func (pl *Plans) PublishGraphsLater() { pl.Catalog.Then(pl.publishGraphs) }

func (pl *Plans) publishGraphs(snap *catalog.Snapshot, file func(origin string, list []*specs.Spec)) {
	docs := slices.Clone(pl.Documents)
	var named []namedDocument
	for _, doc := range docs {
		var names []string
		for _, t := range doc.Tools() {
			names = append(names, t.Name.Text())
		}
		named = append(named, namedDocument{doc, names})
	}
	if pl.Saved == nil {
		pl.setCallees(named)
		pl.Following.file(docs)
		return
	}
	pl.filing.Lock()
	defer pl.filing.Unlock()
	list, broken := pl.Saved.List()
	for _, b := range broken {
		pl.process.Log.Warn("a saved graph cannot be read", "path", b.Path, "error", b.Fault.Message)
	}
	pl.noteUnapproved(list)
	var templates, all, others []*specs.Spec // others of a document: the name of a file has precedence
	lacking := map[string][]string{}
	described := make(map[*graphfiles.Graph]*describedGraph, len(list))
	known, approval := &ToolResolver{Plans: pl, Known: true, at: snap}, pl.Saved.ApprovalsNow()
	for _, g := range list {
		if err := Alone(func() {
			named = append(named, namedDocument{g.Doc, g.ToolNames()})
			if lacks := pl.lacks(g, map[string]bool{}); len(lacks) > 0 {
				lacking[g.Name], templates = lacks, append(templates, templateSpec(g, lacks))
				return
			}
			d := pl.described[g]
			if d == nil || !d.holds(approval(g), known) {
				d = pl.describe(g, approval(g), known)
			}
			described[g] = d
			for i, spec := range d.specs {
				switch {
				case spec == nil:
				case i == 0:
					all, docs = append(all, spec), append(docs, g.Doc)
				default:
					others = append(others, spec)
				}
			}
		}); err != nil {
			pl.process.Log.Error("a saved graph cannot be loaded", "path", g.Path, "error", err)
		}
	}
	pl.described = described
	pl.lacking.Store(&lacking)
	pl.Following.file(docs)
	pl.setCallees(named) // first: what is in the catalog is judged by it
	pl.fileGraphs(append(all, others...), file)
	file("templates", Typed(templates))
}

// graphGroups is in how many groups more than [graphfiles.FewGraphs] are filed: a save indexes
// only the group again that it changes.
const graphGroups = 256

// fileGraphs puts the specs of saved graphs into the catalog, as far as they have changed.
func (pl *Plans) fileGraphs(all []*specs.Spec, file func(origin string, list []*specs.Spec)) {
	groups := map[string][]*specs.Spec{}
	for _, spec := range all {
		origin := "graphs"
		if len(all) > graphfiles.FewGraphs {
			h := fnv.New32a()
			h.Write([]byte(spec.Subtype)) // those of one name have their precedence in one group
			origin = fmt.Sprintf("graphs/%02x", h.Sum32()%graphGroups)
		}
		groups[origin] = append(groups[origin], spec)
	}
	for _, origin := range slices.Sorted(maps.Keys(groups)) {
		if !slices.Equal(groups[origin], pl.groups[origin]) {
			file(origin, groups[origin])
		}
	}
	for origin := range pl.groups {
		if groups[origin] == nil {
			file(origin, nil)
		}
	}
	pl.groups = groups
}

// A describedGraph has the specs of the tools of a saved graph, and all that they depend on
// besides its text.
type describedGraph struct {
	specs    []*specs.Spec // in the order of ToolNames, nil for a part of a function, and a tool with faults
	approval graphfiles.Approval
	asked    askedTools
}

// holds reports whether a graph would be described so again.
func (d *describedGraph) holds(a graphfiles.Approval, known *ToolResolver) bool {
	if d.asked.more || d.approval != a {
		return false
	}
	for name, was := range d.asked.found {
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
func (pl *Plans) describe(g *graphfiles.Graph, approval graphfiles.Approval, known *ToolResolver) *describedGraph {
	d := &describedGraph{approval: approval, asked: askedTools{Tools: known, found: map[[2]string]*engine.Tool{}}}
	for _, name := range g.ToolNames() {
		var spec *specs.Spec
		if g.IsPart(name) {
			// no spec
		} else if plan := pl.compileKnown(g.Doc, g.Named(name).Name.Text(), &d.asked); plan != nil && plan.Workflow() == nil {
			spec = plan.Spec(name, g.Revision)
			if d.approval == graphfiles.Unapproved {
				spec.NotApproved = WhyUnapproved(d.approval)
			}
		}
		d.specs = append(d.specs, spec)
	}
	d.asked.Tools = nil // it has a state of the catalog
	return d
}

// knownPlan compiles a tool of a document with the tools that are known, or else without
// looking at them; nil if it has faults.
func (pl *Plans) knownPlan(doc *graph.Document, tool string) *engine.Plan {
	return pl.compileKnown(doc, tool, &ToolResolver{Plans: pl, Known: true})
}

func (pl *Plans) compileKnown(doc *graph.Document, tool string, known engine.Tools) *engine.Plan {
	plan, _ := engine.Compile(doc, tool, engine.Env{Kinds: pl.Kinds, Limits: pl.Limits, Tools: known})
	if plan == nil {
		plan, _ = engine.Compile(doc, tool, engine.Env{Kinds: pl.Kinds, Limits: pl.Limits})
	}
	return plan
}
