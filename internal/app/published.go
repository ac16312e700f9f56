package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

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

// compiledBy returns a plan, compiling it at most once per state of the catalog, with
// and without tools.
func (a *App) compiledBy(key, revision string, compile func() (*engine.Plan, diag.List, *diag.Fault)) (*engine.Plan, diag.List, *diag.Fault) {
	snap := a.discovery.catalog.Snapshot()
	c, ok := a.library.plans.get(snap, key)
	hit := ok && c.revision == revision
	a.discovery.cacheUse.plans.note(hit)
	if hit {
		return c.plan, c.found, nil
	}
	c = cachedPlan{revision: revision}
	var fault *diag.Fault
	if c.plan, c.found, fault = compile(); fault != nil {
		return nil, nil, fault
	}
	if !slices.ContainsFunc(c.found, serverDown) { // a server may start without a new list
		a.library.plans.add(a.discovery.catalog, snap, key, c)
	}
	return c.plan, c.found, nil
}

// savedPlan compiles a saved graph in its turn. Plan and fault are nil when the file
// has faults, which are then in found.
func (a *App) savedPlan(ctx context.Context, name string) (*engine.Plan, diag.List, *diag.Fault) {
	return a.savedPlanIn(ctx, false, name)
}

// savedPlanIn is savedPlan, alone without asking any server.
func (a *App) savedPlanIn(ctx context.Context, alone bool, name string) (*engine.Plan, diag.List, *diag.Fault) {
	if fault := a.graphHidden(ctx, name); fault != nil {
		return nil, nil, fault
	}
	if doc, ok := a.document(name); ok {
		return a.compiled(ctx, alone, "document:"+name, "", name, doc)
	}
	if a.library.graphs == nil {
		return nil, nil, noGraphs()
	}
	g, tool, fault := a.library.graphs.Find(name)
	if fault != nil {
		return nil, nil, fault
	}
	if !alone {
		a.awaitPinned(ctx, g.Name)
	}
	plan, found, fault := a.compiled(ctx, alone, "graph:"+name, g.Revision, tool.Name.Text(), g.Doc)
	if plan != nil && !alone {
		if fault := a.checkPins(g, plan); fault != nil {
			return nil, nil, fault
		}
	}
	return plan, found, fault
}

// compiled returns the plan of a document.
func (a *App) compiled(ctx context.Context, alone bool, key, revision, tool string, doc *graph.Document) (*engine.Plan, diag.List, *diag.Fault) {
	if alone {
		key = "alone:" + key
	}
	if a.unreviewed(doc) {
		revision += " unreviewed"
	}
	return a.compiledBy(key, revision, func() (plan *engine.Plan, found diag.List, fault *diag.Fault) {
		s := &source{text: doc.Src}
		fault = a.compute(ctx, s.toCheck(), func(ctx context.Context) {
			env := a.envAlone(false)
			if !alone {
				env = a.env(forOperator(ctx), false)
				env.Unreviewed = a.unreviewed // the plan is kept for others, too
				if name, saved := strings.CutPrefix(key, "graph:"); saved {
					if g, _, fault := a.library.graphs.Find(name); fault == nil {
						env.Tools.(*toolResolver).pins, _ = a.library.graphs.Pins(g.Name)
					}
				}
			}
			plan, found, _ = engine.CompileContext(context.WithoutCancel(ctx), doc, tool, env)
		})
		return plan, found, fault
	})
}

// document finds the operator's document that has a tool.
func (a *App) document(tool string) (*graph.Document, bool) {
	for _, doc := range a.library.documents {
		for _, t := range doc.Tools() {
			if t.Name.Text() == tool {
				return doc, true
			}
		}
	}
	return nil, false
}

// Published returns the graphs that are tools of the server: those of the
// operator's documents, and the saved ones that are exposed. Names are unique,
// in order of origin and name.
func (a *App) Published() []PublishedTool {
	var tools []PublishedTool
	seen := map[string]bool{}
	add := func(t *graph.Tool, name, revision string, annotations *specs.Annotations) {
		if seen[name] || a.IsOperation(name) || !engine.ValidName(name) || t.Workflow.Exists() {
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
	for _, doc := range a.library.documents {
		for _, t := range doc.Tools() {
			add(t, t.Name.Text(), graph.Revision(string(t.JSON())), nil)
		}
	}
	if a.library.graphs == nil {
		return tools
	}
	list, _ := a.library.graphs.List()
	byDefault := 0
	for _, g := range list {
		names := g.ToolNames() // a document is published with all its tools, or not
		switch {
		case !a.mayPublish(g) || a.elsewhere(g.Name) != nil:
			continue
		case g.Expose == nil && byDefault+len(names) <= a.library.expose:
			byDefault += len(names)
		case g.Expose == nil || !*g.Expose:
			continue
		}
		err := alone(func() {
			for _, name := range names {
				var hints *specs.Annotations
				if spec := a.discovery.catalog.Snapshot().Spec("graph:" + name); spec != nil {
					hints = spec.Annotations
				}
				add(g.Named(name), name, g.Revision+" "+effects(hints), hints)
			}
		})
		if err != nil {
			a.log.Error("a saved graph cannot be published", "path", g.Path, "error", err)
		}
	}
	return tools
}

// effects tells annotations apart.
func effects(a *specs.Annotations) string {
	if a == nil {
		return ""
	}
	return fmt.Sprint(a.IsReadOnly(), a.IsDestructive(), a.MayRepeat())
}

func (a *App) isPublished(name string) bool { return a.published(name) != nil }

// published returns the graph that is the tool of a name, or nil.
func (a *App) published(name string) *PublishedTool {
	for _, t := range a.Published() {
		if t.Name == name {
			return &t
		}
	}
	return nil
}

// alone runs what loads one saved graph and turns a panic into an error: the other
// graphs are still served.
func alone(load func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	load()
	return nil
}

// Refresh looks at the saved graphs again: what they do depends on tools that may
// have come since.
func (a *App) Refresh() {
	a.publishGraphs()
	a.loadWorkflows()
	a.announce()
}

// CallGraph runs a published graph as the tool it is.
func (a *App) CallGraph(ctx context.Context, name string, arguments json.RawMessage) (*RunResult, *diag.Fault) {
	return a.start(ctx, name, arguments, "", true)
}

// StillRunning is the code of the fault with which a published graph replies while its
// run continues.
var StillRunning = diag.DefineFault("still-running", diag.RefusesRequest, "the run of a graph's own tool takes longer than its call waits", "`get_run` with its ID")

// ToolReply is the reply of a published graph: its result as structured content,
// or why there is none.
func (r *RunResult) ToolReply() (json.RawMessage, *diag.Fault) {
	switch {
	case r.Error != nil && r.Hint != "":
		f := *r.Error
		f.Hint = diag.JoinHints(f.Hint, r.Hint)
		return nil, &f
	case r.Error != nil:
		return nil, r.Error
	case r.Status == string(run.Running):
		return nil, diag.Faultf(StillRunning, "the run %s is still in progress after %.0f ms", r.RunID, r.DurationMs).WithHint(r.Hint)
	}
	return engine.Wrap(r.Result), nil
}

// SavedFaults returns what is wrong with the tools of a saved graph against the current
// catalog.
func (a *App) SavedFaults(ctx context.Context, name string) diag.List {
	names := []string{name}
	if g, _, fault := a.library.graphs.Find(name); fault == nil {
		names = g.ToolNames()
	}
	var found diag.List
	for _, name := range names {
		found = append(found, a.savedFaults(ctx, name)...)
	}
	return found
}

// MeantOtherwise returns what earlier builds did otherwise in a saved graph: conditions
// that may give a list, and where numbers that are read become text.
func (a *App) MeantOtherwise(ctx context.Context, name string) (conditions diag.List, texts []diag.Range) {
	err := alone(func() {
		plan, found, _ := a.savedPlan(ctx, name)
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

func (a *App) savedFaults(ctx context.Context, name string) diag.List {
	var found diag.List
	var fault *diag.Fault
	if err := alone(func() {
		var plan *engine.Plan
		if plan, found, fault = a.savedPlan(ctx, name); plan != nil {
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
