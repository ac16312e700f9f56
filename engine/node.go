package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var (
	ruleWrongShape = diag.Define("wrong-value-shape", diag.Error,
		"A value has the wrong shape: a list where a map belongs, a number where a name belongs. The message says which shape is expected.")
	ruleNodesMap = diag.Define("nodes-as-map", diag.Error,
		"The nodes are a map of id to node. Write a list in which each node has its own id.")
	ruleNoNodes = diag.Define("no-nodes", diag.Error,
		"The tool has no nodes. It needs at least an entry and an exit.")
	ruleTooManyNodes = diag.Define("too-many-nodes", diag.Error,
		"The graph has more nodes than the limit of 10,000.")
	ruleMissingID = diag.Define("missing-id", diag.Error,
		"A node has no id. Every node needs an id that is unique in its tool: edges and expressions refer to it.")
	ruleDuplicateID = diag.Define("duplicate-id", diag.Error,
		"Two nodes of a tool have the same id.")
	ruleMissingType = diag.Define("missing-type", diag.Error,
		"A node has no type.")
	ruleUnknownType = diag.Define("unknown-node-type", diag.Error,
		"No node type has this name. get_node_types lists the node types.")
	ruleTypeIsTool = diag.Define("tool-as-type", diag.Error,
		"The type is the name of a downstream tool. Tools are called by nodes of type mcp, with the fields server and tool.")
)

// A Node is one node as the checker sees it: its value in the document and its
// fields under their right names, however they were spelt.
type Node struct {
	graph.Value
	ID    string
	Kind  *Kind
	Index NodeIndex

	id         graph.Value // place of the id
	fields     map[string]graph.Value
	suppressed map[string]bool // fields whose absence or fault is already reported
	movedArgs  map[string]bool // arguments outside of args, which are already reported; nil for none
	exprs      []nodeExpr      // its expressions, in the order they were compiled
	variables  []string        // names its expressions may use in addition to the functions
	items      *Template       // of foreach, which the first of the variables is one of
	tool       *Tool           // what the node calls, where that is known
	callee     callee          // what it names as the tool that it calls
}

// A callee names what a node calls: a tool of a server, or a graph.
type callee struct{ server, tool string }

// String returns the label of the call, "server/tool", or "" where there is none.
func (c callee) String() string { return strings.Trim(c.server+"/"+c.tool, "/") }

// A nodeExpr is one expression of a node and its place.
type nodeExpr struct {
	at       graph.Value
	compiled *compiledExpr
	faulty   bool // an error is reported: what types it has would only follow from that
}

// Field returns the value of a field, absent if the node has none.
func (n *Node) Field(name string) graph.Value { return n.fields[name] }

// binds reports whether the node gives its expressions a variable of the name.
func (n *Node) binds(name string) bool { return slices.Contains(n.variables, name) }

// where is the best place to point at for the node as a whole.
func (n *Node) where() graph.Value {
	if n.id.Exists() {
		return n.id
	}
	return n.Value
}

// collect reads the nodes of a tool, whatever shape they came in.
func (p *Pass) collect() {
	list := p.tool.NodeList
	switch {
	case !list.Exists():
		p.Report(ruleNoNodes, p.tool.Value, nil, "the tool has no nodes").Hint = "add nodes: a list that starts with {id: entry, type: entry, next: …} and ends with {id: exit, type: exit}"
		return
	case list.Is(graph.Map) && list.Len() > 0:
		d := p.Report(ruleNodesMap, list.Parent().Key("nodes"), nil, "nodes is a map, expected a list of nodes that each have an id")
		d.Hint = "write - {id: <name>, type: …} for each"
		d.Fixes = []diag.Fix{list.Replace("turn the map into a list", nodesAsList(list))}
		for _, key := range list.Keys() {
			p.addNode(list.Get(key), list.Key(key))
		}
	case list.Is(graph.List) && list.Len() > 0:
		if list.Len() > MaxNodes {
			p.Report(ruleTooManyNodes, p.tool.Key("nodes"), nil, "the graph has %d nodes, at most %d are allowed", list.Len(), MaxNodes).Hint = "split it into several saved graphs"
			return
		}
		for _, v := range list.Items() {
			p.addNode(v, graph.Value{})
		}
	default:
		d := p.Report(ruleNoNodes, list, nil, "nodes is %s, expected a list of at least an entry and an exit", shape(list))
		d.Hint = "write [{id: entry, type: entry, next: …}, …, {id: exit, type: exit}]"
	}
	p.spliceEdges()
}

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

func (p *Pass) addNode(v, key graph.Value) {
	if !v.Is(graph.Map) {
		p.Report(ruleWrongShape, v, nil, "a node is a map, got %s", shape(v)).Hint = "write {id: …, type: …, next: …}"
		return
	}
	n := &Node{Value: v, Index: NodeIndex(len(p.nodes)), id: key, fields: map[string]graph.Value{}, suppressed: map[string]bool{}}
	if own := v.Get("id"); own.Exists() {
		n.id = own
	}
	p.nodes = append(p.nodes, n)
	switch {
	case n.id.Is(graph.String) && n.id.Text() != "":
		n.ID = n.id.Text()
	case !n.id.Exists():
		p.missingID(n)
	default:
		n.ID = n.id.Text()
		d := p.Report(ruleWrongShape, n.id, n, "id is %s, expected a name", shape(n.id))
		if n.ID != "" {
			d.Fixes = []diag.Fix{n.id.Replace(fmt.Sprintf("quote it: %q", n.ID), n.ID)}
		}
	}
	if n.ID == "" {
		n.ID = p.freeID("node")
	}
	if first, dup := p.index[n.ID]; dup {
		d := p.Report(ruleDuplicateID, n.where(), n, "id %q is already taken", n.ID)
		d.Related = []diag.Related{{Path: p.nodes[first].id.Path(), Range: p.nodes[first].where().Range(), Message: "first used here"}}
		if free := p.freeID(n.ID); n.id.Is(graph.String) {
			d.Fixes = []diag.Fix{n.id.Replace(fmt.Sprintf("change to %q", free), free)}
			d.Hint = "ids are unique within a tool"
			n.ID = free
		}
	}
	p.index[n.ID] = n.Index
}

func (p *Pass) missingID(n *Node) {
	for _, alias := range []string{"name", "key", "nodeId", "node_id", "label"} {
		if v := n.Get(alias); v.Is(graph.String) && v.Text() != "" {
			n.id, n.ID = v, v.Text()
			d := p.Report(ruleMissingID, n.Key(alias), n, "the node has no id, only %q", alias)
			d.Fixes = []diag.Fix{n.RenameKey(`rename to "id"`, alias, "id")}
			n.suppressed[alias] = true
			return
		}
	}
	base := n.Get("type").Text()
	if base == "" {
		base = "node"
	}
	n.ID = p.freeID(base)
	d := p.Report(ruleMissingID, n.Value, nil, "node %d has no id", n.Index+1)
	d.Hint = "give every node an id, unique in its tool"
	d.Fixes = []diag.Fix{n.Insert("add id: "+n.ID, "id", n.ID, "")}
}

// freeID returns base, or base with the first number that makes it free.
func (p *Pass) freeID(base string) string {
	if _, taken := p.index[base]; !taken {
		return base
	}
	if p.numbered == nil {
		p.numbered = map[string]int{}
	}
	for i := max(2, p.numbered[base]); ; i++ {
		id := fmt.Sprintf("%s_%d", base, i)
		if _, taken := p.index[id]; !taken {
			p.numbered[base] = i // those below are taken for good
			return id
		}
	}
}

func firstOf(v graph.Value, keys ...string) graph.Value {
	for _, k := range keys {
		if m := v.Get(k); m.Exists() {
			return m
		}
	}
	return graph.Value{}
}

// sameName compares names the way authors confuse them: without case, hyphens
// and underscores.
func sameName(a, b string) bool { return plain(a) == plain(b) }

func plain(s string) string { return separators.Replace(strings.ToLower(s)) }

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// shape names a value's shape for a message.
func shape(v graph.Value) string {
	switch v.Kind() {
	case graph.Null:
		return "empty"
	case graph.Bool:
		return "a boolean"
	case graph.Number:
		return "a number"
	case graph.String:
		return "text"
	case graph.List:
		return fmt.Sprintf("a list of %d", v.Len())
	case graph.Map:
		return "a map"
	}
	return "absent"
}
