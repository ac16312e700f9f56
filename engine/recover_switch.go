package engine

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var conditionKeys = strings.Fields("rule next target description name label")

// recoverConditions reads the conditions of a switch, those of mcpGraph's older form
// too: target for next, and a condition without a rule for the default.
func recoverConditions(p *Pass, n *Node) {
	if v := n.ConditionList; v.Exists() && !v.Is(graph.Array) {
		p.wrongForm(&conditionsForm, "", n, v)
	}
	read, own := n.Conditions, n.Next.Exists()
	n.Conditions = nil
	for _, c := range read {
		switch {
		case !c.Is(graph.Object):
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
		members := p.readKeys(c.Value, "a condition", n, conditionKeys, foreignWords["condition"])
		c.Rule, c.Next = members["rule"], members["next"]
		if c.Older = !c.Next.Exists() && members["target"].Exists(); c.Older {
			c.Next = members["target"]
		}
	}
	if c.Older && c.Rule.Exists() {
		p.renameKey(ruleLegacySwitch, c.Value, n, "target", "next", "target is the older form of next", "")
	}
}

// elseCondition recovers from a default written as a condition.
func (p *Pass) elseCondition(n *Node, c graph.Value) bool {
	keys := c.Keys()
	if len(keys) != 1 || !isElse(keys[0]) || !c.Get(keys[0]).Is(graph.String) {
		return false
	}
	d := p.Report(ruleSwitchShape, c.Key(keys[0]), n, "%q is not a condition: the default is the next of the switch", keys[0])
	n.moveToNext(d, c, c.Get(keys[0]))
	return true
}

// legacyDefault takes a condition without a rule for the default, the first if there
// are several.
func (p *Pass) legacyDefault(n *Node, c graph.Condition) {
	d := p.Report(ruleLegacySwitch, c.Value, n, "a condition without a rule is the older form of the switch's next")
	if n.Next.Exists() {
		d.WithFix("the first such condition is the default", c.Remove("remove the condition"))
		return
	}
	n.moveToNext(d, c.Value, c.Next)
}

// moveToNext makes the target of a condition the default.
func (n *Node) moveToNext(d *diag.Diagnostic, c, to graph.Value) {
	fix := graph.Join("move it to next", c.Remove(""), n.Insert("", "next", to.Text(), ""))
	if len(fix.Edits) == 0 { // the end of the node is what is removed
		fix = graph.Join(fix.Title, c.Remove(""), n.Insert("", "next", to.Text(), "type"))
	}
	d.WithFix("write next: "+to.Text()+" on the switch", fix)
	n.set("next", to)
}

// readRule is a rule as JSON Logic, also where it is written as an expression.
func (p *Pass) readRule(v graph.Value) any {
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
	return oneMember("var", source)
}

var (
	ruleKeys = strings.Fields("rule condition if when test expr expression logic jsonlogic jsonLogic")
	thenKeys = strings.Fields("then true onTrue on_true ifTrue if_true yes trueNext true_next next_if_true")
	elseKeys = strings.Fields("else false onFalse on_false ifFalse if_false no falseNext false_next next_if_false default")
)

// isElse reports whether a key among conditions means all other cases.
func isElse(key string) bool {
	return slices.Contains(elseKeys, key) || slices.Contains([]string{"otherwise", "_", "*"}, key)
}

// looseCondition recovers from a rule that is on the switch itself: {condition, then,
// else}, or an expression with a map of its values to nodes.
func looseCondition(p *Pass, n *Node, key string) bool {
	rule := firstKey(n, ruleKeys)
	if n.suppressed["conditions"] || n.ConditionList.Exists() || rule == "" {
		return n.suppressed[key]
	}
	subject, conditions, other, fixes := p.readRule(n.Get(rule)), []any{}, graph.Value{}, []diag.Fix{}
	add := func(rule any, to graph.Value) {
		conditions = append(conditions, graph.Members{{Key: "rule", Value: rule}, {Key: "next", Value: to.Text()}})
	}
	at, message, used := rule, "%q is on the switch, expected conditions: [{rule, next}]", []string{rule}
	if cases := firstKey(n, n.Kind.field("conditions").Aliases); isCaseMap(n.Get(cases)) {
		at, message, used = cases, "%q maps values to nodes, expected conditions: [{rule, next}]", append(used, cases)
		for value, to := range n.Get(cases).Members() {
			switch {
			case isElse(value):
				other = firstExisting(other, to)
			case value == "true":
				add(subject, to)
			default:
				add(oneMember("==", []any{subject, value}), to)
			}
		}
	} else {
		then, fallback := firstKey(n, thenKeys), firstKey(n, elseKeys)
		n.suppress(fallback)
		if used = append(used, then); then != "" {
			add(subject, n.Get(then))
			if fallback != "" && !n.Next.Exists() {
				fixes = append(fixes, n.RenameKey("", fallback, "next"))
				n.set("next", n.Get(fallback))
			}
		}
	}
	n.suppress(append(used, "conditions")...)
	d := p.Report(ruleSwitchShape, n.Key(at), n, message, at)
	d.Hint = "write conditions: [{rule: …, next: <node id>}] and next: <node id> for all other cases"
	if len(conditions) == 0 {
		return n.suppressed[key]
	}
	for _, k := range used {
		fixes = append(fixes, n.Get(k).Remove(""))
	}
	if other.Exists() && !n.Next.Exists() {
		fixes = append(fixes, n.Insert("", "next", other.Text(), "type"))
		n.set("next", other)
	}
	d.Offer(graph.Join("write it as conditions", append(fixes, n.Insert("", "conditions", conditions, "type"))...))
	return n.suppressed[key]
}

// isCaseMap reports whether a value maps names to node ids.
func isCaseMap(v graph.Value) bool {
	return v.Is(graph.Object) && !slices.ContainsFunc(v.Keys(), func(k string) bool { return !v.Get(k).Is(graph.String) })
}

// firstKey returns the first of keys that the node has, or "".
func firstKey(n *Node, keys []string) string {
	for _, k := range keys {
		if n.Has(k) {
			return k
		}
	}
	return ""
}
