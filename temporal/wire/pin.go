package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A pinner collects what plans refer to.
type pinner struct {
	pinned        Pinned
	maxReply      func(model string) int
	tools, graphs map[string]bool
	plans         map[*engine.Plan]bool
}

func (p *pinner) add(ctx context.Context, plan *engine.Plan) error {
	if p.plans[plan] {
		return nil
	}
	p.plans[plan] = true
	for _, name := range plan.Models() {
		if p.pinned.Models == nil {
			p.pinned.Models = map[string]int{}
		}
		if p.maxReply != nil {
			p.pinned.Models[name] = p.maxReply(name)
		}
	}
	for _, spec := range plan.Tools() {
		if !p.tools[spec.Subtype] {
			p.tools[spec.Subtype] = true
			p.pinned.Tools = append(p.pinned.Tools, toolOf(spec))
		}
	}
	called, fault := plan.CalledGraphs(ctx)
	if fault != nil {
		return fault
	}
	for _, g := range called {
		if !g.Own && !p.graphs[g.Name] {
			p.graphs[g.Name] = true
			pinned := Graph{Name: g.Name, Source: g.Plan.Source(), Unreviewed: g.Plan.Unreviewed()}
			if g.Tool != nil {
				pinned.Tool = toolOf(g.Tool.Spec)
				pinned.AsksModel = g.Tool.AsksModel
			}
			p.pinned.Graphs = append(p.pinned.Graphs, pinned)
		}
		if err := p.add(ctx, g.Plan); err != nil {
			return err
		}
	}
	return nil
}

func toolOf(spec *specs.Spec) Tool {
	t := Tool{Tool: spec.Tool(), Description: spec.Description, Input: spec.InputSchema, Output: spec.OutputSchema}
	if spec.NodeType == specs.MCP {
		t.Server = spec.Server()
	}
	if spec.Annotations != nil {
		t.Annotations, _ = json.Marshal(spec.Annotations) // of booleans
	}
	return t
}

// Compile compiles what a run runs. Its result depends on nothing but the arguments. A
// fault says that the document does not compile with these node types.
func (p *Pinned) Compile(source run.Source, kinds *engine.KindSet) (*engine.Plan, *diag.Fault) {
	return p.compile(source, p.Unreviewed, kinds, &planCache{plans: map[string]*engine.Plan{}})
}

// A planCache has the saved graphs of a run that have been compiled.
type planCache struct {
	sync.Mutex

	plans map[string]*engine.Plan
}

func (p *Pinned) compile(source run.Source, unreviewed bool, kinds *engine.KindSet, plans *planCache) (*engine.Plan, *diag.Fault) {
	doc, found := graph.Parse(source.Name, source.Text)
	if doc == nil {
		return nil, notCompiled(source, found)
	}
	env := engine.Env{
		Tools: pinnedTools{p}, Graphs: pinnedGraphs{p, kinds, plans}, Kinds: kinds, Limits: p.Limits,
		Untrusted: !source.Trusted, Unreviewed: func(*graph.Document) bool { return unreviewed },
	}
	plan, found := engine.Compile(doc, source.Tool, env)
	if plan == nil {
		return nil, notCompiled(source, found)
	}
	return plan, nil
}

func notCompiled(source run.Source, found diag.List) *diag.Fault {
	f := diag.Faultf(diag.CodeGraphChanged, "the graph %q of the run does not compile on this worker", source.Name)
	if len(found) > 0 {
		f.Message += ": " + found[0].Message
	}
	f.Hint = "the worker is of another version than the process that started the run: keep workers of that version until their runs have ended"
	return f
}

// pinnedTools implements engine.Tools.
type pinnedTools struct{ *Pinned }

func (p pinnedTools) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	for i := range p.Tools {
		if t := &p.Tools[i]; t.Server == server && t.Tool == tool {
			return t.asTool(specs.MCP, server+"/"+tool), nil
		}
	}
	return nil, diag.Faultf(diag.CodeUnknownTool, "the run has no tool %s/%s pinned", server, tool)
}

func (p pinnedTools) Names() []string {
	names := make([]string, len(p.Tools))
	for i, t := range p.Tools {
		names[i] = t.Server + "/" + t.Tool
	}
	slices.Sort(names)
	return names
}

func (p pinnedTools) Resolve(name string) (server, tool string, ok bool) {
	for _, full := range p.Names() {
		server, tool, _ := strings.Cut(full, "/")
		if name == full || name == tool || name == fmt.Sprintf("mcp-%s-%s", server, tool) {
			return server, tool, true
		}
	}
	return "", "", false
}

func (t *Tool) asTool(nodeType, subtype string) *engine.Tool {
	spec := &specs.Spec{NodeType: nodeType, Subtype: subtype, Title: t.Tool, Description: t.Description, InputSchema: t.Input, OutputSchema: t.Output}
	if t.Annotations != nil {
		spec.Annotations = &specs.Annotations{}
		_ = json.Unmarshal(t.Annotations, spec.Annotations) // as toolOf wrote it
	}
	return &engine.Tool{Spec: spec, Input: schema.New(t.Input), Output: schema.New(t.Output)}
}

// pinnedGraphs implements engine.Graphs.
type pinnedGraphs struct {
	*Pinned

	kinds *engine.KindSet
	plans *planCache
}

func (p pinnedGraphs) find(name string) *Graph {
	for i := range p.Graphs {
		if p.Graphs[i].Name == name {
			return &p.Graphs[i]
		}
	}
	return nil
}

func (p pinnedGraphs) Graph(name string) (*engine.Tool, *diag.Fault) {
	if g := p.find(name); g != nil {
		tool := g.Tool.asTool(specs.Graph, name)
		tool.AsksModel = g.AsksModel
		return tool, nil
	}
	return nil, unknownGraph(name)
}

func (p pinnedGraphs) Plan(_ context.Context, name string) (*engine.Plan, *diag.Fault) {
	p.plans.Lock()
	defer p.plans.Unlock()
	if plan := p.plans.plans[name]; plan != nil {
		return plan, nil
	}
	g := p.find(name)
	if g == nil {
		return nil, unknownGraph(name)
	}
	plan, fault := p.compile(g.Source, g.Unreviewed, p.kinds, p.plans)
	if fault == nil {
		p.plans.plans[name] = plan
	}
	return plan, fault
}

func (p pinnedGraphs) Names() []string {
	names := make([]string, len(p.Graphs))
	for i, g := range p.Graphs {
		names[i] = g.Name
	}
	slices.Sort(names)
	return names
}

func unknownGraph(name string) *diag.Fault {
	return diag.Faultf(diag.CodeUnknownGraph, "the run has no saved graph %q pinned", name)
}
