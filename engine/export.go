package engine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// Mermaid draws the plan as a Mermaid flowchart.
func (p *Plan) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i := range p.nodes {
		n := &p.nodes[i]
		open, closing := `["`, `"]`
		switch n.kind.Picture.Outline {
		case Oval:
			open, closing = `(["`, `"])`
		case Diamond:
			open, closing = `{"`, `"}`
		}
		fmt.Fprintf(&b, "  n%d%s%s%s\n", i, open, strings.ReplaceAll(n.caption(), `"`, "&quot;"), closing)
	}
	for i := range p.nodes {
		for _, e := range p.nodes[i].edges {
			switch {
			case e.To == NoNode:
			case e.Label == "":
				fmt.Fprintf(&b, "  n%d --> n%d\n", i, e.To)
			default:
				fmt.Fprintf(&b, "  n%d -->|%s| n%d\n", i, strings.ReplaceAll(e.Label, "|", "/"), e.To)
			}
		}
	}
	return b.String()
}

// Dot draws the plan in Graphviz's language.
func (p *Plan) Dot() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n  node [shape=box];\n", strconv.Quote(p.Name))
	for i := range p.nodes {
		n := &p.nodes[i]
		shape := ""
		switch n.kind.Picture.Outline {
		case Oval:
			shape = ", shape=oval"
		case Diamond:
			shape = ", shape=diamond"
		}
		fmt.Fprintf(&b, "  n%d [label=%s%s];\n", i, strconv.Quote(n.title()), shape)
	}
	for i := range p.nodes {
		for _, e := range p.nodes[i].edges {
			switch {
			case e.To == NoNode:
			case e.Label == "":
				fmt.Fprintf(&b, "  n%d -> n%d;\n", i, e.To)
			default:
				fmt.Fprintf(&b, "  n%d -> n%d [label=%s];\n", i, e.To, strconv.Quote(e.Label))
			}
		}
	}
	b.WriteString("}\n")
	return b.String()
}

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

// positionKey is the key of any node under which editors keep where they show it. It is not
// a field of a kind: it changes neither what the node does nor its fingerprint.
const positionKey = "ui"

// PositionDoc says what a node may have under ui.
const PositionDoc = "where an editor shows the node: {x, y}, two numbers; it changes nothing else"

var ruleBadPosition = diag.Define("bad-position", diag.Warning,
	"The ui of a node is not {x, y} with two numbers. Editors ignore it and place the node themselves.")

// checkPosition reports a position that editors cannot use.
func (p *Pass) checkPosition(n *Node, v graph.Value) {
	good := v.Is(graph.Object) && v.Get("x").Is(graph.Number) && v.Get("y").Is(graph.Number)
	for _, key := range v.Keys() {
		good = good && (key == "x" || key == "y")
	}
	if good {
		return
	}
	p.Report(ruleBadPosition, v, n, "ui is not {x, y} with two numbers").
		WithFix(PositionDoc, v.Remove("remove \"ui\""))
}
