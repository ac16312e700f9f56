package engine

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var ruleWrappedGraph = diag.Define("wrapped-graph", diag.Error,
	"The nodes are under a key other than nodes, or one level too deep.")

// nodesAliases are what other systems call the nodes of a graph, and holders the
// keys under which a whole graph is sent.
var (
	nodesAliases = strings.Fields("steps tasks actions states jobs stages")
	holders      = strings.Fields("graph workflow flow tool definition pipeline spec data document dag")
)

// recoverDocument finds the graph of a document without tools or nodes that has them
// under another key, and makes the tree of the pass that of the graph.
func (p *Pass) recoverDocument() {
	root := p.doc.Root
	if !root.Is(graph.Object) {
		return
	}
	if tools, nodes := root.Get("tools"), root.Get("nodes"); tools.Exists() || nodes.Exists() {
		if tools.Is(graph.Array) && nodes.Is(graph.Array) {
			p.sharedNodes(nodes)
		}
		return
	}
	for _, key := range nodesAliases {
		if v := root.Get(key); v.Is(graph.Array) || v.Is(graph.Object) {
			p.renamedNodes(key, v)
			return
		}
	}
	for _, key := range holders {
		if v := root.Get(key); v.Is(graph.Object) && (v.Has("nodes") || v.Has("tools")) {
			p.wrappedGraph(key, v)
			return
		}
	}
}

// renamedNodes recovers from nodes under another key of the document.
func (p *Pass) renamedNodes(key string, nodes graph.Value) {
	root := p.doc.Root
	p.renameKey(ruleWrappedGraph, root, nil, key, "nodes", fmt.Sprintf("the nodes are under %q, expected nodes", key), "write nodes: […]")
	p.suppressKeys(key)
	tool := graph.ReadTool(root)
	tool.Set("nodes", nodes)
	tree := *p.tree
	tree.Tools = []*graph.Tool{tool}
	p.tree = &tree
}

// wrappedGraph recovers from a whole document, or a tool, under a key of another map.
// What only that map has belongs to it.
func (p *Pass) wrappedGraph(key string, inner graph.Value) {
	root, tree, fixed := p.doc.Root, graph.ReadTree(inner), graph.Members{}
	for k, v := range root.Members() {
		if k != key && !inner.Has(k) && (tree.Set(k, v) || tree.Bare() && tree.Tools[0].Set(k, v)) {
			fixed = fixed.With(k, raw(v))
		}
	}
	for k, v := range inner.Members() {
		fixed = fixed.With(k, raw(v))
	}
	p.Report(ruleWrappedGraph, root.Key(key), nil, "the graph is inside %q", key).
		WithFix("send only the graph", root.Replace(fmt.Sprintf("take it out of %q", key), fixed))
	p.tree = tree
}

// recoverNodes reads nodes that are a map of id to node.
func (p *Pass) recoverNodes() {
	list := p.tool.NodeList
	if !list.Is(graph.Object) || list.Len() == 0 {
		return
	}
	p.Report(ruleNodesMap, memberKey(list), nil, "nodes is a map, expected a list of nodes that each have an id").
		WithFix("write - {id: <name>, type: …} for each", list.Replace("turn the map into a list", nodesAsList(list)))
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
	for key, m := range list.Members() {
		item := oneMember("id", key)
		for field, member := range m.Members() {
			if field != "id" {
				item = item.With(field, raw(member))
			}
		}
		items = append(items, item)
	}
	return items
}

// missingID finds the id of a node under another name, or gives it one.
func (p *Pass) missingID(n *Node) {
	if key := n.textKey(idKeys); key != "" {
		n.Node.ID, n.ID = n.Get(key), n.Get(key).Text()
		p.renameKey(ruleMissingID, n.Value, n, key, "id", fmt.Sprintf("the node has no id, only %q", key), "")
		n.suppress(key)
		return
	}
	n.ID = p.freeID(cmp.Or(n.Type.Text(), "node"))
	p.Report(ruleMissingID, n.Value, nil, "node %d has no id", n.Index+1).
		WithFix("give every node an id, unique in its tool", n.Insert("add id: "+n.ID, "id", n.ID, ""))
}

// longID reports an id that is too long. Its fix changes the edges to it too.
func (p *Pass) longID(n *Node) {
	id := n.Node.ID
	d := p.Report(ruleLongID, id, nil, "the id has %d characters, at most %d are allowed", utf8.RuneCountInString(n.ID), MaxID)
	if !p.helps() || !id.Is(graph.String) || p.tool.NodeList.Is(graph.Object) { // there it is a key
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
	d.Offer(graph.Join(title, fixes...))
}
