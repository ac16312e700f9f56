package graph

import "strings"

// An Expr is an expression: its text, at the place of that text.
type Expr struct{ Value }

// Expr returns the expression of a computed value, {expr: …}. It is the zero Expr
// if v is not one; the value of expr need not be a string.
func (v Value) Expr() Expr { return Expr{v.Get("expr")} }

// Exprs returns the expressions of a node, in the order of the source: every text
// under expr, every text that the var of a rule reads, and every text in
// mcpGraph's older form, which starts with "$.".
func (n *Node) Exprs() []Expr {
	var found []Expr
	for key, v := range n.Members() {
		found = appendExprs(found, key, v)
	}
	return found
}

func appendExprs(found []Expr, key string, v Value) []Expr {
	switch v.Kind() {
	case String:
		if key == "expr" || key == "var" || strings.HasPrefix(v.Text(), "$.") {
			found = append(found, Expr{v})
		}
	case List:
		for _, item := range v.Items() {
			found = appendExprs(found, key, item)
		}
	case Map:
		for key, member := range v.Members() {
			found = appendExprs(found, key, member)
		}
	}
	return found
}
