package engine

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// oneCondition recovers from conditions that are a single condition, not a list.
func (p *Pass) oneCondition(n *Node, v graph.Value) {
	d := p.Report(ruleSwitchShape, v, n, "conditions is %s, expected a list of {rule, next}", shape(v))
	d.Hint = "write conditions: [{rule: …, next: …}]"
	if v.Get("rule").Exists() {
		d.Fixes = []diag.Fix{v.Replace("make it a list", []any{raw(v)})}
	}
}

var conditionKeys = []string{"rule", "next", "target", "description", "name", "label"}

// conditionAliases are what authors call the parts of a condition.
var conditionAliases = map[string]string{
	"condition": "rule", "if": "rule", "when": "rule", "expr": "rule", "expression": "rule", "logic": "rule", "test": "rule", "case": "rule", "jsonlogic": "rule", "jsonLogic": "rule", "value": "rule",
	"then": "next", "goto": "next", "to": "next", "node": "next", "output": "next", "nextNode": "next",
}

// recoverConditions reads the conditions of a switch, those of mcpGraph's older form
// too: target for next, and a condition without a rule for the default.
func recoverConditions(p *Pass, n *Node) {
	if v := n.ConditionList; v.Exists() && !v.Is(graph.List) {
		p.oneCondition(n, v)
	}
	read, own := n.Conditions, n.Next.Exists()
	n.Conditions = nil
	for _, c := range read {
		switch {
		case !c.Is(graph.Map):
			p.Report(ruleSwitchShape, c.Value, n, "a condition is %s, expected {rule, next}", shape(c.Value)).Hint = `write {rule: {">": [{var: $.a.b}, 3]}, next: <node id>}`
		case own || !p.elseCondition(n, c.Value):
			if p.conditionParts(n, &c); !own && c.Next.Exists() && !c.Rule.Exists() {
				p.legacyDefault(n, c)
				p.notLast(n, c, len(read))
			} else {
				n.Conditions = append(n.Conditions, c)
			}
		}
	}
}

// conditionParts finds the parts of a condition that are under other names.
func (p *Pass) conditionParts(n *Node, c *graph.Condition) {
	if !onlyKeys(c.Value, conditionKeys...) {
		members := p.keysOf(c.Value, "a condition", n, conditionKeys, conditionAliases)
		c.Rule, c.Next = members["rule"], members["next"]
		if c.Older = !c.Next.Exists() && members["target"].Exists(); c.Older {
			c.Next = members["target"]
		}
	}
	if c.Older && c.Rule.Exists() {
		d := p.Report(ruleLegacySwitch, c.Key("target"), n, "target is the older form of next")
		d.Fixes = []diag.Fix{c.RenameKey(`rename to "next"`, "target", "next")}
	}
}

// elseCondition recovers from a default written as a condition.
func (p *Pass) elseCondition(n *Node, c graph.Value) bool {
	keys := c.Keys()
	if len(keys) != 1 || !slices.Contains(elseKeys, keys[0]) && keys[0] != "otherwise" || !c.Get(keys[0]).Is(graph.String) {
		return false
	}
	to := c.Get(keys[0])
	d := p.Report(ruleSwitchShape, c.Key(keys[0]), n, "%q is not a condition: the default is the next of the switch", keys[0])
	d.Hint = "write next: " + to.Text() + " on the switch"
	d.Fixes = []diag.Fix{graph.Join("move it to next", c.Remove(""), n.Insert("", "next", to.Text(), "type"))}
	n.set("next", to)
	return true
}

// legacyDefault takes a condition without a rule for the default, the first if there
// are several.
func (p *Pass) legacyDefault(n *Node, c graph.Condition) {
	d := p.Report(ruleLegacySwitch, c.Value, n, "a condition without a rule is the older form of the switch's next")
	if n.Next.Exists() {
		d.Hint = "the first such condition is the default"
		d.Fixes = []diag.Fix{c.Remove("remove the condition")}
		return
	}
	fix := graph.Join("move it to next", c.Remove(""), n.Insert("", "next", c.Next.Text(), ""))
	if len(fix.Edits) == 0 { // the end of the node is what is removed
		fix = graph.Join(fix.Title, c.Remove(""), n.Insert("", "next", c.Next.Text(), "type"))
	}
	d.Fixes = []diag.Fix{fix}
	n.set("next", c.Next)
}

// ruleOf is a rule as JSON Logic, also where it is written as an expression.
func (p *Pass) ruleOf(v graph.Value) any {
	if v.Expr().Exists() && v.Len() == 1 {
		v = v.Expr().Value
	}
	if !v.Is(graph.String) {
		return raw(v)
	}
	source, ok := p.repaired(v.Text())
	if !ok {
		return v.Text()
	}
	return graph.Object{{Key: "var", Value: source}}
}

// caseMap recovers from an expression with a map of its values to nodes.
func (p *Pass) caseMap(n *Node, rule, cases string) bool {
	v := n.Get(cases)
	if !v.Is(graph.Map) || slices.ContainsFunc(v.Keys(), func(k string) bool { return !v.Get(k).Is(graph.String) }) {
		return false
	}
	subject := p.ruleOf(n.Get(rule))
	conditions := []any{}
	fixes := []diag.Fix{n.Get(rule).Remove(""), v.Remove("")}
	for _, key := range v.Keys() {
		to := v.Get(key)
		switch {
		case slices.Contains(elseKeys, key) || key == "otherwise" || key == "_" || key == "*":
			if !n.Next.Exists() {
				fixes = append(fixes, n.Insert("", "next", to.Text(), "type"))
				n.set("next", to)
			}
			continue
		case key == "true":
			conditions = append(conditions, graph.Object{{Key: "rule", Value: subject}, {Key: "next", Value: to.Text()}})
			continue
		}
		same := graph.Object{{Key: "==", Value: []any{subject, key}}}
		conditions = append(conditions, graph.Object{{Key: "rule", Value: same}, {Key: "next", Value: to.Text()}})
	}
	n.suppress("conditions", rule, cases)
	d := p.Report(ruleSwitchShape, n.Key(cases), n, "%q maps values to nodes, expected conditions: [{rule, next}]", cases)
	d.Hint = "write conditions: [{rule: …, next: <node id>}] and next: <node id> for all other cases"
	d.Fixes = []diag.Fix{graph.Join("write it as conditions", append(fixes, n.Insert("", "conditions", conditions, "type"))...)}
	return true
}

var (
	ruleKeys = []string{"rule", "condition", "if", "when", "test", "expr", "expression", "logic", "jsonlogic", "jsonLogic"}
	thenKeys = []string{"then", "true", "onTrue", "on_true", "ifTrue", "if_true", "yes", "trueNext", "true_next", "next_if_true"}
	elseKeys = []string{"else", "false", "onFalse", "on_false", "ifFalse", "if_false", "no", "falseNext", "false_next", "next_if_false", "default"}
)

// looseCondition recovers from a rule that is on the switch itself, as
// {condition, then, else}.
func looseCondition(p *Pass, n *Node, key string) bool {
	rule := firstKey(n, ruleKeys)
	if n.suppressed["conditions"] || n.ConditionList.Exists() || rule == "" {
		return n.suppressed[key]
	}
	if cases := firstKey(n, n.Kind.field("conditions").Aliases); cases != "" && p.caseMap(n, rule, cases) {
		return n.suppressed[key]
	}
	then, other := firstKey(n, thenKeys), firstKey(n, elseKeys)
	n.suppress("conditions", rule, then, other)
	d := p.Report(ruleSwitchShape, n.Key(rule), n, "%q is on the switch, expected conditions: [{rule, next}]", rule)
	d.Hint = "write conditions: [{rule: …, next: <node id>}] and next: <node id> for all other cases"
	if then == "" {
		return n.suppressed[key]
	}
	condition := graph.Object{{Key: "rule", Value: p.ruleOf(n.Get(rule))}, {Key: "next", Value: n.Get(then).Text()}}
	fixes := []diag.Fix{n.Get(rule).Remove(""), n.Get(then).Remove(""), n.Insert("", "conditions", []any{condition}, "type")}
	if other != "" && !n.Next.Exists() {
		fixes = append(fixes, n.RenameKey("", other, "next"))
		n.set("next", n.Get(other))
	}
	d.Fixes = []diag.Fix{graph.Join("move the rule into conditions", fixes...)}
	return n.suppressed[key]
}

// firstKey returns the first of keys that the node has, or "".
func firstKey(n *Node, keys []string) string {
	for _, k := range keys {
		if n.Get(k).Exists() {
			return k
		}
	}
	return ""
}
