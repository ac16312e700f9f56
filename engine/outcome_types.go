package engine

import "github.com/patchbay-mcp/patchbay/types"

// outcomes are the types of the nodes that have onError: what the output is after a
// success, and which nodes see that of a success, that of a failure, or either.
type outcomes struct {
	success map[NodeIndex]types.Type
	steps   int   // that may still be taken to tell the paths of a loop apart
	visited []int // by node: the number of the search that visited it last
	search  int
}

// stepsPerNode bounds the search for paths in a graph with loops, so that it grows with
// the graph and not with its square. What is not searched may be either outcome.
const stepsPerNode = 200

// caught records the output of the node being inferred when it succeeds, and returns
// what it can be with the failure that onError catches.
func (t *Types) caught(success types.Type) types.Type {
	if t.outcomes.success == nil {
		t.outcomes = outcomes{success: map[NodeIndex]types.Type{}, steps: stepsPerNode * len(t.pass.nodes), visited: make([]int, len(t.pass.nodes))}
	}
	t.outcomes.success[t.at] = success
	return success.Or(errorShape)
}

// output is what the latest output of m can be when n starts.
func (t *Types) output(m, n NodeIndex) types.Type {
	success, ok := t.outcomes.success[m]
	if !ok {
		return t.out[m]
	}
	var failed, succeeded bool
	for _, e := range t.pass.plan.nodes[m].edges {
		known := &succeeded
		if e.Label == onErrorLabel {
			known = &failed
		}
		*known = *known || e.To != NoNode && t.leads(e.To, m, n)
	}
	switch {
	case failed == succeeded:
		return t.out[m]
	case failed:
		return errorShape
	}
	return success
}

// outputTo is the output of a node that another one follows.
func (t *Types) outputTo(from, to NodeIndex) types.Type {
	success, ok := t.outcomes.success[from]
	if !ok {
		return t.out[from]
	}
	out := types.Type{}
	for _, e := range t.pass.plan.nodes[from].edges {
		switch {
		case e.To != to:
		case e.Label == onErrorLabel:
			out = out.Or(errorShape)
		default:
			out = out.Or(success)
		}
	}
	return out
}

// leads reports whether a path from a node that follows m reaches n without executing
// m again.
func (t *Types) leads(from, m, n NodeIndex) bool {
	pr := t.before
	switch {
	case from == n:
		return true
	case from == m || pr.rank[from] < 0 || !pr.reaches(from, n):
		return false
	case !pr.cyclic || !pr.reaches(from, m):
		return true
	}
	o := &t.outcomes
	o.search++
	o.visited[from] = o.search
	for queue := []NodeIndex{from}; len(queue) > 0; {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, to := range pr.next[at] {
			switch {
			case to == n:
				return true
			case to == NoNode || to == m || o.visited[to] == o.search:
				continue
			}
			if o.steps--; o.steps < 0 {
				return true
			}
			o.visited[to] = o.search
			queue = append(queue, to)
		}
	}
	return false
}
