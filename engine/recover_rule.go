package engine

import (
	"regexp"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
)

// textRule recovers from a rule written as an expression: the var operator reads
// any JSONata.
func (p *Pass) textRule(n *Node, v, text graph.Value) *expr.Rule {
	d := p.Report(ruleRuleShape, v, n, "the rule is text, expected JSON Logic")
	source := text.Text()
	if rewritten, ok := p.fromTemplate(source); ok {
		source = rewritten
	}
	if repaired, ok := p.repaired(source); ok {
		source = repaired
	}
	d.Hint = "write {var: " + yamlQuote(source) + "}: var accepts any JSONata"
	if _, err := p.compileExpr(source); err != nil {
		d.Hint = `write JSON Logic, such as {">": [{var: $.a.b}, 3]}`
		return nil
	}
	d.Fixes = []diag.Fix{v.Replace("read it by var", graph.Object{{Key: "var", Value: source}})}
	if source == text.Text() {
		p.Expr(n, text)
	}
	obj := expr.NewObject()
	obj.Set("var", source)
	rule, _ := expr.CompileRuleWith(obj, p.program)
	return rule
}

// plainPath is an expression that is "$." and a JSON Logic path.
var plainPath = regexp.MustCompile(`^\$\$?\.([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)$`)

// missingPaths reports expressions among the paths that missing and missing_some
// look up: these are not evaluated.
func (p *Pass) missingPaths(n *Node, arg graph.Value) {
	paths := arg.Items()
	if arg.Is(graph.String) {
		paths = []graph.Value{arg}
	}
	for _, v := range paths {
		if v.Is(graph.List) {
			p.missingPaths(n, v)
			continue
		}
		if !v.Is(graph.String) {
			p.checkVars(n, v)
			continue
		}
		if !looksLikeExpr.MatchString(v.Text()) {
			continue
		}
		d := p.Report(p.bySender(ruleLiteralExpr, ruleLiteralExprFile), v, n, "%s is looked up as a path, not evaluated", strconv.Quote(diag.Cut(v.Text(), 60)))
		d.Hint = "missing takes paths such as entry.items; for the value of an expression, write {\"!\": {var: '$exists(…)'}}"
		if path := plainPath.FindStringSubmatch(v.Text()); path != nil {
			d.Hint = "missing takes paths: write " + path[1]
			d.Fixes = []diag.Fix{v.Replace("write the path "+path[1], path[1])}
		}
	}
}

// bareOperands reports expressions that are text in a rule, where var would
// read them.
func (p *Pass) bareOperands(n *Node, arg graph.Value) {
	operands := arg.Items()
	if arg.Is(graph.String) {
		operands = []graph.Value{arg}
	}
	for _, v := range operands {
		if !v.Is(graph.String) || !looksLikeExpr.MatchString(v.Text()) {
			continue
		}
		if _, err := p.compileExpr(v.Text()); err != nil {
			continue
		}
		d := p.Report(p.bySender(ruleLiteralExpr, ruleLiteralExprFile), v, n, "%s is compared as text, not evaluated", strconv.Quote(diag.Cut(v.Text(), 60)))
		d.Hint = "write {var: " + yamlQuote(v.Text()) + "}"
		d.Fixes = []diag.Fix{v.Replace("read it by var", graph.Object{{Key: "var", Value: v.Text()}})}
	}
}

// comparisonWords are what other systems call JSON Logic's operators.
var comparisonWords = map[string]string{
	"==": "==", "===": "==", "=": "==", "eq": "==", "equals": "==", "equal": "==", "is": "==", "!=": "!=", "!==": "!=", "ne": "!=", "neq": "!=", "notequals": "!=",
	">": ">", "gt": ">", "greaterthan": ">", "larger": ">", ">=": ">=", "gte": ">=", "ge": ">=", "<": "<", "lt": "<", "lessthan": "<", "smaller": "<", "<=": "<=", "lte": "<=", "le": "<=",
	"in": "in", "contains": "contains",
}

// comparison recovers from a rule with the operator as a value, such as {field,
// operator, value}, and reports any other map that is not one operator: it would
// be data, and always true.
func (p *Pass) comparison(n *Node, v graph.Value) bool {
	if !v.Is(graph.Map) || v.Len() == 1 {
		return false
	}
	left, operator, right := firstOf(v, "field", "left", "variable", "var", "path", "value1", "lhs"), firstOf(v, "operator", "op", "operation", "comparator"), firstOf(v, "value", "right", "value2", "rhs")
	op := comparisonWords[plain(operator.Text())]
	d := p.Report(ruleRuleShape, v, n, "a rule is a map of one operator, got %d keys: %s", v.Len(), others(v, ""))
	d.Hint = `write {">": [{var: $.a.b}, 3]}; join rules with {and: […]}`
	if !left.Is(graph.String) || op == "" || !right.Exists() {
		return true
	}
	read := p.ruleOf(left)
	operands := []any{read, raw(right)}
	if right.Is(graph.String) && looksLikeExpr.MatchString(right.Text()) {
		operands[1] = p.ruleOf(right)
	}
	if op == "contains" {
		op, operands[0], operands[1] = "in", operands[1], operands[0]
	}
	d.Fixes = []diag.Fix{v.Replace("write it as JSON Logic", graph.Object{{Key: op, Value: operands}})}
	return true
}
