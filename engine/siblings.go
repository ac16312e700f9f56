package engine

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// siblings are the tools of one document, which may call each other. Each is compiled
// at most once, when a tool that calls it is.
type siblings struct {
	document *Pass // its diagnostics are those of the document as a whole
	all      []*sibling
	byName   map[string]*sibling // the first of a name
	depth    int
	later    []*sibling // to be compiled when the others are
}

// maxSiblingDepth is how many tools are compiled inside each other: a document may be
// a chain of thousands.
const maxSiblingDepth = 64

// A sibling is a tool of the document in compilation.
type sibling struct {
	tool  *graph.Tool
	pass  *Pass // nil until it is begun
	plan  *Plan // nil until it is compiled, and then if it has errors
	found diag.List
}

// newSiblings returns the tools of the document of a pass. None is compiled yet.
func (p *Pass) newSiblings() *siblings {
	d := &siblings{document: p, byName: map[string]*sibling{}}
	for _, t := range p.tree.Tools {
		s := &sibling{tool: t}
		d.all = append(d.all, s)
		if name := t.Name.Text(); name != "" && d.byName[name] == nil {
			d.byName[name] = s
		}
	}
	return d
}

// of returns the sibling of a tool.
func (d *siblings) of(t *graph.Tool) *sibling {
	for _, s := range d.all {
		if s.tool == t {
			return s
		}
	}
	return nil
}

// compile compiles a tool and those that it calls.
func (d *siblings) compile(s *sibling) {
	d.need(s)
	for len(d.later) > 0 {
		next := d.later[0]
		d.later = d.later[1:]
		d.need(next)
	}
}

// need compiles a tool unless that is begun, later if too many wait for it.
func (d *siblings) need(s *sibling) {
	switch {
	case s.pass != nil:
		return
	case d.depth == maxSiblingDepth:
		d.later = append(d.later, s)
		return
	}
	p := d.document
	var found diag.List
	s.pass = &Pass{ctx: p.ctx, turn: p.turn, doc: p.doc, tree: p.tree, env: p.env, diags: &found, suppressedKeys: p.suppressedKeys, tool: s.tool, siblings: d}
	d.depth++
	s.plan, s.found = s.pass.compile()
	d.depth--
}

// end drops what only the compilation needs, and adds what was found to the
// diagnostics of the document.
func (d *siblings) end() diag.List {
	l := *d.document.diags
	for _, s := range d.all {
		l = append(l, s.found...)
		s.pass, s.found = nil, nil
	}
	return l.Sort()
}

// names lists the tools.
func (d *siblings) names() []string {
	var names []string
	for _, s := range d.all {
		if name := s.tool.Name.Text(); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// described is the sibling as a node that can be called. What it does is known
// unless it is in compilation itself: graphs may call each other in a circle.
func (s *sibling) described(doc *graph.Document) *Tool {
	spec := &specs.Spec{NodeType: specs.Graph, Subtype: s.tool.Name.Text(), InputSchema: s.tool.InputSchema.JSON(), OutputSchema: s.tool.OutputSchema.JSON()}
	asks := doc.HasNode("model") || len(doc.Calls()) > 0
	if s.plan != nil {
		spec.Annotations, asks = s.plan.annotations(), s.plan.asksModel
	}
	if s.pass != nil && s.pass.plan != nil {
		return &Tool{Spec: spec, Input: s.pass.plan.input, Output: s.pass.plan.output, AsksModel: asks}
	}
	return &Tool{Spec: spec, Input: schema.New(spec.InputSchema), Output: schema.New(spec.OutputSchema), AsksModel: asks}
}

var CodeInvalidGraph = diag.DefineFault("invalid-graph", diag.FailsAttempt, "the graph, or a saved graph that it calls, has errors", "`patchbay validate` shows them")

// ready returns the plan of the sibling once the document is compiled.
func (s *sibling) ready(context.Context) (*Plan, *diag.Fault) {
	if s.plan == nil {
		return nil, diag.Faultf(CodeInvalidGraph, "the tool %q of this document has errors, so it cannot be called", s.tool.Name.Text()).
			WithHint("validate_graph says what is wrong with it")
	}
	return s.plan, nil
}
