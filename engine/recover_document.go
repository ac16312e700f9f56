package engine

import (
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var ruleWrappedGraph = diag.Define("wrapped-graph", diag.Error,
	"The nodes are under a key other than nodes, or one level too deep.")

// nodesAliases are what other systems call the nodes of a graph, and holders the
// keys under which a whole graph is sent.
var (
	nodesAliases = []string{"steps", "tasks", "actions", "states", "jobs", "stages"}
	holders      = []string{"graph", "workflow", "flow", "tool", "definition", "pipeline", "spec", "data", "document", "dag"}
)

// recoverDocument finds the graph of a document without tools or nodes that has them
// under another key, and makes the tree of the pass that of the graph.
func (p *Pass) recoverDocument() {
	root := p.doc.Root
	if !root.Is(graph.Map) {
		return
	}
	if tools, nodes := root.Get("tools"), root.Get("nodes"); tools.Exists() || nodes.Exists() {
		if tools.Is(graph.List) && nodes.Is(graph.List) {
			p.sharedNodes(nodes)
		}
		return
	}
	for _, key := range nodesAliases {
		if v := root.Get(key); v.Is(graph.List) || v.Is(graph.Map) {
			p.renamedNodes(key, v)
			return
		}
	}
	for _, key := range holders {
		if v := root.Get(key); v.Is(graph.Map) && (v.Get("nodes").Exists() || v.Get("tools").Exists()) {
			p.wrappedGraph(key, v)
			return
		}
	}
}

// renamedNodes recovers from nodes under another key of the document.
func (p *Pass) renamedNodes(key string, nodes graph.Value) {
	root := p.doc.Root
	d := p.Report(ruleWrappedGraph, root.Key(key), nil, "the nodes are under %q, expected nodes", key)
	d.Hint = "write nodes: […]"
	d.Fixes = []diag.Fix{root.RenameKey(`rename to "nodes"`, key, "nodes")}
	p.suppressedKeys[key] = true
	tool := graph.ReadTool(root)
	tool.NodeList, tool.Nodes = nodes, graph.ReadNodes(nodes)
	tree := *p.tree
	tree.Tools = []*graph.Tool{tool}
	p.tree = &tree
}

// wrappedGraph recovers from a whole document, or a tool, under a key of another map.
// What only that map has belongs to it.
func (p *Pass) wrappedGraph(key string, inner graph.Value) {
	root := p.doc.Root
	d := p.Report(ruleWrappedGraph, root.Key(key), nil, "the graph is inside %q", key)
	d.Hint = "send only the graph"
	tree := graph.ReadTree(inner)
	fixed := graph.Object{}
	for k, v := range root.Members() {
		if k != key && !inner.Get(k).Exists() && (slices.Contains(documentKeys, k) || tree.Bare() && slices.Contains(toolKeys, k)) {
			fixed = append(fixed, graph.Pair{Key: k, Value: raw(v)})
		}
	}
	for k, v := range inner.Members() {
		fixed = append(fixed, graph.Pair{Key: k, Value: raw(v)})
	}
	d.Fixes = []diag.Fix{root.Replace(fmt.Sprintf("take it out of %q", key), fixed)}
	outer := p.tree
	tree.Version, tree.Server = firstExisting(tree.Version, outer.Version), firstExisting(tree.Server, outer.Server)
	tree.ExecutionLimits, tree.MCPServers = firstExisting(tree.ExecutionLimits, outer.ExecutionLimits), firstExisting(tree.MCPServers, outer.MCPServers)
	tree.Expose = firstExisting(tree.Expose, outer.Expose)
	if tree.Bare() {
		t, of := tree.Tools[0], graph.ReadTool(root)
		t.Name, t.Title, t.Description = firstExisting(t.Name, of.Name), firstExisting(t.Title, of.Title), firstExisting(t.Description, of.Description)
		t.InputSchema, t.OutputSchema = firstExisting(t.InputSchema, of.InputSchema), firstExisting(t.OutputSchema, of.OutputSchema)
	}
	p.tree = tree
}
