package graph

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/expr"
)

// An Expr is an expression: its text, at the place of that text.
type Expr struct{ Value }

// Expr returns the expression of a computed value, {expr: …}. It is the zero Expr
// if v is not one; the value of expr need not be a string.
func (v Value) Expr() Expr { return Expr{v.Get("expr")} }

// A Read is a text of a node that reads the outputs of nodes, and its place.
type Read struct {
	Value
	expr.Reader
}

// Reads returns what the rules of a node read, every text under expr, and every text in
// mcpGraph's older form, which starts with "$.", as far as they are expressions.
func (n *Node) Reads() []Read {
	var found []Read
	known := map[Value]bool{}
	for _, c := range n.Conditions {
		rule, err := expr.Decode(c.Rule.JSON())
		if err != nil {
			continue
		}
		compiled, _ := expr.CompileRule(rule)
		for _, r := range compiled.Reads() {
			v := c.Rule.At(r.Pointer)
			known[v] = true
			found = append(found, Read{v, r.Reader})
		}
	}
	for key, v := range n.Members() {
		found = appendReads(found, known, key, v)
	}
	return found
}

func appendReads(found []Read, known map[Value]bool, key string, v Value) []Read {
	switch v.Kind() {
	case String:
		if !known[v] && (key == "expr" || strings.HasPrefix(v.Text(), "$.")) {
			if p, fault := expr.Compile(v.Text()); fault == nil {
				found = append(found, Read{v, p})
			}
		}
	case Array:
		for _, item := range v.Items() {
			found = appendReads(found, known, key, item)
		}
	case Object:
		for key, member := range v.Members() {
			found = appendReads(found, known, key, member)
		}
	}
	return found
}
