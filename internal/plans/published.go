package plans

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
	"github.com/patchbay-mcp/patchbay/specs"
)

// graphTools are the graphs that the server offers as tools of their own.
type graphTools struct {
	plans  *Plans
	expose int // saved graphs that are offered unless they say otherwise
}

// A PublishedTool is a graph that the server offers as an MCP tool of its own.
type PublishedTool struct {
	Name         string
	Title        string
	Description  string
	InputSchema  json.RawMessage // of an object
	OutputSchema json.RawMessage // of an object, or nil
	Annotations  *specs.Annotations
	Revision     string   // changes when any of the above may have
	LeftOut      []string // keywords of the author's schemas that these are without, and why
}

// maxPlans is how many plans are kept.
const maxPlans = 100_000

// A cachedPlan is that of a published or saved graph, or of single calls of a tool, until
// its text or the catalog changes.
type cachedPlan struct {
	revision string
	plan     *engine.Plan
	found    diag.List
}

// CompiledBy returns a plan, compiling it at most once per state of the catalog, with
// and without tools.
func (pl *Plans) CompiledBy(key, revision string, compile func() (*engine.Plan, diag.List, *diag.Fault)) (*engine.Plan, diag.List, *diag.Fault) {
	snap := pl.Catalog.Snapshot()
	c, ok := pl.cached.Get(snap, key)
	hit := ok && c.revision == revision
	pl.process.CacheUse.Plans.Note(hit)
	if hit {
		return c.plan, c.found, nil
	}
	c = cachedPlan{revision: revision}
	var fault *diag.Fault
	if c.plan, c.found, fault = compile(); fault != nil {
		return nil, nil, fault
	}
	if !slices.ContainsFunc(c.found, serverDown) { // a server may start without a new list
		pl.cached.Add(pl.Catalog, snap, key, c)
	}
	return c.plan, c.found, nil
}

// SavedPlan compiles a saved graph in its turn. Plan and fault are nil when the file
// has faults, which are then in found.
func (pl *Plans) SavedPlan(ctx context.Context, name string) (*engine.Plan, diag.List, *diag.Fault) {
	return pl.SavedPlanIn(ctx, false, name)
}

// SavedPlanIn is savedPlan, alone without asking any server.
func (pl *Plans) SavedPlanIn(ctx context.Context, alone bool, name string) (*engine.Plan, diag.List, *diag.Fault) {
	if fault := pl.Views.GraphHidden(ctx, name); fault != nil {
		return nil, nil, fault
	}
	if doc, ok := pl.Document(name); ok {
		return pl.Compiled(ctx, alone, "document:"+name, "", name, doc)
	}
	if pl.Saved == nil {
		return nil, nil, NoGraphs()
	}
	g, tool, fault := pl.Saved.Find(name)
	if fault != nil {
		return nil, nil, fault
	}
	if !alone {
		pl.Tools.AwaitPinned(ctx, g.Name)
	}
	plan, found, fault := pl.Compiled(ctx, alone, "graph:"+name, g.Revision, tool.Name.Text(), g.Doc)
	if plan != nil && !alone {
		if fault := pl.Tools.checkPins(g, plan); fault != nil {
			return nil, nil, fault
		}
	}
	return plan, found, fault
}

// Compiled returns the plan of a document.
func (pl *Plans) Compiled(ctx context.Context, alone bool, key, revision, tool string, doc *graph.Document) (*engine.Plan, diag.List, *diag.Fault) {
	if alone {
		key = "alone:" + key
	}
	if pl.Approvals.Unreviewed(doc) {
		revision += " unreviewed"
	}
	return pl.CompiledBy(key, revision, func() (plan *engine.Plan, found diag.List, fault *diag.Fault) {
		s := &Source{Text: doc.Src}
		fault = pl.process.Compute(ctx, s.ToCheck(), func(ctx context.Context) {
			env := pl.EnvAlone(false)
			if !alone {
				env = pl.Env(request.ForOperator(ctx), false)
				env.Unreviewed = pl.Approvals.Unreviewed // the plan is kept for others, too
				if name, saved := strings.CutPrefix(key, "graph:"); saved {
					if g, _, fault := pl.Saved.Find(name); fault == nil {
						env.Tools.(*ToolResolver).pins, _ = pl.Saved.Pins(g.Name)
					}
				}
			}
			plan, found, _ = engine.CompileContext(context.WithoutCancel(ctx), doc, tool, env)
		})
		return plan, found, fault
	})
}

// Document finds the operator's document that has a tool.
func (pl *Plans) Document(tool string) (*graph.Document, bool) {
	for _, doc := range pl.Documents {
		for _, t := range doc.Tools() {
			if t.Name.Text() == tool {
				return doc, true
			}
		}
	}
	return nil, false
}

// List returns the graphs that are tools of the server: those of the
// operator's documents, and the saved ones that are exposed. Names are unique,
// in order of origin and name.
func (gt *graphTools) List() []PublishedTool { return gt.tools("") }

// tools are all of List, or only the tool of a name.
func (gt *graphTools) tools(only string) []PublishedTool {
	var tools []PublishedTool
	seen := map[string]bool{}
	add := func(t *graph.Tool, name, revision string, annotations *specs.Annotations) {
		if only != "" && name != only || seen[name] || gt.plans.policy.IsOperation(name) || !engine.ValidName(name) || t.Workflow.Exists() {
			return
		}
		seen[name] = true
		input, less := listing.Input(t.InputSchema.JSON())
		output, lesser := listing.Output(t.OutputSchema.JSON())
		tools = append(tools, PublishedTool{
			Name: name, Title: t.Title.Text(), Description: listing.ShortDescription(t.Description.Text()), Annotations: annotations, Revision: revision,
			InputSchema: input, OutputSchema: output, LeftOut: append(less, lesser...),
		})
	}
	for _, doc := range gt.plans.Documents {
		for _, t := range doc.Tools() {
			add(t, t.Name.Text(), graph.Revision(string(t.JSON())), nil)
		}
	}
	if gt.plans.Saved == nil {
		return tools
	}
	list, _ := gt.plans.Saved.List()
	byDefault, approval, lacking := 0, gt.plans.Saved.ApprovalsNow(), gt.plans.GraphSpecs.lackingNow()
	for _, g := range list {
		names := g.WholeTools() // a document is published with all of them, or not
		switch {
		case g.Expose == nil && byDefault+len(names) > gt.expose, g.Expose != nil && !*g.Expose, lacking[g.Name] != nil, !gt.plans.Approvals.mayPublish(approval(g)):
			continue
		case g.Expose == nil:
			byDefault += len(names)
		}
		if only != "" && !slices.Contains(names, only) {
			continue
		}
		err := Alone(func() {
			for _, name := range names {
				var hints *specs.Annotations
				if spec := gt.plans.Catalog.Snapshot().Spec("graph:" + name); spec != nil {
					hints = spec.Annotations
				}
				add(g.Named(name), name, g.Revision+" "+effects(hints), hints)
			}
		})
		if err != nil {
			gt.plans.process.Log.Error("a saved graph cannot be published", "path", g.Path, "error", err)
		}
	}
	return tools
}

// Many reports whether it takes long to read the saved graphs.
func (gt *graphTools) Many() bool {
	return gt.plans.Saved != nil && gt.plans.Saved.More(graphfiles.FewGraphs)
}

// effects tells annotations apart.
func effects(a *specs.Annotations) string {
	if a == nil {
		return ""
	}
	return fmt.Sprint(a.IsReadOnly(), a.IsDestructive(), a.MayRepeat())
}

// Has reports whether a graph is the tool of a name.
func (gt *graphTools) Has(name string) bool { return gt.Named(name) != nil }

// Named returns the graph that is the tool of a name, or nil.
func (gt *graphTools) Named(name string) *PublishedTool {
	if list := gt.tools(name); name != "" && len(list) > 0 {
		return &list[0]
	}
	return nil
}

// Alone runs what loads one saved graph and turns a panic into an error: the other
// graphs are still served.
func Alone(load func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	load()
	return nil
}

// StillRunning is the code of the fault with which a published graph replies while its
// run continues.
var StillRunning = diag.DefineFault("still-running", diag.RefusesRequest, "the run of a graph's own tool takes longer than its call waits", "`get_run` with its ID")

// SavedFaults returns what is wrong with the tools of a saved graph against the current
// catalog.
func SavedFaults(ctx context.Context, pl *Plans, name string) diag.List {
	names := []string{name}
	if g, _, fault := pl.Saved.Find(name); fault == nil {
		names = g.ToolNames()
	}
	var found diag.List
	for _, name := range names {
		found = append(found, savedFaults(ctx, pl, name)...)
	}
	return found
}

// MeantOtherwise returns what earlier builds did otherwise in a saved graph: conditions
// that may give a list, and where numbers that are read become text.
func MeantOtherwise(ctx context.Context, pl *Plans, name string) (conditions diag.List, texts []diag.Range) {
	err := Alone(func() {
		plan, found, _ := pl.SavedPlan(ctx, name)
		for _, d := range found {
			if d.Code == "maybe-list-condition" {
				conditions = append(conditions, d)
			}
		}
		if plan != nil {
			texts = plan.NumberTexts()
		}
	})
	if err != nil {
		return nil, nil // SavedFaults says it
	}
	return conditions, texts
}

func savedFaults(ctx context.Context, pl *Plans, name string) diag.List {
	var found diag.List
	var fault *diag.Fault
	if err := Alone(func() {
		var plan *engine.Plan
		if plan, found, fault = pl.SavedPlan(ctx, name); plan != nil {
			plan.Spec(name, "")
		}
	}); err != nil {
		fault = diag.Faultf(graphfiles.CodeBrokenGraph, "it cannot be loaded: %w", err)
	}
	if fault != nil {
		return diag.List{{Code: fault.Code, Severity: diag.Error, Message: fault.Message, Hint: fault.Hint}}
	}
	return found.With(diag.Error)
}
