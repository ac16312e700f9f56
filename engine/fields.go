package engine

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

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
		d := p.Report(ruleMissingField, n.where(), n, "node %q of type %s has no %q", n.ID, n.Kind.Spec.NodeType, name)
		d.Hint = n.Kind.field(name).Doc
	}
	return v
}
