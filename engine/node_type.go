package engine

import (
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// resolveType finds the kind of a node.
func (p *Pass) resolveType(n *Node) {
	v := n.Type
	if !v.Is(graph.String) || v.Text() == "" {
		p.missingType(n, v)
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
	if (near == "" || n.Get("subtype").Exists()) && p.typeIsMeant(n, v) { // a subtype is of a pack's node
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
	d.Hint = fmt.Sprintf("did you mean %q?", near)
	d.Fixes = []diag.Fix{v.Replace(fmt.Sprintf("change to %q", near), near)}
}
