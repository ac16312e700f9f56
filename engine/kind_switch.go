package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    "switch",
		Title:       "Switch",
		Description: "Chooses the node that follows: the first condition whose JSON Logic rule is truthy, else next. In a rule, {var: <JSONata>} reads the outputs of the nodes before. Its output is the id of the chosen node.",
		Tags:        []string{"if", "branch", "condition", "json logic", "route", "loop"},
		Intents: []string{
			"branch into yes and no", "if this then that", "if, else, otherwise", "when", "not", "choose a path", "route by value", "loop until done", "repeat while a condition holds", "check a condition", "decide what to do next", "stop when", "skip a step",
		},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", Required: true, Description: "the node executed before"}},
		OutputPorts: []specs.Port{{Name: "condition", Type: "string", Description: "one per condition: the run continues at its next"}, {Name: "default", Type: "string", Description: "next, when no condition holds", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"switch","type":"switch","conditions":[{"rule":{">":[{"var":"$count($.entry)"},0]},"next":"exit"}],"next":"exit"}`),
		Examples: []specs.Example{{
			Title: "Tell large from small",
			Graph: `name: size
description: Says whether a number is large
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
outputSchema: {type: object, properties: {size: {type: string}}, required: [size]}
nodes:
  - {id: entry, type: entry, next: choose}
  - id: choose
    type: switch
    conditions:
      - {rule: {">=": [{var: $.entry.n}, 100]}, next: large}
    next: small
  - {id: large, type: transform, transform: {expr: '{"size": "large"}'}, next: exit}
  - {id: small, type: transform, transform: {expr: '{"size": "small"}'}, next: exit}
  - {id: exit, type: exit}
`,
			Arguments: json.RawMessage(`{"n":250}`),
			Result:    json.RawMessage(`{"size":"large"}`),
		}},
	},
	Chooses:  true,
	Picture:  Picture{Outline: Diamond, Suffix: "?"},
	Evidence: []string{"conditions"},
	Aliases:  strings.Fields("if condition conditional branch router route choice decision gateway case ifelse if_else"),
	Guide:    GuideRow{Fields: "conditions: [{rule, next}], next (otherwise)", Output: "the id of the chosen node"},
	Fields: []Field{
		{Name: "conditions", Type: "array", Edges: true, Required: true, Doc: "conditions: [{rule: <JSON Logic>, next: <node id>}], tried in order", Aliases: strings.Fields("cases branches rules routes choices when options")},
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the node that follows when no condition holds", Aliases: append(strings.Fields("else otherwise fallback defaultNext default_next defaultTarget"), nextAliases...)},
	},
	RecoverKey: looseCondition,
	Recover:    recoverConditions,
	Compile: func(p *Pass, n *Node) Compiled {
		p.Require(n, "conditions")
		sw := &switchNode{plan: p.plan}
		for _, c := range n.Conditions {
			sw.add(p, n, c)
		}
		edge := p.Next(n)[0]
		edge.Label = "default"
		sw.fallback, sw.edges = edge.To, append(sw.edges, edge)
		return Compiled{Edges: sw.edges, Pure: true, Step: sw.step, NextFor: sw.after, Infer: sw.infer}
	},
})

var (
	ruleLegacySwitch = diag.Define("legacy-switch", diag.Note,
		"A switch is written in mcpGraph's older form, with target for next, or with a condition without a rule as the default.")
	ruleSwitchShape = diag.Define("switch-shape", diag.Error,
		"The conditions of a switch are not a list of {rule, next}.")
)

// switchNode is a compiled switch.
type switchNode struct {
	cases    []switchCase
	fallback NodeIndex
	edges    []Edge
	plan     *Plan
}

type switchCase struct {
	rule *expr.Rule
	to   NodeIndex
	at   graph.Value
}

func (sw *switchNode) step(ctx context.Context, s *State) (Outcome, error) {
	for _, c := range sw.cases {
		v, err := c.rule.Eval(ctx, s.scope)
		if err != nil {
			return Outcome{}, ruleFault(ctx, c.at, err)
		}
		if expr.Truthy(v) {
			return sw.choose(c.to), nil
		}
	}
	return sw.choose(sw.fallback), nil
}

// infer is the set of ids the switch can choose.
func (sw *switchNode) infer(t *Types) types.Type {
	sw.checkConstant(t)
	ids := map[string]bool{}
	for _, e := range sw.edges {
		if e.To != NoNode {
			ids[sw.plan.nodes[e.To].id] = true
		}
	}
	return types.Type{Kinds: types.String, Enum: sortedKeys(ids)}
}

func (sw *switchNode) choose(to NodeIndex) Outcome {
	return Outcome{Output: sw.plan.nodes[to].id, Next: to}
}

var codeBadPin = diag.DefineFault("bad-pin", diag.FailsNode, "the pinned output of a `switch` is not one of its targets", "pin the id of a target")

// after follows a pinned output: the id of one of the switch's targets.
func (sw *switchNode) after(output expr.Value) (NodeIndex, error) {
	id, _ := output.(string)
	var targets []string
	for _, e := range sw.edges {
		name := sw.plan.nodes[e.To].id
		if name == id {
			return e.To, nil
		}
		targets = append(targets, name)
	}
	f := diag.Faultf(codeBadPin, "the output of a switch is the id of one of its targets")
	f.Got, f.Suggestions = output, targets
	f.Hint = "pin one of: " + diag.OneOf(targets, 12)
	return NoNode, f
}

func ruleFault(ctx context.Context, at graph.Value, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	pos := at.Range().Start
	f := evaluationFault(err, at.Path())
	f.Message = fmt.Sprintf("the rule at line %d, column %d failed: %s", pos.Line, pos.Column, err)
	f.Got = json.RawMessage(diag.CutJSON(raw(at), 200))
	return f
}

// add compiles one condition.
func (sw *switchNode) add(p *Pass, n *Node, c graph.Condition) {
	label := c.Edge().Label
	if !c.Next.Exists() {
		p.Report(ruleMissingNext, c.Value, n, "condition %s of %q has no next node", label, n.ID).Hint = "add next: <node id>"
		return
	}
	to := p.Target(n, c.Next)
	if !c.Rule.Exists() {
		p.Report(ruleSwitchShape, c.Value, n, "a condition has no rule, and the switch has next").
			WithFix("give it a rule, or remove it", c.Remove("remove the condition"))
		return
	}
	sw.edges = append(sw.edges, Edge{Label: label, To: to, At: c.Next})
	if rule := p.Rule(n, c.Rule); rule != nil {
		n.rules = append(n.rules, nodeRule{c.Rule, rule})
		sw.cases = append(sw.cases, switchCase{rule, to, c.Rule})
	}
}
