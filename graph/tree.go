package graph

import (
	"maps"
	"slices"
)

// A Tree is a document as the format reads it: its parts by name and with their
// places, the zero Value where it lacks one. What an author wrote under other
// names or in other shapes is not in it.
type Tree struct {
	Root Value

	Version, Server, ExecutionLimits, MCPServers, Expose Value

	Tools []*Tool // the items of tools, or the root itself if that is a tool
}

// A Tool is one tool definition.
type Tool struct {
	Value // the definition as a whole

	Name, Title, Description, InputSchema, OutputSchema Value

	Workflow Value // around which calls it runs, if it is a workflow
	Source   Value // the function that it was compiled from

	NodeList Value  // the value of nodes, of any shape
	Nodes    []Node // its items, if it is a list
}

// A Node is one item of a tool's nodes. Nothing but its value is set if that is
// not a map.
type Node struct {
	Value // the node as a whole

	ID, Type Value

	NodeEdges
}

// Tree returns the document as the format reads it. It is read once, when it is
// first asked for, and must not be changed.
func (d *Document) Tree() *Tree {
	d.once.Do(func() { d.tree = ReadTree(d.Root) })
	return d.tree
}

// Tools returns the tool definitions of the document: the items of its tools
// list, or the root itself if that is a tool. It is empty if there are none.
func (d *Document) Tools() []*Tool { return d.Tree().Tools }

// IsPart reports whether a tool of the document is a part of a function that another tool of it
// was compiled from: it is not published, nor found by search.
func (d *Document) IsPart(name string) bool {
	part := false
	for _, t := range d.Tools() {
		switch {
		case t.Name.Text() == name && t.Source.Exists():
			return false
		case t.Name.Text() != name && t.Source.Exists():
			part = true
		}
	}
	return part
}

// Whole returns the name of the tool that all others of the document are parts of, "" if there
// is none.
func (d *Document) Whole() string {
	whole := slices.DeleteFunc(slices.Clone(d.Tools()), func(t *Tool) bool { return d.IsPart(t.Name.Text()) })
	if len(whole) != 1 {
		return ""
	}
	return whole[0].Name.Text()
}

// Calls returns the names under which nodes of the document's tools run graphs that are not
// in it, sorted, each once.
func (d *Document) Calls() []string {
	d.calling.Do(func() {
		names, own := map[string]bool{}, map[string]bool{}
		for _, t := range d.Tools() {
			own[t.Name.Text()] = true
			for _, n := range t.Nodes {
				if name := n.Get("graph"); name.Is(String) {
					names[name.Text()] = true
				}
			}
		}
		maps.DeleteFunc(names, func(name string, _ bool) bool { return own[name] })
		d.called = slices.Sorted(maps.Keys(names))
	})
	return d.called
}

// HasNode reports whether a tool of the document has a node of a type.
func (d *Document) HasNode(nodeType string) bool {
	return slices.ContainsFunc(d.Tools(), func(t *Tool) bool {
		return slices.ContainsFunc(t.Nodes, func(n Node) bool { return n.Type.Text() == nodeType })
	})
}

// Bare reports whether the root is itself a tool: it has nodes and no tools.
func (t *Tree) Bare() bool {
	return len(t.Tools) == 1 && t.Tools[0].Value == t.Root
}

// ReadTree reads a value as a document.
func ReadTree(root Value) *Tree {
	t := &Tree{Root: root}
	for key, v := range root.Members() {
		t.Set(key, v)
	}
	tools := root.Get("tools")
	if root.Has("nodes") && !tools.Exists() {
		t.Tools = []*Tool{ReadTool(root)}
		return t
	}
	for _, v := range tools.Items() {
		t.Tools = append(t.Tools, ReadTool(v))
	}
	return t
}

// Set makes v what the document has under a key, except for its tools. It reports
// whether documents have such a key.
func (t *Tree) Set(key string, v Value) bool {
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
	default:
		return false
	}
	return true
}

// ReadTool reads a value as a tool definition.
func ReadTool(v Value) *Tool {
	t := &Tool{Value: v}
	for key, v := range v.Members() {
		t.Set(key, v)
	}
	return t
}

// Set makes v what the tool has under a key. It reports whether tools have such a key.
func (t *Tool) Set(key string, v Value) bool {
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
	case "workflow":
		t.Workflow = v
	case "source":
		t.Source = v
	case "nodes":
		t.NodeList, t.Nodes = v, ReadNodes(v)
	default:
		return false
	}
	return true
}

// ReadNodes reads the items of a list as nodes, and returns nil for any other
// value.
func ReadNodes(list Value) []Node {
	if !list.Is(Array) {
		return nil
	}
	nodes := make([]Node, len(list.n.kids))
	for i, k := range list.n.kids {
		nodes[i] = ReadNode(Value{k})
	}
	return nodes
}

// ReadNode reads a value as a node.
func ReadNode(v Value) Node {
	n := Node{Value: v}
	for key, v := range v.Members() {
		switch key {
		case "id":
			n.ID = v
		case "type":
			n.Type = v
		default:
			n.SetEdges(key, v)
		}
	}
	return n
}
