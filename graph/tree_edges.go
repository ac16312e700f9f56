package graph

import (
	"iter"
	"strconv"
)

// EdgeKeys are the keys of a node under which the format names other nodes.
var EdgeKeys = []string{"next", "conditions", "onError", "join", "branches", "detach"}

// NodeEdges are the values under a node's [EdgeKeys], each the zero Value where the
// node lacks it.
type NodeEdges struct {
	Next, OnError, Join Value

	NextList []Edge // the edges in the value of next, if it is a list or a map

	ConditionList Value       // the value of conditions, of any shape
	Conditions    []Condition // its items, if it is a list

	BranchList Value  // the value of branches, of any shape
	Branches   []Edge // its items, if it is a list

	DetachList Value  // the value of detach, of any shape
	Detached   []Edge // its items, if it is a list
}

// A Condition is one item of a node's conditions.
type Condition struct {
	Value // the condition as a whole

	Index      int // in the list
	Rule, Next Value
	Older      bool // Next is written as target, mcpGraph's older name for it
}

// Edge returns the edge of the condition, whose label is its index.
func (c Condition) Edge() Edge { return Edge{Label: strconv.Itoa(c.Index), Target: c.Next} }

// An Edge leads from a node to another one, whose id is the text of Target if the
// document is right. Label is empty for next, the index of a condition, "onError",
// "join", or "branches/" or "detach/" and the index of a branch.
//
// The next of a node of another system may be a map of its output ports, which are
// then the labels, and name the input port of an edge: {main: {node: b, port: tool}}.
type Edge struct {
	Label  string
	Target Value
	Port   Value // the input port; the zero Value if it is not named
}

// Whole is the value that says where the edge leads: the target, or the map with
// the target and its port.
func (e Edge) Whole() Value {
	if parent := e.Target.Parent(); e.Port.Exists() && e.Port.Parent() == parent {
		return parent
	}
	return e.Target
}

// Edges yields all edges that name a node, in this order: next, conditions,
// onError, join, branches, detach.
func (n *NodeEdges) Edges() iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		named := func(e Edge) bool { return !e.Target.Is(String) || yield(e) }
		if !named(Edge{Target: n.Next}) {
			return
		}
		for _, e := range n.NextList {
			if !named(e) {
				return
			}
		}
		for _, c := range n.Conditions {
			if !named(c.Edge()) {
				return
			}
		}
		if !named(Edge{Label: "onError", Target: n.OnError}) || !named(Edge{Label: "join", Target: n.Join}) {
			return
		}
		for _, list := range [...][]Edge{n.Branches, n.Detached} {
			for _, b := range list {
				if !named(b) {
					return
				}
			}
		}
	}
}

// EdgesUnder returns the value under one of the [EdgeKeys], of any shape.
func (n *NodeEdges) EdgesUnder(key string) Value {
	switch key {
	case "next":
		return n.Next
	case "conditions":
		return n.ConditionList
	case "onError":
		return n.OnError
	case "join":
		return n.Join
	case "branches":
		return n.BranchList
	case "detach":
		return n.DetachList
	}
	return Value{}
}

// SetEdges reads v as the value under one of the [EdgeKeys], whatever stood there.
// It reports whether the key is one of them.
func (n *NodeEdges) SetEdges(key string, v Value) bool {
	switch key {
	case "next":
		n.Next, n.NextList = v, readNext(v)
	case "conditions":
		n.ConditionList, n.Conditions = v, readConditions(v)
	case "onError":
		n.OnError = v
	case "join":
		n.Join = v
	case "branches":
		n.BranchList, n.Branches = v, readBranches(key, v)
	case "detach":
		n.DetachList, n.Detached = v, readBranches(key, v)
	default:
		return false
	}
	return true
}

// readNext reads the edges of a list or of a map of output ports, and returns nil for
// any other value.
func readNext(v Value) (edges []Edge) {
	switch v.Kind() {
	case Array:
		for _, item := range v.Items() {
			edges = append(edges, readTarget("", item))
		}
	case Object:
		if IsTarget(v) {
			return []Edge{readTarget("", v)}
		}
		for port, targets := range v.Members() {
			if !targets.Is(Array) {
				edges = append(edges, readTarget(port, targets))
			}
			for _, item := range targets.Items() {
				edges = append(edges, readTarget(port, item))
			}
		}
	}
	return edges
}

// readTarget reads a node's id, or a map of it and an input port.
func readTarget(label string, v Value) Edge {
	if node := v.Get("node"); node.Exists() {
		return Edge{Label: label, Target: node, Port: v.Get("port")}
	}
	return Edge{Label: label, Target: v}
}

// IsTarget tells {node, port} from a map of output ports.
func IsTarget(v Value) bool {
	return v.Get("node").Is(String) && (v.Len() == 1 || v.Len() == 2 && v.Has("port"))
}

// readConditions reads the items of a list as conditions, and returns nil for any
// other value.
func readConditions(list Value) []Condition {
	if list.Len() == 0 || !list.Is(Array) {
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

func readBranches(key string, list Value) []Edge {
	var branches []Edge
	for i, v := range list.Items() {
		branches = append(branches, Edge{Label: key + "/" + strconv.Itoa(i), Target: v})
	}
	return branches
}
