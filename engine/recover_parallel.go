package engine

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// nextForJoin recovers from next in the place of join.
func nextForJoin(p *Pass, n *Node, key string) bool {
	if key != "next" || n.Join.Exists() {
		return false
	}
	d := p.Report(ruleMisspeltKey, n.Key(key), n, "a node of type parallel has no field %q", key)
	d.Hint = `did you mean "join"?`
	d.Fixes = []diag.Fix{n.RenameKey(`rename to "join"`, key, "join")}
	n.set("join", n.Get(key))
	return true
}

// wrongBranches reports branches that are not a list of ids, with the list if they
// are one id or a map to ids.
func (p *Pass) wrongBranches(n *Node, v graph.Value, key string) {
	d := p.Report(ruleBranches, v, n, "%s is %s, expected a list of node ids", key, shape(v))
	d.Hint = "write " + key + ": [<id of a branch's first node>, …]"
	if ids, ok := idsOf(v); ok {
		d.Fixes = []diag.Fix{v.Replace("make it a list", ids)}
	}
}

// idsOf reads branches that were written as one id, or as a map to ids.
func idsOf(v graph.Value) ([]any, bool) {
	if v.Is(graph.String) {
		return []any{v.Text()}, true
	}
	var ids []any
	for _, key := range v.Keys() {
		if !v.Get(key).Is(graph.String) {
			return nil, false
		}
		ids = append(ids, v.Get(key).Text())
	}
	return ids, len(ids) > 0
}
