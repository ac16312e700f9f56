package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// checkOrder reports reads of nodes that have not run.
func (p *Pass) checkOrder(t *Types) {
	for _, i := range t.before.order {
		n := p.nodes[i]
		for _, x := range n.exprs {
			if x.faulty {
				continue
			}
			said := map[string]bool{}
			for _, ref := range x.compiled.refs.Nodes {
				m := p.nodeIndex(ref.Node)
				if m == NoNode || ref.Via != "path" || said[ref.Node] {
					continue
				}
				said[ref.Node] = true
				p.checkReadOrder(t, n, x, ref, m)
			}
		}
	}
}

func (p *Pass) checkReadOrder(t *Types, n *Node, x nodeExpr, ref jsonata.Ref, m NodeIndex) {
	p.did(0)
	switch t.when(m, n.Index) {
	case never:
		if b := p.hidden(m, n.Index); b != nil {
			p.reportAt(ruleReadTooEarly, x.at, x.at.Within(ref.Start, ref.End), n, "node %q runs in the detached branch %q, whose outputs are not seen outside of it", ref.Node, p.plan.nodes[b.head].id).Hint = "to wait for the branch and read its outputs, list it under branches instead of detach"
			return
		}
		p.reportAt(ruleReadTooEarly, x.at, x.at.Within(ref.Start, ref.End), n, "node %q cannot have run before %q", ref.Node, n.ID).Hint = "move it to the path before this node, or read another node"
	case maybe:
		if x.asks || guarded(x.compiled) {
			return
		}
		if !p.helps() {
			p.reportAt(ruleReadMaybe, x.at, x.at.Within(ref.Start, ref.End), n, "node %q may not have run before %q", ref.Node, n.ID)
			return
		}
		path := t.before.bypass(m, n.Index)
		if len(path) == 0 { // the branches of a parallel node, in a loop
			p.reportAt(ruleReadMaybe, x.at, x.at.Within(ref.Start, ref.End), n, "node %q runs at the same time as %q, and may not have run before", ref.Node, n.ID).Hint = fmt.Sprintf("read it after the join; in a loop, $exists($.%s) ? … : … reads the output of the previous iteration", quoteID(ref.Node))
			return
		}
		if len(path) > 12 {
			path = append(append(path[:6:6], "…"), path[len(path)-5:]...)
		}
		p.reportAt(ruleReadMaybe, x.at, x.at.Within(ref.Start, ref.End), n, "node %q has not run on the path %s", ref.Node, strings.Join(path, " -> ")).Hint = fmt.Sprintf("its value is undefined there: use $exists($.%s) ? … : …, or ?? for a default", quoteID(ref.Node))
	}
}

// guarded reports whether an expression asks in any way if something is there.
func guarded(c *compiledExpr) bool {
	if c.ast != nil && hasChoice(c.ast.Root) {
		return true
	}
	return slices.ContainsFunc(c.refs.Functions, func(call jsonata.Call) bool {
		b := jsonata.LookupBuiltin(call.Name)
		return b != nil && b.Asks
	})
}

// hasChoice reports whether an expression has ? :, ?: or ?? in it.
func hasChoice(n *jsonata.Node) bool {
	switch n.Kind {
	case jsonata.KindCondition, jsonata.KindElvis, jsonata.KindCoalesce:
		return true
	}
	for child := range n.Children() {
		if hasChoice(child) {
			return true
		}
	}
	return false
}
