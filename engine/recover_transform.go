package engine

import (
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// exprAliases are the keys under which authors put a transform's expression.
var exprAliases = []string{"expr", "expression", "jsonata", "code", "script", "template", "mapping", "transformation", "query", "value"}

// looseExpr recovers from an expression that is a field of the node itself.
func looseExpr(p *Pass, n *Node, key string) bool {
	v := n.Get(key)
	if !slices.Contains(exprAliases, key) && !nearExpr(key) || n.Get("transform").Exists() || n.Field("transform").Exists() {
		return false
	}
	inner := v
	if v.Expr().Exists() {
		inner = v.Expr().Value
	}
	d := p.Report(ruleTransformShape, n.Key(key), n, "%q is on the node, expected transform: {expr: …}", key)
	d.Hint = "write transform: {expr: '…'}"
	n.suppress("transform")
	if inner.Is(graph.String) {
		d.Fixes = []diag.Fix{graph.Join(fmt.Sprintf("move %s into transform", key), v.Remove(""), n.Insert("", "transform", graph.Object{{Key: "expr", Value: inner.Text()}}, "type"))}
		n.set("transform", inner)
	}
	return true
}

// misplacedExpr recovers from a transform that is not {expr: …}.
func (p *Pass) misplacedExpr(n *Node, v graph.Value) *Expr {
	switch {
	case n.suppressed["transform"]:
		return p.Expr(n, v)
	case v.Is(graph.String):
		d := p.Report(ruleTransformShape, v, n, "transform is text, expected {expr: …}")
		d.Hint = "write transform: {expr: '…'}"
		d.Fixes = []diag.Fix{v.Replace("wrap it in {expr: …}", graph.Object{{Key: "expr", Value: v.Text()}})}
		return p.Expr(n, v)
	case !v.Is(graph.Map):
		p.Report(ruleTransformShape, v, n, "transform is %s, expected {expr: …}", shape(v)).Hint = "write transform: {expr: '<JSONata>'}"
		return nil
	}
	aliases := map[string]string{}
	known := v.Expr().Exists()
	for _, a := range exprAliases {
		aliases[a] = "expr"
		known = known || v.Get(a).Exists()
	}
	if text := onlyNearExpr(v); text.Exists() && !known {
		_, err := p.compileExpr(text.Text())
		known = err == nil
	}
	if !known && v.Len() > 0 {
		d := p.Report(ruleTransformShape, v, n, "transform has no expr")
		source := p.objectExpr(v)
		d.Hint = "write transform: {expr: " + yamlQuote(diag.Cut(source, 200)) + "}"
		d.Fixes = []diag.Fix{v.Replace("compute the map by {expr: …}", graph.Object{{Key: "expr", Value: source}})}
		return nil
	}
	x, ok := p.keysOf(v, "transform", n, []string{"expr"}, aliases)["expr"]
	if !ok {
		p.Report(ruleTransformShape, v, n, "transform has no expr").Hint = "write transform: {expr: '<JSONata>'}"
		return nil
	}
	return p.Expr(n, x)
}
