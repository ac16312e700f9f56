package engine

import (
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/types"
)

var ruleConstantRule = diag.Define("constant-rule", diag.Warning,
	"A condition of a switch is always true or always false, given the types of the values it reads, so one of the branches never runs.")

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
		v := t.decide(c.at)
		if v == open || c.at.Is(graph.Bool) {
			continue // written so on purpose
		}
		t.fault(func(p *Pass) {
			said, never := "false", p.targetOf(c.to)
			if v == alwaysTrue {
				said, never = "true", "what follows"
				if i+1 < len(sw.cases) {
					never = p.targetOf(sw.cases[i+1].to)
				} else if sw.fallback != NoNode {
					never = p.targetOf(sw.fallback)
				}
			}
			d := p.Report(ruleConstantRule, c.at, n, "condition %d is always %s, so the branch to %s never runs", i, said, never)
			d.Hint = "compare with a value of the type that the condition reads, or remove the condition"
		})
	}
}

func (p *Pass) targetOf(i NodeIndex) string {
	if i == NoNode {
		return "nowhere"
	}
	return strconv.Quote(p.nodes[i].ID)
}

// decide is what types say of a rule; of operators that it does not know, nothing.
func (t *Types) decide(rule graph.Value) verdict {
	keys := rule.Keys()
	if len(keys) != 1 {
		return open
	}
	args := rule.Get(keys[0])
	items := args.Items()
	if !args.Is(graph.List) {
		items = []graph.Value{args}
	}
	switch keys[0] {
	case "and", "or":
		decisive := alwaysFalse
		if keys[0] == "or" {
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
		v := t.equal(items[0], items[1], len(keys[0]) == 3)
		if keys[0][0] == '!' {
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
	case v.Is(graph.Map):
		path := v.Get("var")
		if v.Len() != 1 || !path.Is(graph.String) {
			return types.Type{}, false
		}
		s, ok = t.exprs[path]
		if s.Has(types.Undefined) {
			s = s.Without(types.Undefined).With(types.Null)
		}
		return s, ok && s.Kinds != 0 && !s.Has(types.Function)
	case v.Is(graph.List):
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
	if len(items) != 2 || !items[1].Is(graph.List) || items[1].Len() == 0 {
		return open
	}
	for _, item := range items[1].Items() {
		if item.Is(graph.Map) || item.Is(graph.List) || t.equal(items[0], item, true) != alwaysFalse {
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
