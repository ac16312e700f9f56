package engine

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

// branchesOf returns the branches of a parallel node.
func (p *Pass) branchesOf(fork NodeIndex) []branch {
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
	for _, k := range p.members[from] {
		if p.branches[k].join == to {
			return true
		}
	}
	return false
}
