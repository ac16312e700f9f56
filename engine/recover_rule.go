package engine

import (
	"regexp"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
)

// textRule recovers from a rule written as an expression: the var operator reads
// any JSONata.
func (p *Pass) textRule(n *Node, v, text graph.Value) *expr.Rule {
	read, ok := p.wrongForm(&textRuleForm, "", n, v).(graph.Members)
	if !ok {
		return nil
	}
	if read[0].Value == text.Text() {
		p.Expr(n, text)
	}
	obj := expr.NewObject()
	obj.Set("var", read[0].Value)
	rule, _ := expr.CompileRuleWith(obj, p.program)
	return rule
}

// ruleText is the text of a rule that is an expression.
func ruleText(v graph.Value) graph.Value {
	if v.Expr().Exists() && v.Len() == 1 {
		return v.Expr().Value
	}
	if text := onlyNearExpr(v); text.Exists() {
		return text
	}
	return v
}

// varOfText reads an expression as a rule.
func varOfText(p *Pass, v graph.Value) any {
	source := ruleText(v).Text()
	if rewritten, ok := p.fromTemplate(source); ok {
		source = rewritten
	}
	if repaired, ok := p.repaired(source); ok {
		source = repaired
	}
	return p.compiling("var", source)
}

// varOfExpr reads a text that looks like an expression and is one.
func varOfExpr(p *Pass, v graph.Value) any {
	if !v.Is(graph.String) || !looksLikeExpr.MatchString(v.Text()) {
		return nil
	}
	return p.compiling("var", v.Text())
}

// plainPath is an expression that is "$." and a JSON Logic path.
var plainPath = regexp.MustCompile(`^\$\$?\.([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)$`)

// pathOfExpr reads an expression that is a path.
func pathOfExpr(_ *Pass, v graph.Value) any {
	if path := plainPath.FindStringSubmatch(v.Text()); path != nil {
		return path[1]
	}
	return nil
}

// missingPaths reports expressions among the paths that missing and missing_some
// look up: these are not evaluated.
func (p *Pass) missingPaths(n *Node, arg graph.Value) {
	paths := arg.Items()
	if arg.Is(graph.String) {
		paths = []graph.Value{arg}
	}
	for _, v := range paths {
		switch {
		case v.Is(graph.Array):
			p.missingPaths(n, v)
		case !v.Is(graph.String):
			p.checkOperands(n, v)
		case looksLikeExpr.MatchString(v.Text()):
			p.wrongForm(&pathForm, "", n, v)
		}
	}
}

// bareOperands reports expressions that are text in a rule, where var would
// read them.
func (p *Pass) bareOperands(n *Node, arg graph.Value) {
	for _, v := range append(arg.Items(), arg) {
		p.respell(&operandForm, "", n, v)
	}
}

// comparison reads a rule with the operator as a value, such as {field, operator,
// value}.
func comparison(p *Pass, v graph.Value) any {
	left, operator, right := firstMember(v, "field", "left", "variable", "var", "path", "value1", "lhs"), firstMember(v, "operator", "op", "operation", "comparator"), firstMember(v, "value", "right", "value2", "rhs")
	op := foreignWords["operator"][plain(operator.Text())]
	if !left.Is(graph.String) || op == "" || !right.Exists() {
		return nil
	}
	operands := []any{p.readRule(left), raw(right)}
	if right.Is(graph.String) && looksLikeExpr.MatchString(right.Text()) {
		operands[1] = p.readRule(right)
	}
	if op == "contains" {
		op, operands[0], operands[1] = "in", operands[1], operands[0]
	}
	return oneMember(op, operands)
}
