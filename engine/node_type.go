package engine

import (
	"fmt"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

// resolveType finds the kind of a node, recovering from what authors write
// instead.
func (p *Pass) resolveType(n *Node) {
	v := n.Get("type")
	for _, alias := range []string{"kind", "node_type", "nodeType"} {
		if a := n.Get(alias); !v.Exists() && a.Is(graph.String) {
			d := p.Report(ruleMissingType, n.Key(alias), n, "the node has no type, only %q", alias)
			d.Fixes = []diag.Fix{n.RenameKey(`rename to "type"`, alias, "type")}
			n.muted[alias] = true
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

func (p *Pass) missingType(n *Node, v graph.Value) {
	guess := kindByFields(n)
	d := p.Report(ruleMissingType, n.where(), n, "node %q has no type", n.ID)
	if guess == "" {
		d.Hint = "the types are " + strings.Join(kindNames(), ", ")
		return
	}
	d.Hint = "write type: " + guess
	n.Kind = kinds[guess]
	if v.Exists() {
		d.Fixes = []diag.Fix{v.Replace("change to type: "+guess, guess)}
	} else {
		d.Fixes = []diag.Fix{n.Insert("add type: "+guess, "type", guess, "id")}
	}
}

// kindByFields returns the type that the fields of a node show, or "".
func kindByFields(n *Node) string {
	guess, most := "", 0
	for _, k := range Kinds() {
		found := 0
		for _, name := range k.Evidence {
			if n.Get(name).Exists() {
				found++
			}
		}
		if found > most {
			guess, most = k.Spec.NodeType, found
		}
	}
	return guess
}

// typeIsTool recovers from a tool's name in the place of the type.
func (p *Pass) typeIsTool(n *Node, v graph.Value) bool {
	if p.env.Tools == nil || len(*p.diags) > maxHelped {
		return false
	}
	server, tool, ok := p.env.Tools.Resolve(v.Text())
	if !ok {
		return false
	}
	d := p.Report(ruleTypeIsTool, v, n, "%q is a tool, not a node type", v.Text())
	d.Hint = fmt.Sprintf("write type: mcp, server: %s, tool: %s", server, tool)
	fixes := []diag.Fix{v.Replace("", specs.MCP)}
	if !n.Get("server").Exists() {
		fixes = append(fixes, n.Insert("", "server", server, "type"))
	}
	if !n.Get("tool").Exists() {
		fixes = append(fixes, n.Insert("", "tool", tool, "type"))
	}
	d.Fixes = []diag.Fix{graph.Join(fmt.Sprintf("call %s/%s by an mcp node", server, tool), fixes...)}
	n.Kind = kinds[specs.MCP]
	n.muted["server"], n.muted["tool"] = true, true
	n.callee = [2]string{server, tool}
	return true
}

// kindsByAlias finds the type of a kind by what authors call it, in plain letters.
var kindsByAlias = sync.OnceValue(func() map[string]string {
	types := map[string]string{}
	for _, k := range Kinds() {
		for _, a := range k.Aliases {
			types[plain(a)] = k.Spec.NodeType
		}
	}
	for _, k := range Kinds() {
		types[plain(k.Spec.NodeType)] = k.Spec.NodeType
	}
	return types
})

var kindNames = sync.OnceValue(func() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Spec.NodeType)
	}
	return names
})
