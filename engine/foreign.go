package engine

import (
	"context"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Packs is what Compile may ask about nodes of other systems; of these only
// knowledge is here.
type Packs interface {
	// Subtypes lists the subtypes of a node type that packs describe, sorted; nil
	// when none describes the type.
	Subtypes(nodeType string) []string
	// Node returns the knowledge about one node, or nil.
	Node(nodeType, subtype string) *specs.Spec
	// Meant returns the node type of a pack that a name in another spelling means, or
	// "". If that pack is not switched on, hint says how to do it.
	Meant(name string) (nodeType, hint string)
}

var (
	ruleForeign = diag.Define("foreign-node", diag.Note,
		"The node belongs to another workflow system that a knowledge pack describes. It can be checked but not run.")
	ruleSubtype = diag.Define("unknown-subtype", diag.Error,
		"The knowledge pack describes no such subtype of the node type.")
	rulePackParameter = diag.Define("bad-parameter", diag.Error,
		"A parameter of a node of another system is missing, unknown, of the wrong type or not one of its values.")
	ruleUnknownPort = diag.Define("unknown-port", diag.Error,
		"A node of another system has no output port, or no input port, of this name.")
	ruleConnections = diag.Define("too-many-connections", diag.Error,
		"A port of a node of another system has more connections than it takes.")
)

// foreignKind is the kind of the nodes of one type of another system: its fields
// are those every such node has, what it takes is in its spec.
func foreignKind(nodeType string) *Kind {
	return &Kind{
		Spec: specs.Spec{NodeType: nodeType, NotRunnable: true},
		Fields: []Field{
			{Name: "subtype", Type: "string", Doc: "subtype: <one that the pack describes>", Aliases: []string{"sub_type", "kind", "operation"}},
			{Name: "parameters", Type: "object", Doc: "parameters: {<name>: <value>}", Aliases: []string{"params", "args", "config", "arguments"}},
			{Name: "next", Type: "any", Edges: true, Doc: "next: <node id>, a list of them, or {<output port>: <node id> or list}; {node: <node id>, port: <input port>} in place of an id names the input port", Aliases: []string{"connections", "outputs"}},
		},
		Compile: compileForeign,
	}
}

// typeIsForeign finds the kind of a node that a knowledge pack describes.
func (p *Pass) typeIsForeign(n *Node, nodeType string) bool {
	if p.env.Packs == nil || p.env.Packs.Subtypes(nodeType) == nil {
		return false
	}
	k, ok := p.foreign[nodeType]
	if !ok {
		k = foreignKind(nodeType)
		if p.foreign == nil {
			p.foreign = map[string]*Kind{}
		}
		p.foreign[nodeType] = k
	}
	n.Kind = k
	return true
}

// typeIsMeant reports a type that a pack has under another spelling, or that only a pack
// has which is not switched on.
func (p *Pass) typeIsMeant(n *Node, v graph.Value) bool {
	if p.env.Packs == nil {
		return false
	}
	name, hint := p.env.Packs.Meant(v.Text())
	if name == "" {
		return false
	}
	d := p.Report(ruleUnknownType, v, n, "there is no node type %q", v.Text())
	if d.Hint = hint; hint != "" {
		p.elsewhere = true
		return true
	}
	d.WithFix(fmt.Sprintf("did you mean %q?", name), changeTo(v, name))
	return p.typeIsForeign(n, name)
}

// Foreign lists the ids of the catalog's nodes that the plan has and that cannot
// run here.
func (p *Plan) Foreign() []string { return p.foreign }

var CodeNotRunnable = diag.DefineFault("not-runnable", diag.FailsAttempt, "a node belongs to another workflow system", "such graphs can only be checked")

func compileForeign(p *Pass, n *Node) Compiled {
	nodeType := n.Kind.Spec.NodeType
	subtype := n.Field("subtype")
	spec := p.env.Packs.Node(nodeType, subtype.Text())
	p.Report(ruleForeign, n.Type, n, "%s is a node of another system: it can be checked but not run", nodeType)
	if spec == nil {
		d := p.Report(ruleSubtype, firstExisting(subtype, n.where()), n, "%s has no subtype %q", nodeType, subtype.Text())
		if !subtype.Exists() {
			d.Message = nodeType + " needs a subtype"
			d.Hint = "one of: " + diag.OneOf(p.env.Packs.Subtypes(nodeType), 12)
		} else if near := p.suggest(d, subtype, p.env.Packs.Subtypes(nodeType)); near != "" {
			spec = p.env.Packs.Node(nodeType, near)
		}
	}
	id := nodeType
	if spec != nil {
		id = spec.ID()
		p.checkParameters(n, spec)
	}
	p.plan.foreign = append(p.plan.foreign, id)
	return Compiled{Edges: p.ports(n, spec), Step: func(context.Context, *State) (Outcome, error) {
		return Outcome{}, diag.Faultf(CodeNotRunnable, "%s is a node of another system and cannot run here", id)
	}}
}
