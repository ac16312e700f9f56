package engine

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var ruleSharedNodes = diag.Define("nodes-beside-tools", diag.Error,
	"The document has one list of nodes next to its tools, as in mcpGraph's first releases. The nodes belong in their tool: those that its entry node leads to. A tool names its entry and exit nodes in entryNode and exitNode, or these nodes name their tool in the field tool.")

// endKeys are the keys of a tool that name its first and last node in a list of the
// nodes of all tools.
var endKeys = []string{"entryNode", "exitNode"}

// sharedNodes recovers from one list of nodes for all tools: each tool gets those that
// its entry node leads to, and the first tool also those that no entry node leads to.
func (p *Pass) sharedNodes(list graph.Value) {
	tools := p.tree.Tools
	if len(tools) == 0 || list.Len() == 0 || slices.ContainsFunc(tools, func(t *graph.Tool) bool { return t.NodeList.Exists() || !t.Is(graph.Object) }) {
		return
	}
	d := p.Report(ruleSharedNodes, memberKey(list), nil, "the nodes are next to the tools, expected nodes in each tool")
	d.Hint = "move the nodes of each tool into it"
	p.suppressKeys(append(endKeys, "nodes")...)
	tree, nodes := *p.tree, graph.ReadNodes(list)
	tree.Tools = make([]*graph.Tool, 0, len(tools))
	shares := p.shareNodes(tools, nodes)
	if len(shares) == 0 {
		d.Hint = "move the nodes of each tool into it; so many tools share nodes that no fix is offered"
	}
	fixes, changed := []diag.Fix{list.Remove("")}, []any{}
	for i, share := range shares {
		t, with, last := *tools[i], graph.Members{}, ""
		t.NodeList = list
		first := slices.IndexFunc(t.Keys(), func(key string) bool { return !slices.Contains(endKeys, key) })
		if first > 0 {
			fixes = append(fixes, t.RemoveFirst("", first))
		}
		for at, key := range t.Keys() {
			v := t.Get(key)
			if slices.Contains(endKeys, key) {
				if at >= first {
					fixes = append(fixes, v.Remove(""))
				}
			} else {
				with, last = with.With(key, raw(v)), key
			}
		}
		moved := []any{}
		for _, at := range share {
			t.Nodes, moved = append(t.Nodes, nodes[at]), append(moved, raw(nodes[at].Value))
		}
		tree.Tools = append(tree.Tools, &t)
		fixes = append(fixes, t.InsertItems("", "nodes", list, share, last))
		changed = append(changed, with.With("nodes", moved))
	}
	p.tree = &tree
	if len(shares) == 0 {
		return
	}
	fix := graph.Join("move the nodes into their tools", fixes...)
	if len(fix.Edits) == 0 { // they touch each other
		document := graph.Members{}
		for key, v := range p.doc.Root.Members() {
			switch key {
			case "nodes":
			case "tools":
				document = document.With(key, changed)
			default:
				document = document.With(key, raw(v))
			}
		}
		fix = p.doc.Root.Replace(fix.Title, document)
	}
	d.Offer(fix)
}

// shareNodes returns the indexes of each tool's nodes, in document order, or nil when
// they are together more than one tool may have.
func (p *Pass) shareNodes(tools []*graph.Tool, nodes []graph.Node) [][]int {
	ids, ends := map[string]int{}, map[string][]int{}
	for i := range nodes {
		n := &nodes[i]
		if _, taken := ids[n.ID.Text()]; !taken {
			ids[n.ID.Text()] = i
		}
		kind := p.env.kinds().types[n.Type.Text()]
		if of := n.Get("tool"); of.Exists() && kind != nil && (kind.Starts || kind.Ends) {
			ends[of.Text()] = append(ends[of.Text()], i)
		}
	}
	shares, taken, total := make([][]int, len(tools)), make([]bool, len(nodes)), 0
	for i, t := range tools {
		seen := map[int]bool{}
		open := slices.Clone(ends[t.Name.Text()])
		for _, key := range endKeys {
			if at, ok := ids[t.Get(key).Text()]; ok && t.Has(key) {
				open = append(open, at)
			}
		}
		for len(open) > 0 {
			at := open[len(open)-1]
			open = open[:len(open)-1]
			if seen[at] {
				continue
			}
			if total++; total > MaxNodes {
				return nil
			}
			seen[at], taken[at] = true, true
			shares[i] = append(shares[i], at)
			for e := range nodes[at].Edges() {
				if to, ok := ids[e.Target.Text()]; ok {
					open = append(open, to)
				}
			}
		}
	}
	for at := range nodes {
		if !taken[at] {
			shares[0] = append(shares[0], at)
		}
	}
	for i := range shares {
		slices.Sort(shares[i])
	}
	return shares
}
