package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

var (
	ruleDanglingEdge = diag.Define("dangling-edge", diag.Error,
		"An edge leads to a node that does not exist.")
	ruleMissingNext = diag.Define("missing-next", diag.Error,
		"A node has no next node. Every node except an exit needs one.")
	ruleMissingEntry = diag.Define("missing-entry", diag.Error,
		"The tool has no node of type entry, where a run starts.")
	ruleSecondEntry = diag.Define("second-entry", diag.Error,
		"The tool has more than one node of type entry.")
	ruleMissingExit = diag.Define("missing-exit", diag.Error,
		"The tool has no node of type exit, where a run ends with its result.")
	ruleEntryTarget = diag.Define("edge-to-entry", diag.Error,
		"An edge leads back to the entry. A loop must lead to the node after the entry.")
)

// Next resolves the field that names the following node.
func (p *Pass) Next(n *Node) []Edge {
	v := n.Next
	if !v.Exists() || v.Is(graph.Null) {
		p.missingNext(n, v)
		return []Edge{{To: NoNode}}
	}
	return []Edge{{To: p.Target(n, v), At: v}}
}

// Target resolves a node's id, reporting one that does not exist.
func (p *Pass) Target(n *Node, v graph.Value) NodeIndex {
	if !v.Is(graph.String) {
		id, _ := p.wrongForm(&targetForm, "", n, v).(string)
		return p.nodeIndex(id)
	}
	i := p.nodeIndex(v.Text())
	if i == NoNode {
		return p.lostTarget(n, v)
	}
	if k := p.nodes[i].Kind; k != nil && k.Starts {
		d := p.Report(ruleEntryTarget, v, n, "an edge leads back to the entry %q", v.Text())
		d.Hint = "lead to the node after the entry"
		if after := p.nodes[i].Next; after.Text() != v.Text() && p.nodeIndex(after.Text()) != NoNode {
			d.Offer(changeTo(v, after.Text()))
		}
	}
	return i
}

func (p *Pass) nodeIndex(id string) NodeIndex {
	if i, ok := p.index[id]; ok {
		return i
	}
	return NoNode
}

func (p *Pass) missingNext(n *Node, v graph.Value) {
	if n.suppressed["next"] {
		return
	}
	d := p.Report(ruleMissingNext, n.where(), n, "node %q has no next node", n.ID)
	d.Hint = "add next: <id of the node that follows>"
	if len(*p.diags) > maxHelped {
		return
	}
	to := p.successor(n)
	if to == "" {
		return
	}
	title := "add next: " + to
	if v.Exists() {
		d.Offer(v.Replace(title, to))
	} else {
		d.Offer(n.Insert(title, "next", to, ""))
	}
}

// successor guesses what follows a node that does not say: the node written
// after it when nothing else leads there, else the only exit.
func (p *Pass) successor(n *Node) string {
	if i := int(n.Index) + 1; i < len(p.nodes) && !slices.ContainsFunc(p.nodes, func(n *Node) bool { return n.leadsTo(p.nodes[i].ID) }) {
		return p.nodes[i].ID
	}
	if len(p.exits) == 1 {
		return p.exits[0].ID
	}
	return ""
}

// leadsTo reports whether the node names id as what follows it.
func (n *Node) leadsTo(id string) bool {
	return n.Next.Text() == id || slices.ContainsFunc(n.Conditions, func(c graph.Condition) bool { return c.Next.Text() == id })
}

// endpoints checks that the tool starts and ends, before the nodes are compiled:
// what leads nowhere for want of an exit is then not said twice.
func (p *Pass) endpoints() {
	if len(p.nodes) == 0 || len(p.foreign) > 0 || p.elsewhere {
		return
	}
	list := p.tool.NodeList
	switch entries := p.of(starts); {
	case len(entries) == 0:
		first := p.nodes[0].ID
		start := p.terminal(true)
		id := p.freeID(start)
		p.pendingIDs = map[string]bool{id: true}
		d := p.Report(ruleMissingEntry, memberKey(list), nil, "the tool has no node of type %s", start)
		d.Hint = fmt.Sprintf("add {id: %s, type: %s, next: %s}", id, start, first)
		if list.Is(graph.Array) {
			d.Offer(list.InsertItem("add "+article(start)+" before the first node", 0, graph.Members{{Key: "id", Value: id}, {Key: "type", Value: start}, {Key: "next", Value: first}}))
		}
	case len(entries) > 1:
		for _, n := range entries[1:] {
			d := p.Report(ruleSecondEntry, n.where(), n, "%q is a second %s", n.ID, n.Kind.Spec.NodeType)
			d.Hint = "a tool has one " + n.Kind.Spec.NodeType + "; its next leads to the first step"
			d.Related = []diag.Related{{Path: entries[0].Path(), Range: entries[0].where().Range(), Message: "the first " + n.Kind.Spec.NodeType}}
		}
	}
	if len(p.exits) == 0 && !p.untyped() {
		p.missingExit(list)
	}
}

// untyped reports whether some node has no known type, and may be the exit.
func (p *Pass) untyped() bool {
	return slices.ContainsFunc(p.nodes, func(n *Node) bool { return n.Kind == nil && isEnding(n.Type.Text()) && n.Type.Exists() })
}

// missingExit offers to add an exit under the name that edges already use, and
// to lead the nodes there that lead nowhere.
func (p *Pass) missingExit(list graph.Value) {
	p.noExit = true
	end := p.terminal(false)
	d := p.Report(ruleMissingExit, memberKey(list), nil, "the tool has no node of type %s", end)
	ids := p.lostExits()
	ends := lists.Only(p.nodes, func(n *Node) bool {
		return n.Kind != nil && n.Kind.field("next") != nil && (!n.Next.Exists() || n.Next.Is(graph.Null))
	})
	if len(ids) == 0 {
		ids = []string{p.freeID(end)}
	}
	if p.pendingIDs == nil {
		p.pendingIDs = map[string]bool{}
	}
	for _, id := range ids {
		p.pendingIDs[id] = true
	}
	id := ids[0]
	d.Hint = fmt.Sprintf("add {id: %s, type: %s}, and next: %s to the last node", id, end, id)
	if !list.Is(graph.Array) {
		return
	}
	fixes := []diag.Fix{}
	for _, n := range ends {
		n.suppress("next")
		if n.Next.Exists() {
			fixes = append(fixes, n.Next.Replace("", id))
		} else {
			fixes = append(fixes, n.Insert("", "next", id, ""))
		}
	}
	for _, id := range ids {
		fixes = append(fixes, list.Append("", graph.Members{{Key: "id", Value: id}, {Key: "type", Value: end}}))
	}
	d.Offer(graph.Join("add "+article(end), fixes...))
}

// article puts a or an before the name of a node type.
func article(name string) string {
	if strings.ContainsAny(name[:1], "aeiou") {
		return "an " + name
	}
	return "a " + name
}
