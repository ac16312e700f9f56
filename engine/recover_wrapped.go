package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
)

var (
	ruleWrapped = diag.Define("wrapped-fields", diag.Error,
		"The fields of a node are inside another key, such as config or data. They belong on the node itself.")
	ruleLooseArgs = diag.Define("argument-on-node", diag.Error,
		"Arguments of the tool are fields of the node. They belong in args.")
)

// wrappers are the keys under which other systems keep what a node does.
var wrappers = []string{"config", "configuration", "data", "parameters", "params", "settings", "properties", "spec", "options", "with", "input"}

// unwrap recovers from a node whose fields are inside one of its keys.
func (p *Pass) unwrap(n *Node, key string) bool {
	v := n.Get(key)
	if !slices.Contains(wrappers, key) || v.Len() == 0 || !v.Is(graph.Map) {
		return false
	}
	required := false
	var fields []*Field
	for _, name := range v.Keys() {
		i := slices.IndexFunc(n.Kind.Fields, func(f Field) bool { return f.Name == name || slices.Contains(f.Aliases, name) })
		if i < 0 || n.Get(n.Kind.Fields[i].Name).Exists() || slices.Contains(fields, &n.Kind.Fields[i]) {
			return false
		}
		fields = append(fields, &n.Kind.Fields[i])
		required = required || n.Kind.Fields[i].Required
	}
	if !required {
		return false
	}
	d := p.Report(ruleWrapped, n.Key(key), n, "the fields of the node are inside %q", key)
	d.Hint = "write them on the node itself: " + strings.Join(v.Keys(), ", ")
	fixes := []diag.Fix{v.Remove("")}
	for i, name := range v.Keys() {
		n.set(fields[i].Name, v.Get(name))
		fixes = append(fixes, n.Insert("", fields[i].Name, raw(v.Get(name)), ""))
	}
	d.Fixes = []diag.Fix{graph.Join(fmt.Sprintf("move them out of %q", key), fixes...)}
	return true
}

// looseArgs recovers from arguments of the tool that are on the node itself.
func looseArgs(p *Pass, n *Node, key string) bool {
	if n.suppressed["args"] {
		return n.movedArgs[key]
	}
	if p.env.Tools == nil || n.Get("args").Exists() || n.Field("args").Exists() || slices.Contains(n.Kind.field("args").Aliases, key) && n.Get(key).Is(graph.Map) {
		return false
	}
	tool, _ := p.env.Tools.Tool(n.Get("server").Text(), n.Get("tool").Text())
	if tool == nil {
		return false
	}
	declared := tool.arguments()
	var keys []string
	for _, k := range n.Keys() {
		if n.Kind.field(k) == nil && k != "id" && k != "type" && !n.suppressed[k] && slices.Contains(declared, k) {
			keys = append(keys, k)
		}
	}
	if !slices.Contains(keys, key) {
		return false
	}
	args := graph.Object{}
	fixes := []diag.Fix{}
	n.movedArgs = map[string]bool{}
	n.suppress("args")
	for _, k := range keys {
		n.movedArgs[k] = true
		args = append(args, graph.Pair{Key: k, Value: raw(n.Get(k))})
		fixes = append(fixes, n.Get(k).Remove(""))
	}
	d := p.Report(ruleLooseArgs, n.Key(key), n, "arguments of the tool are on the node, expected in args: %s", schema.QuoteAll(keys))
	d.Hint = "write args: {" + strings.Join(keys, ": …, ") + ": …}"
	d.Fixes = []diag.Fix{graph.Join("move them into args", append(fixes, n.Insert("", "args", args, "tool"))...)}
	return true
}
