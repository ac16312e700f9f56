package engine

import (
	"github.com/patchbay-mcp/patchbay/diag"
)

// A Picture is how drawings of a graph show the nodes of a kind. The zero value is
// a box with the node's id, and what the node calls or its type in parentheses.
type Picture struct {
	Outline Outline
	Suffix  string // follows the id in text, in the place of the parentheses
	Bare    bool   // the id alone
}

// An Outline is the shape around a node's title.
type Outline int

// The outlines.
const (
	Box Outline = iota
	Oval
	Diamond
)

// title is the node in a drawing: its id, and what it does in brief.
func (n *planNode) title() string {
	id := diag.Cut(n.id, flowName)
	switch picture := n.kind.Picture; {
	case picture.Bare:
		return id
	case picture.Suffix != "":
		return id + picture.Suffix
	case n.label != "":
		return id + "(" + diag.Cut(n.label, flowName) + ")"
	}
	return id + "(" + n.kind.Spec.NodeType + ")"
}

// caption is the title of a node whose outline says what the suffix would.
func (n *planNode) caption() string {
	if n.kind.Picture.Suffix != "" {
		return diag.Cut(n.id, flowName)
	}
	return n.title()
}
