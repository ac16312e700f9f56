package engine

import (
	"fmt"
	"strconv"
	"strings"
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
