package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// sourceGraphs is the source of specs of saved graphs.
const sourceGraphs = "graphs"

// Spec describes the plan as a node of the catalog: a saved graph of a name and
// revision.
func (p *Plan) Spec(name, revision string) *specs.Spec {
	input := schema.Read(p.InputSchema())
	skeleton, _ := json.Marshal(map[string]any{"id": name, "type": specs.Graph, "graph": name, "args": schema.Sample(input), "next": "exit"})
	s := &specs.Spec{
		NodeType: specs.Graph, Subtype: name, Version: revision, Category: "graph", Source: sourceGraphs,
		Title: p.tool.Title.Text(), Description: p.Description,
		Parameters:  schema.Parameters(input),
		InputSchema: p.InputSchema(), OutputSchema: p.OutputSchema(),
		Skeleton:    skeleton,
		InputPorts:  []specs.Port{{Name: "input", Type: "object", Required: true, Description: "the saved graph's arguments"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "any", Description: "the saved graph's result", DataFormat: &specs.DataFormat{MimeType: "application/json", Schema: p.OutputSchema()}}},
		Annotations: p.annotations(),
	}
	return s
}

// annotations of a saved graph follow from the tools it calls: it changes nothing
// if none of them does.
func (p *Plan) annotations() *specs.Annotations {
	all := &specs.Annotations{Trusted: true}
	readOnly, destructive := true, false
	for i := range p.nodes {
		if t := p.nodes[i].tool; t != nil {
			readOnly = readOnly && t.Spec.Annotations.IsReadOnly()
			destructive = destructive || t.Spec.Annotations.IsDestructive()
		} else if p.nodes[i].kind.ActsOutside {
			readOnly, destructive = false, true
		}
	}
	all.ReadOnly = &readOnly
	if !readOnly {
		all.Destructive = &destructive
	}
	return all
}

var (
	ruleMisspeltKey = diag.Define("misspelt-key", diag.Error,
		"A key looks like a misspelling of one that is allowed here. It would be ignored, so it is an error.")
	ruleUnknownKey = diag.Define("unknown-key", diag.Warning,
		"A key has no meaning here and is ignored.")
	ruleSnakeCase = diag.Define("snake-case-key", diag.Warning,
		"A key is written in snake_case. The format's keys are camelCase.")
	ruleToleratedKey = diag.Define("tolerated-key", diag.Note,
		"mcpGraph accepts this key here and ignores it.")
	ruleMissingField = diag.Define("missing-field", diag.Error,
		"A field that the node type requires is missing.")
)

// readFields files what the node says under the fields of its kind.
func (p *Pass) readFields(n *Node) {
	known := true
	for key, v := range n.Members() {
		switch {
		case key == "id" || key == "type" || n.suppressed[key]:
		case p.plan.workflow != nil && (key == "label" || key == positionKey): // of an editor
		case key == positionKey:
			p.checkPosition(n, v)
		case n.Kind.field(key) != nil:
			n.set(key, v)
		default:
			known = false
		}
	}
	n.dropEdges()
	if !known {
		p.recoverFields(n)
	}
}

// Require returns a field that must be there, reporting its absence.
func (p *Pass) Require(n *Node, name string) graph.Value {
	v := n.given(name)
	if !v.Exists() && !n.suppressed[name] {
		p.Report(ruleMissingField, n.where(), n, "node %q of type %s has no %q", n.ID, n.Kind.Spec.NodeType, name).Hint = n.Kind.field(name).Doc
	}
	return v
}

// resolveType finds the kind of a node.
func (p *Pass) resolveType(n *Node) {
	v := n.Type
	if !v.Is(graph.String) || v.Text() == "" {
		p.missingType(n)
		return
	}
	name := v.Text()
	if k := p.env.kinds().types[name]; k != nil && p.fits(n, k) {
		return
	}
	if p.typeIsIdiom(n, v) || p.typeIsForeign(n, name) || p.typeIsTool(n, v) {
		return
	}
	near := p.alias(name)
	if (near == "" || n.Has("subtype")) && p.typeIsMeant(n, v) { // a subtype is of a pack's node
		return
	}
	if near == "" {
		near = p.closest(name, p.typeNames())
	}
	d := p.Report(ruleUnknownType, v, n, "there is no node type %q", name)
	if near == "" {
		d.Hint = "the types are " + strings.Join(p.typeNames(), ", ") + "; search_nodes finds nodes by task"
		return
	}
	n.Kind = p.env.kinds().types[near]
	d.WithFix(fmt.Sprintf("did you mean %q?", near), changeTo(v, near))
}
