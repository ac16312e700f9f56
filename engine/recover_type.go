package engine

import (
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

// recoverType finds the type of a node under another name.
func (p *Pass) recoverType(n *Node) {
	for _, alias := range []string{"kind", "node_type", "nodeType"} {
		if v := n.Get(alias); !n.Type.Exists() && v.Is(graph.String) {
			d := p.Report(ruleMissingType, n.Key(alias), n, "the node has no type, only %q", alias)
			d.Fixes = []diag.Fix{n.RenameKey(`rename to "type"`, alias, "type")}
			n.suppress(alias)
			n.Type = v
		}
	}
}

func (p *Pass) missingType(n *Node, v graph.Value) {
	guess := p.kindByFields(n)
	d := p.Report(ruleMissingType, n.where(), n, "node %q has no type", n.ID)
	if guess == "" {
		d.Hint = "the types are " + strings.Join(p.typeNames(), ", ")
		return
	}
	d.Hint = "write type: " + guess
	n.Kind = p.env.kinds().types[guess]
	if v.Exists() {
		d.Fixes = []diag.Fix{v.Replace("change to type: "+guess, guess)}
	} else {
		d.Fixes = []diag.Fix{n.Insert("add type: "+guess, "type", guess, "id")}
	}
}

// kindByFields returns the type that the fields of a node show, or "".
func (p *Pass) kindByFields(n *Node) string {
	guess, most := "", 0
	for _, k := range p.env.kinds().Kinds() {
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
	if p.env.Tools == nil || !p.helps() {
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
	n.Kind = p.env.kinds().types[specs.MCP]
	n.suppress("server", "tool")
	n.callee = callee{server, tool}
	return true
}

// typeIsIdiom reports a node that names an idiom, which is a pattern and not a node.
func (p *Pass) typeIsIdiom(n *Node, v graph.Value) bool {
	name, idiom, full := strings.Cut(v.Text(), ":")
	if name != specs.Idiom {
		return false
	}
	if !full {
		idiom = n.Get("subtype").Text()
	}
	d := p.Report(ruleTypeIsIdiom, v, n, "an idiom is a pattern to copy, not a node")
	d.Hint = fmt.Sprintf("get_node_details {\"nodes\": [{\"id\": %q}]} shows its graph; copy the nodes that you need", (&specs.Spec{NodeType: specs.Idiom, Subtype: idiom}).ID())
	return true
}
