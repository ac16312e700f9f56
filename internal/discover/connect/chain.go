package connect

import (
	"cmp"
	"context"
	"slices"

	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/specs"
)

const (
	maxChain   = 3
	maxChains  = 10 // that are returned
	maxEnds    = 10 // nodes that chains may end with
	maxFeeders = 8  // nodes that are tried for an argument
	maxGrown   = 12 // chains of two that are made longer
	maxKnown   = 30 // feeders of an argument that are known
)

// chains are sequences of two or three nodes. The last one gives what is wanted, and their
// arguments come from what is given and from those before. They are looked for from
// their ends.
func (q *query) chains(ctx context.Context) []*Path {
	if !q.given || q.any {
		return nil
	}
	type partial struct {
		nodes []*node
		open  []argument
		score float64
	}
	grown := lists.Each(q.endNodes(), func(e ranked) partial { return partial{[]*node{e.node}, q.open([]*node{e.node}), e.score} })
	var found []*sketch
	for length := 2; length <= maxChain; length++ {
		var next []partial
		for _, p := range grown {
			for _, arg := range p.open {
				for _, f := range q.feeders(arg.field, arg.of, maxFeeders/(length-1)) {
					if slices.Contains(p.nodes, f.node) || ctx.Err() != nil {
						continue
					}
					nodes := append([]*node{f.node}, p.nodes...)
					if slices.ContainsFunc(next, func(o partial) bool { return slices.Equal(o.nodes, nodes) }) {
						continue
					}
					if s := q.sketch(nodes); s != nil {
						found = append(found, s)
					}
					open := q.open(nodes)
					next = append(next, partial{nodes, open, p.score * f.score / float64(1+len(open))})
				}
			}
		}
		slices.SortStableFunc(next, func(a, b partial) int { return cmp.Compare(b.score, a.score) })
		grown = next[:min(len(next), maxGrown)]
	}
	return q.first(found, maxChains)
}

// A ranked node is one with a score.
type ranked struct {
	*node

	score float64
}

// best are the n best of some nodes, in their order where they are equal.
func best(list []ranked, n int) []ranked {
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	return list[:min(len(list), n)]
}

// endNodes are the nodes that give what is wanted.
func (q *query) endNodes() []ranked {
	var list []ranked
	for _, n := range q.givers() {
		if out := q.result(&sketch{}, n.sources(nil, 0), func(*use) {}); out >= least {
			list = append(list, ranked{n, out * (1 + q.favour(n.spec))})
		}
	}
	return best(list, maxEnds)
}

// An argument is one that nothing feeds so far.
type argument struct {
	*field

	of *node
}

// open are the required arguments of nodes that neither what is given nor a node before
// surely feeds.
func (q *query) open(nodes []*node) (list []argument) {
	var sources []source
	for i, n := range nodes {
		fed := q.fed(n)
		for k, arg := range n.args[:n.required] {
			if fed[k].score < sure && (i == 0 || q.best(arg, n, sources, 0).score < likely) {
				list = append(list, argument{arg, n})
			}
		}
		if i+1 < len(nodes) {
			sources = n.sources(sources, i)
		}
	}
	return list
}

// feeders are the nodes with an output that an argument of a node takes, those first that
// what is given feeds.
func (q *query) feeders(arg *field, of *node, n int) []ranked {
	known, ok := q.x.feeds.Load(arg)
	if !ok {
		known, _ = q.x.feeds.LoadOrStore(arg, q.feedersOf(arg, of))
	}
	var list []ranked
	for _, f := range known.([]ranked) {
		if q.accept(f.spec) {
			list = append(list, ranked{f.node, f.score / float64(1+len(q.open([]*node{f.node}))) * (1 + q.favour(f.spec))})
		}
	}
	return best(list, n)
}

// feedersOf are the nodes that may feed an argument, whoever asks.
func (q *query) feedersOf(arg *field, of *node) []ranked {
	list := []ranked{}
	for _, n := range q.candidates(q.x.gives, []*field{arg}, maxLooked/2, func(s *specs.Spec) bool { return s.NodeType != specs.Idiom }) {
		if u := q.best(arg, of, n.sources(nil, 0), 0); n != of && u.score >= least {
			list = append(list, ranked{n, u.score})
		}
	}
	return best(list, maxKnown)
}
