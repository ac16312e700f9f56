package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    specs.Graph,
		Title:       "Saved graph",
		Description: "Runs another tool of the same document, or else a saved graph, as one step. Its output is that graph's result. A search finds saved graphs; each has a skeleton to copy.",
		Tags:        []string{"subgraph", "workflow", "call", "reuse", "nested"},
		Intents:     []string{"run another graph", "call a saved graph", "reuse a workflow", "call a subworkflow", "compose graphs", "run every item through a graph"},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", Required: true, Description: "the node executed before"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "any", Description: "the saved graph's result", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"call","type":"graph","graph":"<saved graph>","args":{},"next":"exit"}`),
		Examples: []specs.Example{{
			Title: "A graph that calls itself",
			Graph: `name: factorial
description: Factorial of a small number
inputSchema: {type: object, properties: {n: {type: integer, maximum: 10}}, required: [n]}
outputSchema: {type: object, properties: {value: {type: number}}, required: [value]}
nodes:
  - {id: entry, type: entry, next: small}
  - {id: small, type: switch, conditions: [{rule: {"<=": [{var: $.entry.n}, 1]}, next: one}], next: less}
  - {id: one, type: transform, transform: {expr: '{"value": 1}'}, next: exit}
  - {id: less, type: graph, graph: factorial, args: {n: {expr: $.entry.n - 1}}, next: times}
  - {id: times, type: transform, transform: {expr: '{"value": $.entry.n * $.less.value}'}, next: exit}
  - {id: exit, type: exit}
`,
			Arguments: json.RawMessage(`{"n":5}`),
			Result:    json.RawMessage(`{"value":120}`),
		}},
	},
	RunsGraph:   true,
	ActsOutside: true,
	Aliases:     strings.Fields("subgraph sub_graph subworkflow workflow call_graph execute_workflow subflow flow graph_call"),
	Guide:       GuideRow{Fields: "graph: name of a tool of the same document or of a saved graph, args, next", Output: "its result"},
	Fields: []Field{
		{Name: "graph", Type: "string", Required: true, Doc: "graph: <name of a tool of the same document, or of a saved graph>", Aliases: strings.Fields("name graphName graph_name workflow workflowId saved ref subgraph subtype flow")},
		{Name: "args", Type: "object", Doc: "args: {<argument>: <literal> or {expr: <JSONata>}}", Aliases: strings.Fields("parameters arguments params input inputs with payload data")},
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the node that follows", Aliases: nextAliases},
	},
	Modifiers: AllModifiers,
	Compile:   compileGraph,
})

var ruleUnknownGraph = diag.Define("unknown-graph", diag.Error,
	"No tool of the same document and no saved graph has this name.")

var ruleOwnGraph = diag.Define("own-graph", diag.Note,
	"A node names a tool of its own document, and a saved graph has the same name. The tool of the document is called.")

// MaxGraphDepth is how deep graphs may call graphs.
const MaxGraphDepth = 16

var tooDeep = diag.DefineFault("recursion-too-deep", diag.FailsNode, "graphs call each other too deep, usually one calls itself", "end the recursion with a `switch`")

// graphCall is a compiled call of a saved graph.
type graphCall struct {
	name   string
	plan   func(ctx context.Context) (*Plan, *diag.Fault)
	args   *Template
	next   NodeIndex
	schema *Tool
}

func compileGraph(p *Pass, n *Node) Compiled {
	edges := p.Next(n)
	c := &graphCall{next: edges[0].To}
	c.schema, c.plan = p.savedGraph(n)
	n.tool = c.schema
	c.name = n.callee.tool
	c.args = p.args(n)
	p.checkArgs(n, n.tool, c.args)
	once := ""
	if n.tool == nil || !n.tool.Spec.Annotations.MayRepeat() {
		once = "not all of the saved graph's tools are known, by trusted annotations, to be read-only"
	}
	return Compiled{Edges: edges, Step: c.step, Graph: c.plan, NotRepeatableBecause: once, Infer: func(t *Types) types.Type {
		t.checkArguments(n.tool, c.args)
		return n.tool.outputType()
	}}
}

// savedGraph finds the graph a node calls: a tool of the same document, or a saved one.
func (p *Pass) savedGraph(n *Node) (*Tool, func(context.Context) (*Plan, *diag.Fault)) {
	v := p.Require(n, "graph")
	if !v.Exists() {
		return nil, nil
	}
	if !v.Is(graph.String) {
		p.Report(ruleWrongShape, v, n, "expected the name of a saved graph, got %s", shape(v))
		return nil, nil
	}
	name := v.Text()
	n.callee = callee{"graph", name}
	graphs := p.env.Graphs
	find := func(name string) func(context.Context) (*Plan, *diag.Fault) {
		return func(ctx context.Context) (*Plan, *diag.Fault) {
			if graphs == nil {
				return nil, diag.Faultf(diag.CodeUnknownGraph, "there are no saved graphs, so %q cannot be called", name)
			}
			return savedPlan(ctx, graphs, name)
		}
	}
	if tool, plan := p.ownGraph(n, v, name); tool != nil {
		return tool, plan
	}
	if graphs == nil {
		return nil, find(name)
	}
	if tool, fault := graphs.Graph(name); fault == nil {
		return tool, find(name)
	}
	own := p.siblings.names()
	d := p.Report(ruleUnknownGraph, v, n, "there is no saved graph %q", name)
	if len(own) > 1 {
		d.Message = fmt.Sprintf("there is no tool of this document and no saved graph %q", name)
	}
	near := p.suggest(d, v, slices.Concat(own, graphs.Names()))
	d.Hint = cmp.Or(d.Hint, "no graphs are saved yet; save_graph saves one")
	if near == "" {
		return nil, nil
	}
	n.callee.tool = near
	if tool, plan := p.ownGraph(n, v, near); tool != nil {
		return tool, plan
	}
	tool, _ := graphs.Graph(near)
	return tool, find(near)
}

// ownGraph finds a tool of the same document, which a node means rather than a saved
// graph of that name.
func (p *Pass) ownGraph(n *Node, v graph.Value, name string) (*Tool, func(context.Context) (*Plan, *diag.Fault)) {
	s := p.siblings.byName[name]
	if s == nil {
		return nil, nil
	}
	p.siblings.need(s)
	if s.tool != p.tool && p.env.Graphs != nil {
		if saved, fault := p.env.Graphs.Graph(name); fault == nil && saved.Spec.Source == sourceGraphs {
			p.Report(ruleOwnGraph, v, n, "%q is the tool of this document, not the saved graph of that name", name)
		}
	}
	return s.described(p.doc), s.ready
}

var codeNotJSON = diag.DefineFault("not-json", diag.FailsNode, "a value of the call is not JSON, such as a function", "correct the expression")

func (c *graphCall) step(ctx context.Context, s *State) (Outcome, error) {
	value, err := c.args.Eval(ctx, s)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Input: value, Next: c.next}
	if fault := placeArgs.fault(value); fault != nil {
		return out, fault
	}
	args := json.RawMessage("{}")
	if value != nil {
		if args, err = expr.Encode(value); err != nil {
			return out, diag.Faultf(codeNotJSON, "the arguments are not JSON: %w", err)
		}
	}
	if s.depth+1 > MaxGraphDepth {
		return out, diag.Faultf(tooDeep, "graphs call graphs more than %d deep, through node %q of %q", MaxGraphDepth, s.step.Node, s.plan.Name).
			WithHint("end the recursion earlier, with a switch before the call")
	}
	plan, fault := c.plan(ctx)
	if fault != nil {
		return out, fault
	}
	out.Output, err = s.nested(ctx, plan, args)
	if err != nil && context.Cause(ctx) == nil && !run.Parked(err) {
		err = c.inside(run.AsFault(err))
	}
	return out, err
}

// inside turns a fault of the saved graph into one of the node that calls it.
func (c *graphCall) inside(f *diag.Fault) *diag.Fault {
	outer := *f
	outer.Node, outer.Path, outer.Err = "", "", f
	switch {
	case f.Code == tooDeep: // once, not for each graph on the way
	case f.Node != "":
		outer.Message = fmt.Sprintf("graph %q failed in its node %q: %s", c.name, f.Node, f.Message)
	default:
		outer.Message = fmt.Sprintf("graph %q: %s", c.name, f.Message)
	}
	return &outer
}

// nested runs another plan within this run: it shares the run's limits, and its
// steps are recorded under the key of the step in progress, and under the number of
// its attempt from the second on.
func (s *State) nested(ctx context.Context, plan *Plan, arguments json.RawMessage) (expr.Value, error) {
	input, err := plan.Input(arguments)
	if err != nil {
		return nil, err
	}
	if plan.limits.MaxExecutionTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = s.rt.Deadline(ctx, plan.limits.MaxExecutionTime, timeUp(plan.limits.MaxExecutionTime))
		defer cancel()
	}
	c := newState(plan, s.rt, input, &run.Options{ID: s.run.id, Limits: s.opts.Limits, Operator: s.opts.Operator, Session: s.opts.Session})
	c.run, c.dir, c.depth, c.marked = s.run, s.step.Key+"/", s.depth+1, s.marked || s.step.node.marked
	if s.step.Attempts > 1 {
		c.dir += "#" + strconv.Itoa(s.step.Attempts) + "/"
	}
	return c.graph(ctx)
}
