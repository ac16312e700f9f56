package graph

import (
	"slices"
)

// documentKeys are the keys of documents and tools, which one map can have together.
var documentKeys = []string{"version", "name", "title", "description", "server", "executionLimits", "mcpServers", "expose", "inputSchema", "outputSchema", "", "nodes", "tools", "source"}

// keyOrders says in which order the maps of a document have their keys: those of the
// document, the tools, the nodes, the conditions and the edges with a port. All others
// stay as they are.
func keyOrders(d *Document, order func(nodeType string) []string) map[*node][]string {
	keys := map[*node][]string{d.Root.n: documentKeys}
	for _, t := range d.Tools() {
		keys[t.n] = documentKeys
		for i := range t.Nodes {
			n := &t.Nodes[i]
			keys[n.n] = order(n.Type.Text())
			for _, c := range n.Conditions {
				keys[c.n] = []string{"rule", "", "next"}
			}
			for _, e := range n.NextList {
				if e.Port.Exists() {
					keys[e.Whole().n] = []string{"node", "", "port"}
				}
			}
		}
	}
	return keys
}

// ordered lists the items of a list, or the values of a map in the order of its keys.
func (f *formatter) ordered(n *node) []*node {
	if Kind(n.kind) == Array {
		return n.kids
	}
	var values []*node
	for i := 1; i < len(n.kids); i += 2 {
		values = append(values, n.kids[i])
	}
	keys := f.keys[n]
	others := slices.Index(keys, "")
	rank := func(v *node) int {
		if at := slices.Index(keys, n.kids[v.index-1].text); at >= 0 {
			return at
		}
		return others
	}
	if keys != nil {
		slices.SortStableFunc(values, func(a, b *node) int { return rank(a) - rank(b) })
	}
	return values
}
