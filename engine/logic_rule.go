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
	inner := v
	if v.Expr().Exists() && v.Len() == 1 {
		inner = v.Expr().Value
	} else if text := onlyNearExpr(v); text.Exists() {
		inner = text
	}
	if inner.Is(graph.String) {
		return p.textRule(n, v, inner)
	}
	value, err := expr.Decode(raw(v))
	if err != nil {
		p.Report(ruleRuleShape, v, n, "the rule cannot be read: %v", err)
		return nil
	}
	if p.comparison(n, v) {
		return nil
	}
	if !v.Is(graph.Map) && !v.Is(graph.Bool) {
		p.Report(ruleRuleShape, v, n, "a rule is JSON Logic, got %s", shape(v)).Hint = `write {">": [{var: $.a.b}, 3]}; and/or take a list of rules`
		return nil
	}
	rule, faults := expr.CompileRuleWith(value, p.program)
	for _, f := range faults {
		p.logicFault(n, v.At(f.Pointer), f)
	}
	p.checkVars(n, v)
	return rule
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
		d.Fixes = []diag.Fix{holder.RenameKey(fmt.Sprintf("change to %q", meant), name, meant)}
	}
}

// checkVars checks the expressions that the vars of a rule read. Inside the
// array operators a var reads the element, not the context.
func (p *Pass) checkVars(n *Node, v graph.Value) {
	p.did(0)
	if v.Is(graph.List) {
		for _, item := range v.Items() {
			p.checkVars(n, item)
		}
		return
	}
	for _, op := range v.Keys() {
		arg := v.Get(op)
		switch op {
		case "var":
			if arg.Is(graph.List) && arg.Len() > 0 {
				arg = arg.Items()[0]
			}
			if arg.Is(graph.String) && arg.Text() != "" {
				if c, err := p.compileExpr(arg.Text()); err == nil {
					p.checkRefs(n, arg, c)
				}
			}
		case "some", "all", "none", "map", "filter", "reduce":
			if items := arg.Items(); len(items) > 0 {
				p.checkVars(n, items[0])
			}
		case "missing", "missing_some":
			p.missingPaths(n, arg)
		default:
			p.bareOperands(n, arg)
			p.checkVars(n, arg)
		}
	}
}
