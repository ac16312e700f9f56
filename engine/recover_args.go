package engine

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// textArgs recovers from a map of arguments that is written as text.
func (p *Pass) textArgs(n *Node, v graph.Value) {
	d := p.Report(ruleArgsShape, v, n, "args is text, expected a map of arguments")
	d.Hint = "write args: {<argument>: <value>}"
	if text := []byte(v.Text()); json.Valid(text) && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		d.Fixes = []diag.Fix{v.Replace("turn the text into a map", json.RawMessage(text))}
	} else if p.readsNode(v.Text()) {
		d.Hint = "write args: {expr: " + yamlQuote(v.Text()) + "}"
		d.Fixes = []diag.Fix{v.Replace("compute it: {expr: …}", graph.Object{{Key: "expr", Value: v.Text()}})}
	}
}

// nestedArgs recovers from arguments that are one level too deep, as in
// {arguments: {path: …}}.
func (p *Pass) nestedArgs(n *Node, v graph.Value) bool {
	keys := v.Keys()
	if len(keys) != 1 || n.tool == nil || keys[0] != "args" && !slices.Contains(n.Kind.field("args").Aliases, keys[0]) {
		return false
	}
	inner := v.Get(keys[0])
	names := n.tool.arguments()
	if slices.Contains(names, keys[0]) || !inner.Is(graph.Map) || !slices.ContainsFunc(inner.Keys(), func(k string) bool { return slices.Contains(names, k) }) {
		return false
	}
	d := p.Report(ruleArgsShape, v.Key(keys[0]), n, "the arguments are inside %q, one level too deep", keys[0])
	d.Hint = "write them directly into args"
	d.Fixes = []diag.Fix{v.Replace("move them up into args", raw(inner))}
	return true
}

// pairsOf reads a list of {name, value} items, as some systems write arguments.
func pairsOf(v graph.Value) (graph.Object, bool) {
	var m graph.Object
	for _, item := range v.Items() {
		name, value := firstOf(item, "name", "key"), firstOf(item, "value")
		if !name.Is(graph.String) || !value.Exists() {
			return nil, false
		}
		m = append(m, graph.Pair{Key: name.Text(), Value: raw(value)})
	}
	return m, len(m) > 0
}
