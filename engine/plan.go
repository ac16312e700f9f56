package engine

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A Plan is a checked graph, ready to run. It is immutable: any number of runs
// of one plan may execute at once.
type Plan struct {
	Name        string
	Description string

	doc    *graph.Document
	tool   *graph.Tool
	kinds  *KindSet // that it was compiled with
	nodes  []planNode
	index  map[string]NodeIndex
	entry  NodeIndex
	limits run.Limits
	input  *schema.Schema
	output *schema.Schema

	numberTexts   []diag.Range
	unfilled      diag.List
	unpublishable diag.List
	foreign       []string
	workflow      *Workflow // nil of a graph that is not one
	readsContext  bool      // some expression reads $context
	trusted       bool      // the document is the operator's own
	unreviewed    bool      // no person answers for it: see Env
	asksModel     bool      // it, or a graph that it calls, has a node that asks a model
	detaches      bool      // it has detached branches
	printed       sync.Once
}

// Source is what is needed to compile the plan again.
func (p *Plan) Source() run.Source {
	return run.Source{Name: p.doc.Name, Text: p.doc.Src, Tool: p.Name, Trusted: p.trusted}
}

// NumberTexts returns where numbers that are read become text: equal ones have the same.
func (p *Plan) NumberTexts() []diag.Range { return p.numberTexts }

// Unreviewed reports whether a person is asked about the calls of the plan: see [Env].
func (p *Plan) Unreviewed() bool { return p.unreviewed }

// Kinds returns the node types that the plan was compiled with.
func (p *Plan) Kinds() *KindSet { return p.kinds }

// Detaches reports whether the plan has detached branches.
func (p *Plan) Detaches() bool { return p.detaches }

type planNode struct {
	id      string
	kind    *Kind
	step    Step
	edges   []Edge
	nextFor func(output expr.Value) (NodeIndex, error)
	restore func(ctx context.Context, s *State) error
	label   string // label of the node in the flow, after its id
	tool    *Tool  // what the node calls, where that is known
	callee  callee // what it names as that

	call     func(ctx context.Context, s *State) (run.Call, expr.Value, error) // the call that its step makes, without making it
	graph    func(ctx context.Context) (*Plan, *diag.Fault)                    // the plan that its step runs
	branches []string                                                          // that it runs at the same time

	exprs []nodeExpr
	rules []nodeRule

	foreach graph.Value // where its list of items is said
	item    string      // the variable that has one of them

	loose []detached // the branches that begin after it

	context    bool   // its output is the context of the workflow
	last       bool   // nothing follows it
	pure       bool   // it reads nothing but the run
	frame      bool   // its step consists of others
	perItem    bool   // its step is executed once for each item of a list
	marked     bool   // its input depends on the output of a model
	trusted    bool   // a person has said that it may
	repeatable bool   // doing it twice does no harm
	print      uint64 // of what the document says of it
}

// after is the node that follows when a node's output is given.
func (n *planNode) after(output expr.Value) (NodeIndex, error) {
	if n.nextFor != nil {
		return n.nextFor(output)
	}
	if len(n.edges) == 0 {
		return NoNode, nil
	}
	return n.edges[0].To, nil
}

// Tools returns the tools of downstream servers that the plan's nodes call, as far as
// they are known, each once and in document order.
func (p *Plan) Tools() []*specs.Spec {
	var used []*specs.Spec
	for i := range p.nodes {
		if t := p.nodes[i].tool; t != nil && t.Spec.NodeType == specs.MCP && !slices.Contains(used, t.Spec) {
			used = append(used, t.Spec)
		}
	}
	return used
}

// Models returns the names of the models that the plan's nodes ask.
func (p *Plan) Models() (names []string) {
	for i := range p.nodes {
		if n := &p.nodes[i]; n.kind.AsksModel {
			names = append(names, n.callee.tool)
		}
	}
	return names
}

// NodeIDs returns the ids of the plan's nodes in document order.
func (p *Plan) NodeIDs() []string {
	ids := make([]string, len(p.nodes))
	for i := range p.nodes {
		ids[i] = p.nodes[i].id
	}
	return ids
}

// InputSchema returns the schema of the arguments, or nil.
func (p *Plan) InputSchema() json.RawMessage {
	if p.input == nil {
		return nil
	}
	return p.input.Raw
}

// OutputSchema returns the schema of the result as its author wrote it, or nil.
func (p *Plan) OutputSchema() json.RawMessage {
	if p.output == nil {
		return nil
	}
	return p.output.Raw
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
