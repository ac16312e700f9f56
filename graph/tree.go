package graph

import "strconv"

// A Tree is a document as the format reads it: its parts by name and with their
// places, the zero Value where it lacks one. What an author wrote under other
// names or in other shapes is not in it.
type Tree struct {
	Version, Server, ExecutionLimits, MCPServers, Expose Value

	Tools []*Tool // the items of tools, or the root itself if that is a tool
}

// A Tool is one tool definition.
type Tool struct {
	Value // the definition as a whole

	Name, Title, Description, InputSchema, OutputSchema Value

	NodeList Value  // the value of nodes, of any shape
	Nodes    []Node // its items, if it is a list
}

// A Node is one item of a tool's nodes. Nothing but its value is set if that is
// not a map.
type Node struct {
	Value // the node as a whole

	ID, Type, Next Value

	Conditions []Condition // the items of conditions, if that is a list
	Edges      []Edge      // all that lead to another node, in this order: next, conditions, onError, join, branches
}

// A Condition is one item of a node's conditions.
type Condition struct {
	Value // the condition as a whole

	Index      int // in the list
	Rule, Next Value
	Older      bool // Next is written as target, mcpGraph's older name for it
}

// An Edge leads from a node to another one, whose id is the text of Target. Label
// is empty for next, the index of a condition, "onError", "join", or "branches/"
// and the index of a branch.
type Edge struct {
	Label  string
	Target Value
}

// Tree returns the document as the format reads it. It is read once, when it is
// first asked for, and must not be changed.
func (d *Document) Tree() *Tree {
	d.once.Do(func() { d.tree = readTree(d.Root) })
	return d.tree
}

// Tools returns the tool definitions of the document: the items of its tools
// list, or the root itself if that is a tool. It is empty if there are none.
func (d *Document) Tools() []*Tool { return d.Tree().Tools }

// Bare reports whether the root is itself a tool: it has nodes and no tools.
func (d *Document) Bare() bool {
	return len(d.Tools()) == 1 && d.Tools()[0].Value == d.Root
}

func readTree(root Value) *Tree {
	t := &Tree{}
	var tools, nodes Value
	for key, v := range root.Members() {
		switch key {
		case "version":
			t.Version = v
		case "server":
			t.Server = v
		case "executionLimits":
			t.ExecutionLimits = v
		case "mcpServers":
			t.MCPServers = v
		case "expose":
			t.Expose = v
		case "tools":
			tools = v
		case "nodes":
			nodes = v
		}
	}
	if nodes.Exists() && !tools.Exists() {
		t.Tools = []*Tool{readTool(root)}
		return t
	}
	for _, v := range tools.Items() {
		t.Tools = append(t.Tools, readTool(v))
	}
	return t
}

func readTool(v Value) *Tool {
	t := &Tool{Value: v}
	for key, v := range v.Members() {
		switch key {
		case "name":
			t.Name = v
		case "title":
			t.Title = v
		case "description":
			t.Description = v
		case "inputSchema":
			t.InputSchema = v
		case "outputSchema":
			t.OutputSchema = v
		case "nodes":
			t.NodeList = v
		}
	}
	t.Nodes = ReadNodes(t.NodeList)
	return t
}

// ReadNodes reads the items of a list as nodes, and returns nil for any other
// value.
func ReadNodes(list Value) []Node {
	if !list.Is(List) {
		return nil
	}
	nodes := make([]Node, len(list.n.kids))
	var r nodeReader
	for i, k := range list.n.kids {
		nodes[i] = r.node(Value{k})
	}
	return nodes
}

// ReadNode reads a value as a node.
func ReadNode(v Value) Node { return (&nodeReader{}).node(v) }

// A nodeReader reads the nodes of a tool, whose edges share memory.
type nodeReader struct{ edges []Edge }

func (r *nodeReader) node(v Value) Node {
	n := Node{Value: v}
	var conditions, onError, join, branches Value
	for key, v := range v.Members() {
		switch key {
		case "id":
			n.ID = v
		case "type":
			n.Type = v
		case "next":
			n.Next = v
		case "conditions":
			conditions = v
		case "onError":
			onError = v
		case "join":
			join = v
		case "branches":
			branches = v
		}
	}
	first := len(r.edges)
	r.edge("", n.Next)
	n.Conditions = ReadConditions(conditions)
	for _, c := range n.Conditions {
		r.edge(strconv.Itoa(c.Index), c.Get("next"))
		r.edge(strconv.Itoa(c.Index), c.Get("target"))
	}
	r.edge("onError", onError)
	r.edge("join", join)
	for i, v := range branches.Items() {
		r.edge("branches/"+strconv.Itoa(i), v)
	}
	n.Edges = r.edges[first:len(r.edges):len(r.edges)]
	return n
}

func (r *nodeReader) edge(label string, target Value) {
	if target.Is(String) {
		r.edges = append(r.edges, Edge{label, target})
	}
}

// ReadConditions reads the items of a list as conditions, and returns nil for any
// other value.
func ReadConditions(list Value) []Condition {
	if list.Len() == 0 || !list.Is(List) {
		return nil
	}
	conditions := make([]Condition, len(list.n.kids))
	for i, k := range list.n.kids {
		v := Value{k}
		c := Condition{Value: v, Index: i, Rule: v.Get("rule"), Next: v.Get("next")}
		if !c.Next.Exists() {
			c.Next = v.Get("target")
			c.Older = c.Next.Exists()
		}
		conditions[i] = c
	}
	return conditions
}
