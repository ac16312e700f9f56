package edit

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

func (e *Editor) removeNode(op Op) *diag.Fault {
	n, fault := e.node(op.ID, "/id")
	if fault != nil {
		return fault
	}
	next, known := successor(n)
	if reconnect := op.Reconnect == nil || *op.Reconnect; reconnect && known && next.Target.Text() != op.ID {
		for _, other := range e.tool.Nodes {
			if other.ID.Text() == op.ID {
				continue
			}
			for edge := range other.Edges() {
				if edge.Target.Text() == op.ID {
					e.change(edge.Whole().Replace("", target(next.Target.Text(), next.Port.Text())))
				}
			}
		}
	}
	e.change(n.Remove(""))
	return nil
}

// successor returns the one edge that a node leads on by with next.
func successor(n *graph.Node) (next graph.Edge, ok bool) {
	if id := n.Next.Text(); id != "" {
		return graph.Edge{Target: n.Next}, true
	}
	if len(n.NextList) == 1 && n.NextList[0].Target.Text() != "" {
		return n.NextList[0], true
	}
	return graph.Edge{}, false
}

// target is what an edge to a node leads to: its id, or its id and an input port.
func target(id, port string) any {
	if port == "" {
		return id
	}
	return graph.Members{{Key: "node", Value: id}, {Key: "port", Value: port}}
}

// rewire points the edges of a node that lead to one id at another.
func (e *Editor) rewire(n *graph.Node, from, to string) {
	for edge := range n.Edges() {
		if edge.Target.Text() == from {
			e.change(edge.Target.Replace("", to))
		}
	}
}

// connect points one edge of a node at another: its next, a condition of a switch
// by index, its default, onError, or the output port of a node of another system.
func (e *Editor) connect(op Op) *diag.Fault {
	n, fault := e.node(op.From, "/from")
	if fault != nil {
		return fault
	}
	if _, fault := e.node(op.To, "/to"); fault != nil {
		return fault
	}
	to := target(op.To, op.Port)
	if i, err := strconv.Atoi(op.Branch); err == nil {
		if i < 0 || i >= len(n.Conditions) {
			return diag.BadArgument("/branch", "a condition's index, default or onError", "%q has %d conditions", op.From, len(n.Conditions))
		}
		e.change(setMember(n.Conditions[i].Value, "next", to))
		return nil
	}
	byPort := n.Next.Is(graph.Object) && !graph.IsTarget(n.Next)
	switch op.Branch {
	case "onError", "join":
		e.change(setMember(n.Value, op.Branch, to))
		return nil
	case "", "default", "next":
		if !byPort {
			e.change(setMember(n.Value, "next", to))
			return nil
		}
		if op.Branch != "default" {
			return diag.BadArgument("/branch", "the output ports are "+diag.OneOf(n.Next.Keys(), 12), "%q has several output ports", op.From)
		}
	}
	switch {
	case byPort:
		e.change(setMember(n.Next, op.Branch, to))
	case n.Has("subtype") && !n.Next.Exists():
		e.change(n.Insert("", "next", graph.Members{{Key: op.Branch, Value: to}}, ""))
	default:
		return diag.BadArgument("/branch", "a condition's index, default, onError or an output port of a node whose next is a map", "unknown branch %q", op.Branch)
	}
	return nil
}

func setMember(v graph.Value, key string, to any) diag.Fix {
	if m := v.Get(key); m.Exists() {
		return m.Replace("", to)
	}
	return v.Insert("", key, to, "")
}

func (e *Editor) insertBetween(op Op) *diag.Fault {
	id, fault := e.newNode(op.Node)
	if fault != nil {
		return fault
	}
	from, fault := e.node(op.From, "/from")
	if fault != nil {
		return fault
	}
	if _, fault := e.node(op.To, "/to"); fault != nil {
		return fault
	}
	found, port := false, ""
	for edge := range from.Edges() {
		if edge.Target.Text() == op.To && (op.Branch == "" || op.Branch == edge.Label) {
			e.change(edge.Whole().Replace("", id))
			found, port = true, edge.Port.Text()
		}
	}
	if !found {
		return diag.BadArgument("/to", "connect makes an edge", "no edge leads from %q to %q", op.From, op.To)
	}
	e.change(e.tool.NodeList.InsertItem("", slices.Index(e.ids, op.From)+1, withNext(op.Node, target(op.To, port))))
	return nil
}

// withNext gives a node without a next one.
func withNext(raw json.RawMessage, next any) any {
	doc, _ := graph.Parse("node", string(raw))
	if doc == nil || graph.ReadNode(doc.Root).Next.Exists() {
		return raw
	}
	n := graph.Members{}
	for key, m := range doc.Root.Members() {
		n = n.With(key, json.RawMessage(m.JSON()))
	}
	return n.With("next", next)
}
