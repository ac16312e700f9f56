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
var wrappers = strings.Fields("config configuration data parameters params settings properties spec options with input")

// unwrap recovers from a node whose fields are inside one of its keys. Settings that are
// no fields of the node are moved with them if others is set: they are checked at their
// new place.
func (p *Pass) unwrap(n *Node, key string, holders []string, others bool) bool {
	v := n.Get(key)
	if !slices.Contains(holders, key) || !v.Is(graph.Object) {
		return false
	}
	fixes := []diag.Fix{v.Remove("")}
	moved, required := map[string]graph.Value{}, false
	for name, m := range v.Members() {
		f := n.Kind.meant(name)
		if f == nil && !others {
			return false
		}
		if f != nil {
			name, required = f.Name, required || f.Required
		}
		if moved[name].Exists() || n.given(name).Exists() || n.Has(name) {
			return false
		}
		moved[name] = m
		fixes = append(fixes, n.Insert("", name, raw(m), ""))
	}
	if !required {
		return false
	}
	for name, m := range moved {
		if n.Kind.field(name) != nil {
			n.set(name, m)
		}
	}
	p.Report(ruleWrapped, n.Key(key), n, "the fields of the node are inside %q", key).
		WithFix("write them on the node itself: "+strings.Join(v.Keys(), ", "), graph.Join(fmt.Sprintf("move them out of %q", key), fixes...))
	return true
}

// wrappedRequest recovers from a request inside a key of the node.
func wrappedRequest(p *Pass, n *Node, key string) bool {
	return p.unwrap(n, key, append(wrappers, "request", n.Kind.Spec.NodeType), true)
}

// meant returns the field that a name is, or that it is a foreign name of, or nil.
func (k *Kind) meant(name string) *Field {
	i := slices.IndexFunc(k.Fields, func(f Field) bool { return f.Name == name || slices.Contains(f.Aliases, name) })
	if i < 0 {
		return nil
	}
	return &k.Fields[i]
}

// looseArgs recovers from arguments of the tool that are on the node itself.
func looseArgs(p *Pass, n *Node, key string) bool {
	if n.suppressed["args"] {
		return n.movedArgs[key]
	}
	if p.env.Tools == nil || n.Has("args") || n.Field("args").Exists() || slices.Contains(n.Kind.field("args").Aliases, key) && n.Get(key).Is(graph.Object) {
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
	args, fixes := graph.Members{}, []diag.Fix{}
	n.movedArgs = map[string]bool{}
	n.suppress("args")
	for _, k := range keys {
		n.movedArgs[k] = true
		args = args.With(k, raw(n.Get(k)))
		fixes = append(fixes, n.Get(k).Remove(""))
	}
	p.Report(ruleLooseArgs, n.Key(key), n, "arguments of the tool are on the node, expected in args: %s", schema.QuoteAll(keys)).
		WithFix("write args: {"+strings.Join(keys, ": …, ")+": …}", graph.Join("move them into args", append(fixes, n.Insert("", "args", args, "tool"))...))
	return true
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
	if slices.Contains(names, keys[0]) || !inner.Is(graph.Object) || !slices.ContainsFunc(inner.Keys(), func(k string) bool { return slices.Contains(names, k) }) {
		return false
	}
	p.Report(ruleArgsShape, v.Key(keys[0]), n, "the arguments are inside %q, one level too deep", keys[0]).
		WithFix("write them directly into args", v.Replace("move them up into args", raw(inner)))
	return true
}
