package engine

import (
	"context"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var (
	ruleWhichTool = diag.Define("which-tool", diag.Error,
		"The document has several tools, and the call does not name one.")
	ruleNoSuchTool = diag.Define("no-such-tool", diag.Error,
		"The document has no tool with the name in the call.")
	ruleNoTools = diag.Define("no-tools", diag.Error,
		"The document has no tools.")
)

// Compile checks one tool of a document, and those of its tools that it calls. It
// returns the plan of the one, or nil when there are errors. An empty tool name means the
// only one, or the one that the others are parts of. The diagnostics are in order of
// position.
func Compile(doc *graph.Document, tool string, env Env) (*Plan, diag.List) {
	return compileOne(context.Background(), doc, tool, env)
}

func compileOne(ctx context.Context, doc *graph.Document, tool string, env Env) (*Plan, diag.List) {
	var l diag.List
	p := newPass(ctx, doc, env, &l)
	p.checkDocument()
	if p.tool = p.pick(tool); p.tool == nil {
		return nil, l.Sort()
	}
	tools := p.newSiblings()
	chosen := tools.of(p.tool)
	tools.compile(chosen)
	found := tools.end()
	if found.HasErrors() {
		return nil, found
	}
	return chosen.plan, found
}

// CompileAll checks every tool of a document. The plans are in document order: nil
// where a tool has errors, and all nil where the document itself has some.
func CompileAll(doc *graph.Document, env Env) ([]*Plan, diag.List) {
	return compileEach(context.Background(), doc, env)
}

func compileEach(ctx context.Context, doc *graph.Document, env Env) ([]*Plan, diag.List) {
	var l diag.List
	p := newPass(ctx, doc, env, &l)
	p.checkDocument()
	tools := p.newSiblings()
	if len(tools.all) == 0 && !l.HasErrors() {
		p.noTools()
	}
	unusable := l.HasErrors()
	plans := make([]*Plan, len(tools.all))
	for i, s := range tools.all {
		if tools.compile(s); !unusable {
			plans[i] = s.plan
		}
	}
	return plans, tools.end()
}

// pick chooses the tool to compile, nil if it is not clear which is meant.
func (p *Pass) pick(name string) *graph.Tool {
	tools := p.tree.Tools
	if len(tools) == 0 {
		if !p.diags.HasErrors() {
			p.noTools()
		}
		return nil
	}
	if name == "" {
		name = p.doc.Whole()
	}
	var names []string
	for _, t := range tools {
		if t.Name.Text() == name && name != "" {
			return t
		}
		names = append(names, t.Name.Text())
	}
	if name == "" && len(tools) == 1 {
		return tools[0]
	}
	if name == "" {
		p.Report(ruleWhichTool, p.doc.Root, nil, "the document has %d tools", len(tools)).Hint = "choose one with the argument tool: " + diag.OneOf(names, 12)
		return nil
	}
	if len(tools) == 1 && p.tree.Bare() && names[0] == "" {
		return tools[0]
	}
	p.Report(ruleNoSuchTool, p.doc.Root, nil, "the document has no tool %q", name).Hint = "its tools are " + diag.OneOf(names, 12)
	return nil
}

func (p *Pass) noTools() {
	if !p.doc.Root.Is(graph.Object) {
		return // the parser has reported it
	}
	p.Report(ruleNoTools, p.doc.Root, nil, "the document has no tools").Hint = "send {nodes: […]} for one graph, or {version: \"1.0\", tools: [{name, description, inputSchema, outputSchema, nodes}]}"
}

// phases are the compilation of a tool. Each builds on what those before it have settled.
var phases = []func(*Pass){
	(*Pass).recoverTool, (*Pass).checkTool, // what is not in its nodes
	(*Pass).recoverNodes, (*Pass).collect, (*Pass).recoverEdges, // which nodes there are
	(*Pass).findExprArgs, (*Pass).findTypes, (*Pass).findEntry, (*Pass).readNodes, (*Pass).endpoints, // what they are
	(*Pass).compileNodes, (*Pass).findBranches, // how they run
	(*Pass).checkInputs, (*Pass).checkFlow, (*Pass).checkBranches, (*Pass).checkWorkflow, // how they are connected
	(*Pass).inferTypes, (*Pass).checkPublished, (*Pass).markModels, // what their values are
	(*Pass).reportUnreported,
}

func (p *Pass) compile() (*Plan, diag.List) {
	p.index = map[string]NodeIndex{}
	p.plan = &Plan{doc: p.doc, tool: p.tool, kinds: p.env.kinds(), index: p.index, entry: NoNode, trusted: !p.env.Untrusted, unreviewed: p.env.Unreviewed != nil && p.env.Unreviewed(p.doc)}
	for _, phase := range phases {
		phase(p)
	}
	l := p.diags.Sort()
	if l.HasErrors() {
		return nil, l
	}
	return p.plan, l
}

// findTypes finds the kinds of the nodes.
func (p *Pass) findTypes() {
	for _, n := range p.nodes {
		p.recoverType(n)
		p.resolveType(n)
	}
}

// readNodes reads the fields of the nodes.
func (p *Pass) readNodes() {
	for _, n := range p.nodes {
		p.did(0)
		if n.Kind == nil {
			continue
		}
		p.readFields(n)
		if n.Kind.Recover != nil {
			n.Kind.Recover(p, n)
		}
	}
}

// compileNodes compiles the nodes, each by itself.
func (p *Pass) compileNodes() {
	p.plan.nodes = make([]planNode, len(p.nodes))
	for i, n := range p.nodes {
		p.plan.nodes[i].id = n.ID
		if n.Kind == nil {
			continue
		}
		arounds := p.modifiers(n)
		c := wrap(arounds, n.Kind.Compile(p, n))
		n.infer = c.Infer
		p.plan.nodes[i] = planNode{
			id: n.ID, kind: n.Kind, step: c.Step, edges: c.Edges, nextFor: c.NextFor, restore: c.Restore, tool: n.tool, callee: n.callee, label: n.label(),
			pure: c.Pure, perItem: c.PerItem, repeatable: c.NotRepeatableBecause == "", branches: c.Branches, frame: n.Kind.RunsGraph || n.Kind.Forks, call: c.Call, graph: c.Graph, exprs: n.exprs, rules: n.rules, foreach: n.foreach, item: n.item, context: c.Context, last: c.Last, trusted: n.trusted,
		}
		if n.Kind.Detaches {
			p.plan.nodes[i].loose = p.looseAfter(c.Edges)
		}
		if n.Kind.Starts && p.plan.entry == NoNode {
			p.plan.entry = n.Index
		}
	}
}

// MissingForSave lists what a valid tool still lacks to be saved: the name,
// description and schemas that a caller of the saved graph needs.
func MissingForSave(tool *graph.Tool) []string {
	var missing []string
	for _, part := range []struct {
		name string
		v    graph.Value
	}{{"name", tool.Name}, {"description", tool.Description}, {"inputSchema", tool.InputSchema}, {"outputSchema", tool.OutputSchema}} {
		if v := part.v; !v.Exists() || v.Is(graph.Null) || v.Is(graph.String) && v.Text() == "" {
			missing = append(missing, part.name)
		}
	}
	return missing
}

// Tool returns the plan's tool in its document.
func (p *Plan) Tool() *graph.Tool { return p.tool }

// Document returns the document the plan was compiled from.
func (p *Plan) Document() *graph.Document { return p.doc }

func describe(t *graph.Tool) string {
	if name := t.Name.Text(); name != "" {
		return fmt.Sprintf("tool %q", name)
	}
	return "the tool"
}
