package engine

import (
	"hash/fnv"
	"slices"

	"github.com/patchbay-mcp/patchbay/run"
)

// fingerprint fills in a fingerprint of what the document says of each node:
// layout, comments, the order of keys and where an editor shows it do not count.
func (p *Plan) fingerprint() {
	h := fnv.New64a()
	var sorted []byte
	for i := range min(len(p.nodes), len(p.tool.Nodes)) {
		sorted = p.tool.Nodes[i].AppendSorted(sorted[:0], positionKey)
		h.Reset()
		_, _ = h.Write(sorted)
		p.nodes[i].print = h.Sum64()
	}
}

// Changed lists the nodes that a run has completed, wholly or for some items,
// and that this plan defines otherwise or no longer has: each once, in the order
// in which they ran. The open step may change.
func (p *Plan) Changed(r *run.Record) []string {
	p.printed.Do(p.fingerprint)
	graphs := map[string]bool{}
	for i := range r.Steps {
		if p.kinds.RunsGraph(r.Steps[i].Type) {
			graphs[r.Steps[i].Key] = true
		}
	}
	open := r.Open()
	var changed []string
	seen := map[string]bool{}
	for i := range r.Steps {
		step := r.Steps[i]
		if !step.Done() || step.Given() || seen[step.Node] || within(step.Key, graphs) || slices.Contains(open, step) {
			continue
		}
		seen[step.Node] = true
		if at, ok := p.index[step.Node]; !ok || p.nodes[at].print != step.Definition {
			changed = append(changed, step.Node)
		}
	}
	return changed
}

// within reports whether a step is part of one of others.
func within(key string, others map[string]bool) bool {
	for i := range key {
		if key[i] == '/' && others[key[:i]] {
			return true
		}
	}
	return false
}
