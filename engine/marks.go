package engine

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/run"
)

var ruleModelDecides = diag.Define("model-decides", diag.Note,
	"A call depends on what a model has answered: by its arguments, the items of its foreach, or a switch that leads to it. A person is asked before it is made, unless it is known to be read-only, or the node says trusted: true in a graph that a person has sent or approved.")

// trustedField lets a call be made that depends on what a model has answered.
var trustedField = Field{Name: "trusted", Type: "boolean", Doc: "true asks nobody; in an approved graph, for calls that a model decides"}

// trusted reads the field.
func (p *Pass) trusted(n *Node) bool {
	v := n.Field(trustedField.Name)
	if v.Exists() && !v.Is(graph.Boolean) {
		p.Report(ruleModifierValue, v, n, "trusted is %s, expected true or false", shape(v))
	}
	return v.Bool()
}

// A marking finds the nodes whose input depends on the output of a model.
type marking struct {
	*Pass
	readers [][]NodeIndex // by node: those that read its output
	carries []bool        // the output depends on that of a model
	models  []NodeIndex   // nodes that ask a model, or run a graph that does
	queue   []NodeIndex   // of carries: those whose readers are not marked yet
	after   []int         // by node: where all its branches meet; nil until it is needed
	chosen  []bool        // of switches: the nodes of their branches are marked
}

// markModels marks the nodes whose input depends on the output of a model, and those that
// only some branches of a switch reach that does.
func (p *Pass) markModels() {
	if p.diags.HasErrors() || p.plan.entry == NoNode {
		return
	}
	m := &marking{Pass: p, carries: make([]bool, len(p.nodes)), chosen: make([]bool, len(p.nodes))}
	for i, n := range p.nodes {
		if n.Kind.AsksModel || n.Kind.RunsGraph && n.tool != nil && n.tool.AsksModel {
			m.carry(NodeIndex(i))
		}
	}
	if p.plan.asksModel = len(m.queue) > 0; !p.plan.asksModel {
		return
	}
	m.findReaders()
	m.models = slices.Clone(m.queue)
	for _, i := range m.models {
		for _, e := range p.plan.nodes[i].edges {
			if e.Label == onErrorLabel { // a reply that cannot be used leads there
				m.choose(i, []NodeIndex{e.To})
			}
		}
	}
	for len(m.queue) > 0 {
		i := m.queue[len(m.queue)-1]
		m.queue = m.queue[:len(m.queue)-1]
		for _, r := range m.readers[i] {
			m.mark(r, false)
		}
		if len(p.members) > 0 {
			for _, b := range p.members[i] {
				m.carry(p.branches[b].fork) // its output has those of its branches
			}
		}
	}
	for i, n := range p.nodes {
		own := n.trusted && p.plan.trusted && !p.plan.unreviewed
		if !p.plan.nodes[i].marked || own || !n.Kind.ActsOutside || n.Kind.AsksModel || n.state != nil || n.tool.readOnly() {
			continue
		}
		hint := "trusted: true asks nobody, once a person has approved the graph"
		if n.Kind.RunsGraph {
			hint = "the nodes of the graph that make calls can say trusted: true"
		}
		p.Report(ruleModelDecides, n.where(), n, "%q depends on what a model answers: a person is asked before it changes something", n.ID).Hint = hint
	}
}

// readOnly reports whether a tool is known to change nothing.
func (t *Tool) readOnly() bool { return t != nil && t.Spec.Annotations.IsReadOnly() }

// findReaders finds which nodes read which, and marks those that may read any.
func (m *marking) findReaders() {
	m.readers = make([][]NodeIndex, len(m.nodes))
	var all, next []NodeIndex // nodes that may read any output; successors of models and of state nodes
	for i, n := range m.nodes {
		any := false
		note := func(refs *jsonata.Refs) {
			any = any || refs.ReadsUnnamed() || slices.ContainsFunc(refs.Variables, func(u jsonata.Use) bool { return u.Name == contextVariable })
			for _, ref := range refs.Nodes {
				if from := m.nodeIndex(ref.Node); from != NoNode {
					m.readers[from] = append(m.readers[from], NodeIndex(i))
				}
			}
		}
		for _, x := range n.exprs {
			note(x.compiled.refs)
		}
		for _, r := range n.rules {
			for _, read := range r.rule.Reads() {
				note(read.Refs())
			}
		}
		if any {
			all = append(all, NodeIndex(i))
		}
		if m.carries[i] || n.state != nil {
			next = append(next, m.plan.follows(NodeIndex(i))...)
		}
	}
	if len(all) > 0 {
		reached := spread(next, m.plan.follows, len(m.nodes))
		for _, i := range all {
			if reached[i] {
				m.mark(i, false)
			}
		}
	}
}

// carry notes that the output of a node depends on that of a model.
func (m *marking) carry(i NodeIndex) {
	if !m.carries[i] {
		m.carries[i] = true
		m.queue = append(m.queue, i)
	}
}

// mark marks a node, the branches that it chooses between, and the nodes that read the state it
// stores. A person's answer is not marked. Inside says that the branches are marked already.
func (m *marking) mark(i NodeIndex, inside bool) {
	n := &m.plan.nodes[i]
	if n.marked {
		return
	}
	n.marked = true
	if !n.kind.Asks {
		m.carry(i)
	}
	if stored := m.nodes[i].state; stored != nil && stored.do != run.StateGet {
		for k, other := range m.nodes {
			if other.state != nil && (!stored.key.constant() || !other.state.key.constant() || stored.key.literal == other.state.key.literal) {
				m.carry(NodeIndex(k))
			}
		}
	}
	if n.kind.Chooses && !inside {
		m.choose(i, m.plan.follows(i))
		m.chosen[i] = true
	}
}

// choose marks the nodes between a node, by some of its branches, and the node where all its
// branches meet.
func (m *marking) choose(sw NodeIndex, next []NodeIndex) {
	if m.after == nil {
		m.findAfter()
	}
	between, seen := []NodeIndex{sw}, map[NodeIndex]bool{}
	for k := 0; k < len(between); k++ {
		m.did(0)
		if k > 0 {
			next = m.plan.follows(between[k])
		}
		if k > 0 && m.chosen[between[k]] { // all between is marked
			next = []NodeIndex{NodeIndex(m.after[between[k]])}
		}
		for _, to := range next {
			if int(to) != m.after[sw] && int(to) < len(m.nodes) && !seen[to] {
				seen[to] = true
				between = append(between, to)
			}
		}
	}
	for _, to := range between[1:] {
		m.mark(to, true)
	}
}

// findAfter finds, for each node, the first node that is executed after it unless one fails that
// asks no model:
// its dominator in the graph with all edges turned around, and one end.
func (m *marking) findAfter() {
	end := NodeIndex(len(m.nodes))
	back := make([][]NodeIndex, end+1)
	for i := range m.plan.nodes {
		ends := true
		for _, e := range m.plan.nodes[i].edges {
			if (e.Label != onErrorLabel || slices.Contains(m.models, NodeIndex(i))) && !strings.HasPrefix(e.Label, "detach/") {
				back[e.To], ends = append(back[e.To], NodeIndex(i)), false
			}
		}
		if ends {
			back[end] = append(back[end], NodeIndex(i))
		}
	}
	m.after = dominators(back, end)
}
