package engine

import (
	"bytes"
	"regexp"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
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
	if !v.Is(graph.Map) || v.Len() != 1 || !nearExpr(v.Keys()[0]) || !v.Get(v.Keys()[0]).Is(graph.String) {
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
	d := p.Report(ruleMisspeltKey, v.Key(key), n, "a computed value has no key %q", key)
	d.Hint = `did you mean "expr"?`
	d.Fixes = []diag.Fix{v.RenameKey(`rename to "expr"`, key, "expr")}
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

// bareExpr recovers from an expression that is not in {expr: …}.
func (p *Pass) bareExpr(n *Node, v graph.Value, field string) *Template {
	d := p.Report(ruleBareExpression, v, n, "%s is text, expected {expr: …}", field)
	d.Hint = "write " + field + ": {expr: " + yamlQuote(v.Text()) + "}"
	d.Fixes = []diag.Fix{v.Replace("compute it: {expr: "+diag.Cut(v.Text(), 80)+"}", graph.Object{{Key: "expr", Value: v.Text()}})}
	if x := p.Expr(n, v); x != nil {
		return &Template{kind: exprTemplate, expr: x}
	}
	return &Template{literal: expr.Null()}
}

// readsNode reports whether a text is an expression that reads some node.
func (p *Pass) readsNode(text string) bool {
	c, err := p.compileExpr(text)
	if err != nil {
		return false
	}
	for _, ref := range c.refs.Nodes {
		if p.indexOf(ref.Node) != NoNode {
			return true
		}
	}
	return false
}
