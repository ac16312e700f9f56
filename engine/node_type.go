package engine

import (
	"fmt"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// resolveType finds the kind of a node, recovering from what authors write
// instead.
func (p *Pass) resolveType(n *Node) {
	v := n.Get("type")
	for _, alias := range []string{"kind", "node_type", "nodeType"} {
		if a := n.Get(alias); !v.Exists() && a.Is(graph.String) {
			d := p.Report(ruleMissingType, n.Key(alias), n, "the node has no type, only %q", alias)
			d.Fixes = []diag.Fix{n.RenameKey(`rename to "type"`, alias, "type")}
			n.suppressed[alias] = true
			v = a
		}
	}
	if !v.Is(graph.String) || v.Text() == "" {
		p.missingType(n, v)
		return
	}
	name := v.Text()
	if k := kinds[name]; k != nil {
		n.Kind = k
		return
	}
	if p.typeIsForeign(n, name) || p.typeIsTool(n, v) {
		return
	}
	near := kindsByAlias()[plain(name)]
	if near == "" {
		near = p.closest(name, kindNames())
	}
	d := p.Report(ruleUnknownType, v, n, "no node type is called %q", name)
	if near == "" {
		d.Hint = "the types are " + strings.Join(kindNames(), ", ") + "; search_nodes finds what does the job"
		return
	}
	n.Kind = kinds[near]
	d.Hint = fmt.Sprintf("did you mean %q?", near)
	d.Fixes = []diag.Fix{v.Replace(fmt.Sprintf("change to %q", near), near)}
}

var kindNames = sync.OnceValue(func() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Spec.NodeType)
	}
	return names
})
