package engine

import (
	"fmt"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// recoverNodes reads nodes that are a map of id to node.
func (p *Pass) recoverNodes() {
	list := p.tool.NodeList
	if !list.Is(graph.Map) || list.Len() == 0 {
		return
	}
	d := p.Report(ruleNodesMap, keyOf(list), nil, "nodes is a map, expected a list of nodes that each have an id")
	d.Hint = "write - {id: <name>, type: …} for each"
	d.Fixes = []diag.Fix{list.Replace("turn the map into a list", nodesAsList(list))}
	for key, v := range list.Members() {
		n := graph.ReadNode(v)
		if !n.ID.Exists() {
			n.ID = list.Key(key)
		}
		p.tool.Nodes = append(p.tool.Nodes, n)
	}
}

// nodesAsList is a map of id to node as the format has it.
func nodesAsList(list graph.Value) []any {
	items := []any{}
	for _, key := range list.Keys() {
		item := graph.Object{{Key: "id", Value: key}}
		for _, field := range list.Get(key).Keys() {
			if field != "id" {
				item = append(item, graph.Pair{Key: field, Value: raw(list.Get(key).Get(field))})
			}
		}
		items = append(items, item)
	}
	return items
}

// missingID finds the id of a node under another name, or gives it one.
func (p *Pass) missingID(n *Node) {
	for _, alias := range []string{"name", "key", "nodeId", "node_id", "label"} {
		if v := n.Get(alias); v.Is(graph.String) && v.Text() != "" {
			n.Node.ID, n.ID = v, v.Text()
			d := p.Report(ruleMissingID, n.Key(alias), n, "the node has no id, only %q", alias)
			d.Fixes = []diag.Fix{n.RenameKey(`rename to "id"`, alias, "id")}
			n.suppress(alias)
			return
		}
	}
	base := n.Type.Text()
	if base == "" {
		base = "node"
	}
	n.ID = p.freeID(base)
	d := p.Report(ruleMissingID, n.Value, nil, "node %d has no id", n.Index+1)
	d.Hint = "give every node an id, unique in its tool"
	d.Fixes = []diag.Fix{n.Insert("add id: "+n.ID, "id", n.ID, "")}
}

// longID reports an id that is too long. Its fix changes the edges to it too.
func (p *Pass) longID(n *Node) {
	id := n.Node.ID
	d := p.Report(ruleLongID, id, nil, "the id has %d characters, at most %d are allowed", utf8.RuneCountInString(n.ID), MaxID)
	if !p.helps() || !id.Is(graph.String) || p.tool.NodeList.Is(graph.Map) { // there it is a key
		return
	}
	const shown = 40
	short := p.freeID(fmt.Sprintf("%s_%d", string([]rune(n.ID)[:shown]), n.Index+1))
	title := fmt.Sprintf("change to %q", short)
	fixes := []diag.Fix{id.Replace(title, short)}
	for i := range p.tool.Nodes {
		for e := range p.tool.Nodes[i].Edges() {
			if e.Target.Text() == n.ID {
				fixes = append(fixes, e.Target.Replace(title, short))
			}
		}
	}
	d.Fixes = []diag.Fix{graph.Join(title, fixes...)}
}
