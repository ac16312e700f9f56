package engine

import (
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/types"
)

var (
	ruleConstantRule = diag.Define("constant-rule", diag.Warning,
		"A condition of a switch is always true or always false, given the types of the values it reads, so one of the branches never runs.")
	ruleListCondition = diag.Define("list-condition", diag.Error,
		"The rule of a condition gives a list, which is true even if it is empty, as in mcpGraph. Inside an operator, such as !!, an empty list is false.")
	ruleMaybeList = diag.Define("maybe-list-condition", diag.Warning,
		"The rule of a condition may give a list, or always does in a document with mcpGraph's version: a list is true even if it is empty. Inside an operator, such as !!, an empty list is false.")
)

// A verdict is what types say of a rule.
type verdict int

const (
	open verdict = iota
	alwaysTrue
	alwaysFalse
)

func (v verdict) not() verdict {
	switch v {
	case alwaysTrue:
		return alwaysFalse
	case alwaysFalse:
		return alwaysTrue
	}
	return open
}

// checkConstant reports conditions whose rule types decide.
func (sw *switchNode) checkConstant(t *Types) {
	n := t.pass.nodes[t.at]
	for i, c := range sw.cases {
		if s := t.ruleType(c.at); s.Has(types.Array) && !s.NonEmpty {
			t.fault(func(p *Pass) { p.reportList(n, c, i, s) })
			continue
		}
		v := t.decide(c.at)
		if v == open || c.at.Is(graph.Boolean) {
			continue // written so on purpose
		}
		t.fault(func(p *Pass) {
			said, never := "false", p.onlyTarget(c.to)
			if v == alwaysTrue {
				said, never = "true", "what follows"
				if i+1 < len(sw.cases) {
					never = p.onlyTarget(sw.cases[i+1].to)
				} else if sw.fallback != NoNode {
					never = p.onlyTarget(sw.fallback)
				}
			}
			p.Report(ruleConstantRule, c.at, n, "condition %d is always %s, so the branch to %s never runs", i, said, never).Hint = "compare with a value of the type that the condition reads, or remove the condition"
		})
	}
}

// reportList reports a condition whose rule gives a list.
func (p *Pass) reportList(n *Node, c switchCase, i int, s types.Type) {
	rule, gives := ruleMaybeList, "may give"
	if s.Only(types.Array) {
		gives = "always gives"
		if !p.tree.Version.Exists() && !p.env.Begun {
			rule = ruleListCondition
		}
	}
	p.Report(rule, c.at, n, "condition %d %s a list, which is true even if it is empty", i, gives).
		WithFix("in !! an empty list is false", c.at.Replace("wrap it in !!", oneMember("!!", raw(c.at))))
}

// ruleType is the type of what a rule gives, with undefined where that is not known. What
// or gives of an argument that others follow is a list only if that has items.
func (t *Types) ruleType(rule graph.Value) (s types.Type) {
	op, items := operation(rule)
	list := types.ArrayOf(types.Unknown())
	switch op {
	case "filter", "map", "merge", "missing", "missing_some":
		return list
	case "var":
		known := false
		if len(items) > 0 {
			s, known = t.exprs[items[0]]
		}
		if !known || s.IsOpen() || s.Has(types.Function) {
			return types.Of(types.Undefined)
		}
		if s.Has(types.Undefined) {
			otherwise := types.Of(types.Null)
			if len(items) > 1 {
				otherwise = t.ruleType(items[1])
			}
			s = s.Without(types.Undefined).Or(otherwise)
		}
		return s
	case "if", "?:":
		for i, item := range items {
			if i%2 == 1 || i == len(items)-1 {
				s = s.Or(t.ruleType(item))
			}
		}
		return s
	case "and", "or":
		for i, item := range items {
			of := t.ruleType(item)
			of.NonEmpty = of.NonEmpty || of.Has(types.Array) && op == "or" && i < len(items)-1
			s = s.Or(of)
		}
		return s
	case "reduce", "log", "*":
		return types.Of(types.Undefined)
	}
	if rule.Is(graph.Array) {
		list.NonEmpty = rule.Len() > 0
		return list
	}
	return types.Of(types.Boolean) // or a value that is not a list
}

func (p *Pass) onlyTarget(i NodeIndex) string {
	if i == NoNode {
		return "nowhere"
	}
	return strconv.Quote(p.nodes[i].ID)
}

// decide is what types say of a rule; of operators that it does not know, nothing.
func (t *Types) decide(rule graph.Value) verdict {
	op, items := operation(rule)
	switch op {
	case "and", "or":
		decisive := alwaysFalse
		if op == "or" {
			decisive = alwaysTrue
		}
		all := len(items) > 0
		for _, item := range items {
			v := t.decide(item)
			if v == decisive {
				return decisive
			}
			all = all && v == decisive.not()
		}
		if all {
			return decisive.not()
		}
	case "!":
		if len(items) == 1 {
			return t.decide(items[0]).not()
		}
	case "!!":
		if len(items) == 1 {
			return t.decide(items[0])
		}
	case "var":
		if s, ok := t.operand(rule); ok {
			return truth(s)
		}
	case "===", "!==", "==", "!=":
		if len(items) != 2 {
			return open
		}
		v := t.equal(items[0], items[1], len(op) == 3)
		if op[0] == '!' {
			v = v.not()
		}
		return v
	case "in":
		return t.within(items)
	}
	return open
}

// operand is the shape of a var or of a literal; ok is false of anything else. A
// var that gives nothing is null.
func (t *Types) operand(v graph.Value) (s types.Type, ok bool) {
	switch {
	case v.Is(graph.Object):
		path := v.Get("var")
		if v.Len() != 1 || !path.Is(graph.String) {
			return types.Type{}, false
		}
		s, ok = t.exprs[path]
		if s.Has(types.Undefined) {
			s = s.Without(types.Undefined).With(types.Null)
		}
		return s, ok && s.Kinds != 0 && !s.Has(types.Function)
	case v.Is(graph.Array):
		return types.Type{}, false
	}
	s = t.Template(t.pass.literal(v))
	return s, s.Kinds != 0
}

// truth is what is known of a value's truth from its type alone: null and nothing
// are false, objects true.
func truth(s types.Type) verdict {
	switch {
	case s.Only(types.Null):
		return alwaysFalse
	case s.Only(types.Object):
		return alwaysTrue
	}
	return open
}

// equal compares two operands. Loosely, a scalar may equal one of another type:
// only texts outside a known set, and null, never do.
func (t *Types) equal(a, b graph.Value, strict bool) verdict {
	l, known := t.operand(a)
	r, also := t.operand(b)
	if !known || !also {
		return open
	}
	if l.Only(types.String) && r.Only(types.String) && disjoint(l.Enum, r.Enum) {
		return alwaysFalse
	}
	const ofText = types.String
	switch {
	case l.Only(types.Null) && r.Only(types.Null):
		return alwaysTrue
	case l.Kinds&r.Kinds != 0 || l.Has(types.Number) && r.Has(types.Number):
		if l.Kinds&r.Kinds == ofText && disjoint(l.Enum, r.Enum) && (strict || l.Only(ofText|types.Null) && r.Only(ofText|types.Null)) {
			return alwaysFalse
		}
		return open
	case strict, l.Only(types.Null), r.Only(types.Null):
		return alwaysFalse
	}
	return open
}

// within decides whether a text can be one of a list of literals.
func (t *Types) within(items []graph.Value) verdict {
	if len(items) != 2 || !items[1].Is(graph.Array) || items[1].Len() == 0 {
		return open
	}
	for _, item := range items[1].Items() {
		if item.Is(graph.Object) || item.Is(graph.Array) || t.equal(items[0], item, true) != alwaysFalse {
			return open
		}
	}
	if slices.ContainsFunc(items[1].Items(), func(v graph.Value) bool { return !v.Is(graph.String) }) {
		return open
	}
	return alwaysFalse
}

// disjoint reports whether two sets of strings are known and share none.
func disjoint(a, b []string) bool {
	return a != nil && b != nil && !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}
