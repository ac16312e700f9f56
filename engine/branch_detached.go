package engine

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
)

var ruleDetachedQuestion = diag.Define("detached-question", diag.Error,
	"A branch under detach asks a person. A question makes a run wait, and nobody waits for such a branch.")

// checkDetached reports questions in a branch that nobody waits for.
func (p *Pass) checkDetached(b branch) {
	for _, i := range b.inside {
		if n := p.nodes[i]; p.plan.nodes[i].kind.Asks {
			d := p.Report(ruleDetachedQuestion, n.Type, n, "%q asks a person in the detached branch %q, for which nobody waits", n.ID, p.plan.nodes[b.head].id)
			d.Hint = "list the branch under branches instead of detach"
		}
	}
}

// joining returns the branches of a fork, those that join and those that nobody waits
// for.
func (p *Pass) joining(fork NodeIndex) (joining, detached []branch) {
	for _, b := range p.branchesOf(fork) {
		if b.detached {
			detached = append(detached, b)
		} else {
			joining = append(joining, b)
		}
	}
	return joining, detached
}

// end has nothing follow a detached branch: its edges to the join are taken out of next,
// unless they are of a joining branch too.
func (p *Pass) end(b *branch, next [][]NodeIndex) {
	for _, i := range b.inside {
		if i == b.fork || p.joins(b.fork, i) {
			continue
		}
		for j, to := range next[i] {
			if to == b.join {
				next[i][j] = NoNode
			}
		}
	}
}

// joins reports whether a node is in a branch of a fork that joins.
func (p *Pass) joins(fork, n NodeIndex) bool {
	return slices.ContainsFunc(p.members[n], func(k int32) bool { return p.branches[k].fork == fork && !p.branches[k].detached })
}

// hidden returns the detached branch because of which the output of m is never seen at
// n, or nil.
func (p *Pass) hidden(m, n NodeIndex) *branch {
	if !p.plan.detaches || p.members == nil {
		return nil
	}
	for _, k := range p.members[m] {
		b := &p.branches[k]
		if _, inside := slices.BinarySearch(p.members[n], k); b.detached && !inside && !p.joins(b.fork, m) {
			return b
		}
	}
	return nil
}
