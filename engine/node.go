package engine

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/types"
)

var (
	ruleWrongShape = diag.Define("wrong-value-shape", diag.Error,
		"A value in a node has the wrong shape: a list where a map belongs, a number where a name belongs. The message says which shape is expected.")
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
	ruleLongID = diag.Define("long-id", diag.Error,
		"The id of a node has more than 200 characters. Ids are in the keys of all steps, in expressions and in messages.")
	ruleMissingType = diag.Define("missing-type", diag.Error,
		"A node has no type.")
	ruleUnknownType = diag.Define("unknown-node-type", diag.Error,
		"No node type has this name. get_node_types lists the node types.")
	ruleTypeIsIdiom = diag.Define("idiom-as-type", diag.Error,
		"The type is that of an idiom. An idiom is a pattern: copy the nodes of its graph, which get_node_details shows.")
	ruleTypeIsTool = diag.Define("tool-as-type", diag.Error,
		"The type is the name of a downstream tool. Tools are called by nodes of type mcp, with the fields server and tool.")
)

// A Node is one node as the checker sees it: the node of the document's tree, as
// the format has it however it was written, and the fields of its kind.
type Node struct {
	graph.Node
	ID    string
	Kind  *Kind
	Index NodeIndex

	fields     map[string]graph.Value
	suppressed map[string]bool // fields whose absence or fault is already reported
	movedArgs  map[string]bool // arguments outside of args, which are already reported; nil for none
	exprs      []nodeExpr      // its expressions, in the order they were compiled
	rules      []nodeRule      // its JSON Logic rules
	foreach    graph.Value     // where the list of its items is said
	item       string          // the variable that has one of them
	variables  []string        // names its expressions may use in addition to the functions
	items      *Template       // of foreach, which the first of the variables is one of
	tool       *Tool           // what the node calls, where that is known
	state      *stateNode      // of a state node
	trusted    bool            // it says that a model may decide its call
	callee     callee          // what it names as the tool that it calls
	infer      func(*Types) types.Type
}

// A callee names what a node calls: a tool of a server, or a graph.
type callee struct{ server, tool string }

// String returns the label of the call, "server/tool", or "".
func (c callee) String() string { return strings.Trim(c.server+"/"+c.tool, "/") }

// label says in drawings what the node is, in addition to its type: what it calls, or
// its subtype in another system; "" where there is neither.
func (n *Node) label() string {
	if n.Kind.Spec.NotRunnable {
		return n.Field("subtype").Text()
	}
	return n.callee.String()
}

// A nodeExpr is one expression of a node and its place.
type nodeExpr struct {
	at       graph.Value
	compiled *compiledExpr
	faulty   bool // an error is reported: what types it has would only follow from that
	asks     bool // what it reads need not be there
}

// Field returns the value of a field, absent if the node has none. Fields that are
// edges are not among them: they are the Next, Conditions, OnError, Join and Branches
// of the node.
func (n *Node) Field(name string) graph.Value { return n.fields[name] }

// given returns the value of any field, an edge or not.
func (n *Node) given(name string) graph.Value {
	if v := n.EdgesUnder(name); v.Exists() {
		return v
	}
	return n.fields[name]
}

// binds reports whether the node gives its expressions a variable of the name.
func (n *Node) binds(name string) bool { return slices.Contains(n.variables, name) }

// where is the best place to point at for the node as a whole.
func (n *Node) where() graph.Value {
	if n.Node.ID.Exists() {
		return n.Node.ID
	}
	return n.Value
}

// set files a value under a field, as if it had been written there.
func (n *Node) set(field string, v graph.Value) {
	if !n.SetEdges(field, v) {
		n.fields[field] = v
	}
}

// dropEdges forgets what is under keys that are not edges of the node's kind.
func (n *Node) dropEdges() {
	for _, key := range graph.EdgeKeys {
		if f := n.Kind.field(key); n.EdgesUnder(key).Exists() && (f == nil || !f.Edges) {
			n.SetEdges(key, graph.Value{})
		}
	}
}

// suppress keeps the absence and the faults of fields from being reported again.
func (n *Node) suppress(fields ...string) {
	if n.suppressed == nil {
		n.suppressed = map[string]bool{}
	}
	for _, name := range fields {
		n.suppressed[name] = true
	}
}

// collect makes the nodes of the pass of those in the tree.
func (p *Pass) collect() {
	list, nodes := p.tool.NodeList, p.tool.Nodes
	switch {
	case !list.Exists():
		p.Report(ruleNoNodes, p.tool.Value, nil, "the tool has no nodes").Hint = "add nodes: a list that starts with {id: entry, type: entry, next: …} and ends with {id: exit, type: exit}"
	case len(nodes) == 0:
		p.Report(ruleNoNodes, list, nil, "nodes is %s, expected a list of at least an entry and an exit", shape(list)).Hint = "write [{id: entry, type: entry, next: …}, …, {id: exit, type: exit}]"
	case len(nodes) > MaxNodes:
		p.Report(ruleTooManyNodes, memberKey(list), nil, "the graph has %d nodes, at most %d are allowed", len(nodes), MaxNodes).Hint = "split it into several saved graphs"
	default:
		p.nodes = make([]*Node, 0, len(nodes))
		for _, n := range nodes {
			p.addNode(n)
		}
	}
}

// addNode adds a node under an id that no other has.
func (p *Pass) addNode(read graph.Node) {
	p.did(0)
	if !read.Is(graph.Object) {
		p.Report(ruleWrongShape, read.Value, nil, "a node is a map, got %s", shape(read.Value)).Hint = "write {id: …, type: …, next: …}"
		return
	}
	n := &Node{Node: read, Index: NodeIndex(len(p.nodes)), fields: map[string]graph.Value{}}
	p.nodes = append(p.nodes, n)
	if !n.Node.ID.Exists() {
		p.missingID(n)
	}
	id := n.Node.ID
	if id.Exists() {
		n.ID = id.Text()
	}
	if id.Exists() && (n.ID == "" || !id.Is(graph.String)) {
		d := p.Report(ruleWrongShape, id, n, "id is %s, expected a name", shape(id))
		if n.ID != "" {
			d.Offer(id.Replace(fmt.Sprintf("quote it: %q", n.ID), n.ID))
		}
	}
	if utf8.RuneCountInString(n.ID) > MaxID {
		p.longID(n)
	}
	if n.ID == "" {
		n.ID = p.freeID("node")
	}
	if first, dup := p.index[n.ID]; dup {
		d := p.Report(ruleDuplicateID, n.where(), n, "id %q is already taken", n.ID)
		d.Related = []diag.Related{{Path: p.nodes[first].Node.ID.Path(), Range: p.nodes[first].where().Range(), Message: "first used here"}}
		if free := p.freeID(n.ID); id.Is(graph.String) {
			d.WithFix("ids are unique within a tool", changeTo(id, free))
			n.ID = free
		}
	}
	p.index[n.ID] = n.Index
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

// memberKey returns the key of a member, the zero Value for anything else.
func memberKey(v graph.Value) graph.Value { return v.Parent().Key(v.Name()) }

func firstMember(v graph.Value, keys ...string) graph.Value {
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
	case graph.Boolean:
		return "a boolean"
	case graph.Number:
		return "a number"
	case graph.String:
		return "text"
	case graph.Array:
		return fmt.Sprintf("a list of %d", v.Len())
	case graph.Object:
		return "a map"
	}
	return "absent"
}
