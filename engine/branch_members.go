package engine

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A span is the numbers from one to before another.
type span struct{ from, to int }

// findMembers fills members: which branches each node is in, as places in branches
// in ascending order.
func (p *Pass) findMembers() {
	if len(p.branches) == 0 {
		return
	}
	p.members = make([][]int32, len(p.plan.nodes))
	for k := range p.branches {
		for _, i := range p.branches[k].inside {
			p.members[i] = append(p.members[i], int32(k))
		}
	}
}

// forkBranches returns the branches of a parallel node.
func (p *Pass) forkBranches(fork NodeIndex) []branch {
	s := p.forked[fork]
	return p.branches[s.from:s.to]
}

// apart reports whether a node's output is not seen at another because both run
// at the same time, or one inside of the other.
func (p *Pass) apart(m, n NodeIndex) bool {
	before, rest := -1, p.members[m] // of the branches that m is in: the last below k, and those from k on
	for _, k := range p.members[n] {
		fork := p.branches[k].fork
		if m == fork {
			if p.plan.nodes[m].kind.Detaches {
				continue
			}
			return true
		}
		for len(rest) > 0 && rest[0] < k {
			before, rest = int(rest[0]), rest[1:]
		}
		if len(rest) > 0 && rest[0] == k {
			continue
		}
		if s := p.forked[fork]; before >= s.from || len(rest) > 0 && int(rest[0]) < s.to {
			return true
		}
	}
	return false
}

// endsBranch reports whether a branch ends with the edge between two nodes.
func (p *Pass) endsBranch(from, to NodeIndex) bool {
	if len(p.branches) == 0 {
		return false
	}
	return slices.ContainsFunc(p.members[from], func(k int32) bool { return p.branches[k].join == to })
}

var ruleDetachedQuestion = diag.Define("detached-question", diag.Error,
	"A branch under detach asks a person. A question makes a run wait, and a detached branch is not waited for.")

// checkDetached reports questions in a detached branch.
func (p *Pass) checkDetached(b branch) {
	for _, i := range b.inside {
		if n := p.nodes[i]; p.plan.nodes[i].kind.Asks {
			p.Report(ruleDetachedQuestion, n.Type, n, "%q asks a person in the detached branch %q, which no node waits for", n.ID, p.plan.nodes[b.head].id).Hint = "list the branch under branches instead of detach"
		}
	}
}

// joining returns the branches of a fork, those that join and the detached ones.
func (p *Pass) joining(fork NodeIndex) (joining, detached []branch) {
	for _, b := range p.forkBranches(fork) {
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

// hidden returns the detached branch that hides the output of m: it is never seen at
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
