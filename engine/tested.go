package engine

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/types"
)

// maxTested bounds how many nodes are looked at in all.
const maxTested = 5_000_000

// tested finds what the conditions of the switches before each node say is there. It holds
// at a node to which only the edge of the condition leads from the entry: the node that
// the value is of cannot run again and get there otherwise.
func (t *Types) tested() [][]expr.There {
	p, at, work := t.pass, make([][]expr.There, len(t.pass.nodes)), 0
	for i, n := range p.nodes {
		var before []expr.There // what holds as the conditions before did not
		for k, e := range p.plan.nodes[i].edges {
			said := before
			if k < len(n.rules) {
				said = append(slices.Clip(before), n.there(n.rules[k].at, true)...)
				before = append(before, n.there(n.rules[k].at, false)...)
			}
			if len(said) == 0 || k > len(n.rules) || e.To == NoNode || work > maxTested {
				continue
			}
			work += len(p.nodes)
			p.did(len(p.nodes))
			others := spread([]NodeIndex{p.plan.entry}, func(j NodeIndex) (to []NodeIndex) {
				for l, o := range p.plan.nodes[j].edges {
					if o.To != NoNode && (int(j) != i || l != k) {
						to = append(to, o.To)
					}
				}
				return to
			}, len(p.nodes))
			for j := range others {
				for _, v := range said {
					if m := p.nodeIndex(v.Node); m != NoNode && !others[j] && t.before.rank[j] >= 0 && !t.beside(m, i) && !t.beside(m, j) {
						at[j] = append(at[j], v)
					}
				}
			}
		}
	}
	return at
}

// beside reports whether a node may run at the same time as another.
func (t *Types) beside(m NodeIndex, n int) bool {
	return len(t.pass.branches) > 0 && t.pass.apart(m, NodeIndex(n))
}

// operation is the operator of a rule and its arguments, or "".
func operation(rule graph.Value) (op string, items []graph.Value) {
	keys := rule.Keys()
	if len(keys) != 1 {
		return "", nil
	}
	args := rule.Get(keys[0])
	if args.Is(graph.Array) {
		return keys[0], args.Items()
	}
	return keys[0], []graph.Value{args}
}

// there is what a rule of the node says is there where it holds, or does not.
func (n *Node) there(rule graph.Value, holds bool) (all []expr.There) {
	op, items := operation(rule)
	switch op {
	case "and", "or":
		if holds == (op == "and") || len(items) == 1 {
			for _, item := range items {
				all = append(all, n.there(item, holds)...)
			}
		}
	case "!", "!!":
		if len(items) == 1 {
			return n.there(items[0], holds == (op == "!!"))
		}
	case "==", "===", "!=", "!==":
		if len(items) == 2 && holds == (op[0] == '!') {
			if items[0].Is(graph.Null) {
				slices.Reverse(items)
			}
			if op, of := operation(items[0]); op == "var" && len(of) == 1 && items[1].Is(graph.Null) {
				return n.says(of[0], expr.Reader.NotNull)
			}
		}
	case "var":
		if len(items) == 1 {
			return n.says(items[0], func(r expr.Reader) []expr.There { return r.There(holds) })
		}
	case "missing":
		for _, item := range items {
			if !holds {
				all = append(all, n.says(item, expr.Reader.NotNull)...)
			}
		}
	}
	return all
}

// says asks the expression, or the path, at a place of the node.
func (n *Node) says(at graph.Value, ask func(expr.Reader) []expr.There) []expr.There {
	if i := slices.IndexFunc(n.exprs, func(x nodeExpr) bool { return x.at == at && !x.faulty }); i >= 0 {
		return ask(n.exprs[i].compiled)
	}
	return nil
}

// having is what is known of a value in which something is there.
func having(s types.Type, path []string, lacks types.Kind) types.Type {
	if len(path) == 0 {
		return s.Without(lacks)
	}
	s = s.Without(types.Undefined | types.Null)
	if i := slices.IndexFunc(s.Fields, func(f types.Field) bool { return f.Name == path[0] }); i >= 0 && s.Only(types.Object) {
		s.Fields = slices.Clone(s.Fields)
		s.Fields[i].Type, s.Fields[i].Optional = having(s.Fields[i].Type, path[1:], lacks), false
	}
	return s
}
