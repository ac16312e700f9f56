package engine

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

var (
	ruleRuleShape = diag.Define("rule-shape", diag.Error,
		"A rule is not JSON Logic: a map of one operator, such as {\">\": [{var: $.a.b}, 3]}.")
	ruleLogic = diag.Define("json-logic", diag.Error,
		"A JSON Logic rule has an operator that does not exist, or a var that is not an expression.")
)

// Rule compiles a JSON Logic rule, reporting operators that do not exist and
// faults of the expressions in its vars.
func (p *Pass) Rule(n *Node, v graph.Value) *expr.Rule {
	if text := ruleText(v); text.Is(graph.String) {
		return p.textRule(n, v, text)
	}
	value, err := expr.Decode(raw(v))
	if err != nil {
		p.Report(ruleRuleShape, v, n, "the rule cannot be read: %v", err)
		return nil
	}
	if v.Is(graph.Object) && v.Len() != 1 { // it would be data, and always true
		p.wrongForm(&ruleForm, fmt.Sprintf("%d keys: %s", v.Len(), others(v, "")), n, v)
		return nil
	}
	if !v.Is(graph.Object) && !v.Is(graph.Boolean) {
		p.Report(ruleRuleShape, v, n, "a rule is JSON Logic, got %s", shape(v)).Hint = `write {">": [{var: $.a.b}, 3]}; and/or take a list of rules`
		return nil
	}
	rule, faults := expr.CompileRuleWith(value, p.program)
	for _, f := range faults {
		p.logicFault(n, v.At(f.Pointer), f)
	}
	for _, r := range rule.Reads() {
		p.checkRead(n, v.At(r.Pointer), r)
	}
	p.checkOperands(n, v)
	if len(faults) > 0 {
		return nil
	}
	return rule
}

// checkRead checks what a rule reads of the context.
func (p *Pass) checkRead(n *Node, v graph.Value, r expr.Read) {
	before := len(n.exprs)
	switch text := r.Reader.(type) {
	case *expr.Program:
		if c, err := p.compileExpr(text.Source()); err == nil {
			p.checkRefs(n, v, c)
		}
	case expr.Path:
		p.did(len(text.Text))
		if looksLikeExpr.MatchString(text.Text) || p.env.Begun {
			return // checkOperands reports the one
		}
		c := &compiledExpr{Reader: text, refs: text.Refs()}
		reported := len(*p.diags)
		p.checkContent(n, v, c.refs)
		p.checkNodes(n, v, c, func(_, _ int) bool { return false })
		n.exprs = append(n.exprs, nodeExpr{at: v, compiled: c, faulty: (*p.diags)[reported:].HasErrors()})
	}
	for i := before; i < len(n.exprs); i++ {
		n.exprs[i].asks = r.Asks
	}
}

// logicFault reports what expr says of a part of a rule: of an expression in a
// var, or of an operator, whose edit is one of the key.
func (p *Pass) logicFault(n *Node, v graph.Value, f *jsonata.Error) {
	if f.Code != "unknown-operator" {
		p.exprFault(ruleLogic, n, v, f)
		return
	}
	holder, name := v.Parent(), v.Name()
	d := p.Report(ruleLogic, holder.Key(name), n, "%s", f.Message)
	d.Hint = f.Hint
	if len(f.Edits) > 0 {
		meant := f.Edits[0].New
		d.Offer(holder.RenameKey(fmt.Sprintf("change to %q", meant), name, meant))
	}
}

// checkOperands reports expressions in a rule where they are text. Inside the array
// operators a text is rarely one.
func (p *Pass) checkOperands(n *Node, v graph.Value) {
	p.did(0)
	if v.Is(graph.Array) {
		for _, item := range v.Items() {
			p.checkOperands(n, item)
		}
		return
	}
	for _, op := range v.Keys() {
		arg := v.Get(op)
		switch op {
		case "var":
		case "some", "all", "none", "map", "filter", "reduce":
			if items := arg.Items(); len(items) > 0 {
				p.checkOperands(n, items[0])
			}
		case "missing", "missing_some":
			p.missingPaths(n, arg)
		default:
			p.bareOperands(n, arg)
			p.checkOperands(n, arg)
		}
	}
}
