package engine

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// hasExpr finds what only an expression has: a path from $ or a call.
var hasExpr = regexp.MustCompile(`\$(\.|\$\.|[A-Za-z_]\w*\()`)

// nearExpr reports whether a key is a near miss of expr, such as exp.
func nearExpr(key string) bool {
	return key != "expr" && len(key) <= len("expr")+1 && diag.Closest(key, []string{"expr"}) != ""
}

// onlyNearExpr returns the text under the only key of a map when that key is a
// near miss of expr.
func onlyNearExpr(v graph.Value) graph.Value {
	if !v.Is(graph.Object) || v.Len() != 1 || !nearExpr(v.Keys()[0]) || !v.Get(v.Keys()[0]).Is(graph.String) {
		return graph.Value{}
	}
	return v.Get(v.Keys()[0])
}

// meantExpr reports whether a value is an expression under a near miss of expr, as
// in {exp: $.list.items}. A text that is not an expression is a literal, and so is
// what a schema declares under that name.
func (p *Pass) meantExpr(n *Node, v graph.Value) bool {
	text := onlyNearExpr(v)
	if !text.Exists() || !hasExpr.MatchString(text.Text()) || p.declares(n, v.Keys()[0]) {
		return false
	}
	_, err := p.compileExpr(text.Text())
	return err == nil
}

// misspeltExpr reports the key of a value that meantExpr understood, and returns
// the text of its expression.
func (p *Pass) misspeltExpr(n *Node, v graph.Value) graph.Value {
	key := v.Keys()[0]
	p.renameKey(ruleMisspeltKey, v, n, key, "expr", fmt.Sprintf("a computed value has no key %q", key), `did you mean "expr"?`)
	return v.Get(key)
}

// computed reports whether a value is written {expr: …}, or meant to be.
func (p *Pass) computed(n *Node, v graph.Value) bool { return v.Expr().Exists() || p.meantExpr(n, v) }

// declares reports whether the schema that the values of a node have to match has
// a property of the name, at any depth.
func (p *Pass) declares(n *Node, name string) bool {
	property := []byte(strconv.Quote(name))
	if n.tool != nil && n.tool.Input != nil && bytes.Contains(n.tool.Input.Raw, property) {
		return true
	}
	return n.Kind.Ends && p.plan.output != nil && bytes.Contains(p.plan.output.Raw, property)
}

// readsNode reports whether a text is an expression that reads some node.
func (p *Pass) readsNode(text string) bool {
	c, err := p.compileExpr(text)
	if err != nil {
		return false
	}
	for _, ref := range c.refs.Nodes {
		if p.nodeIndex(ref.Node) != NoNode {
			return true
		}
	}
	return false
}

// looseExpr recovers from an expression that is a field of the node itself.
func looseExpr(p *Pass, n *Node, key string) bool {
	v := n.Get(key)
	if foreignWords["transform"][key] == "" && !nearExpr(key) || n.Has("transform") || n.Field("transform").Exists() {
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
		d.Offer(graph.Join(fmt.Sprintf("move %s into transform", key), v.Remove(""), n.Insert("", "transform", oneMember("expr", inner.Text()), "type")))
		n.set("transform", inner)
	}
	return true
}

// misplacedExpr recovers from a transform that is not {expr: …}.
func (p *Pass) misplacedExpr(n *Node, v graph.Value) *Expr {
	switch {
	case n.suppressed["transform"]:
		return p.Expr(n, v)
	case !v.Is(graph.Object):
		if p.wrongForm(&transformForm, "", n, v) == nil {
			return nil
		}
		return p.Expr(n, v)
	}
	aliases := foreignWords["transform"]
	known := v.Expr().Exists() || slices.ContainsFunc(v.Keys(), func(key string) bool { return aliases[key] != "" })
	if text := onlyNearExpr(v); text.Exists() && !known {
		_, err := p.compileExpr(text.Text())
		known = err == nil
	}
	if !known && v.Len() > 0 {
		p.wrongForm(&transformMapForm, "", n, v)
		return nil
	}
	x, ok := p.readKeys(v, "transform", n, []string{"expr"}, aliases)["expr"]
	if !ok {
		p.Report(ruleTransformShape, v, n, "transform has no expr").Hint = "write transform: {expr: '<JSONata>'}"
		return nil
	}
	return p.Expr(n, x)
}

// exprOfMap reads a map as the constructor of an object.
func exprOfMap(p *Pass, v graph.Value) any { return oneMember("expr", p.objectExpr(v)) }
