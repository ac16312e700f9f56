package engine_test

import (
	"maps"
	"slices"
)

func always(*sketchNode) bool { return true }

// kindsOfFault are the mistakes that are planted. Those of fields are planted in
// strict objects alone: in a loose one any field may be there.
var kindsOfFault = []kindOfFault{
	{"field renamed", func(p *planter) *planted {
		e := p.one(fieldRole, func(e *ex) bool { return e.in.strict })
		if e == nil {
			return nil
		}
		var others []string
		for _, f := range e.in.fields {
			others = append(others, f.name)
		}
		return instead(e, p.misspell(e.String(), others))
	}},
	{"node id misspelt in a path", func(p *planter) *planted {
		e := p.one(nodeRole, nil)
		if e == nil {
			return nil
		}
		return instead(e, p.misspell(e.String(), p.s.ids()))
	}},
	{"node id misspelt in quotes", func(p *planter) *planted {
		e := p.one(idRole, nil)
		if e == nil {
			return nil
		}
		return instead(e, "'"+p.misspell(e.node, p.s.ids())+"'")
	}},
	{"function misspelt", func(p *planter) *planted {
		e := p.one(callRole, nil)
		if e == nil {
			return nil
		}
		return instead(e, "$"+p.misspell(e.String()[1:], []string{"sum", "min", "max"}))
	}},
	{"variable misspelt", func(p *planter) *planted {
		e := p.one(varRole, nil)
		if e == nil {
			return nil
		}
		return instead(e, e.String()+"z")
	}},
	{"operand not a number", func(p *planter) *planted {
		return instead(p.one(numberRole, func(e *ex) bool { return !e.maybe }), []string{"'seven'", "{'a': 1}", "true", "[$string(1)]"}[p.IntN(4)])
	}},
	{"argument not a text", func(p *planter) *planted {
		return instead(p.one(textRole, nil), []string{"12", "{'a': 1}", "['a', 'b']", "$count([1, 2])"}[p.IntN(4)])
	}},
	{"argument not numbers", func(p *planter) *planted {
		return instead(p.one(numbersRole, nil), []string{"'seven'", "['a', 'b']", "{'a': 1}"}[p.IntN(3)])
	}},
	{"parenthesis dropped", func(p *planter) *planted {
		f := instead(p.one(closeRole, nil), "")
		if f != nil {
			f.whole = true
			f.through = func(outcome) bool { return true } // it does not parse
		}
		return f
	}},
	{"field of the result removed", func(p *planter) *planted {
		m, _, o := p.member(func(f *field) bool { return !f.optional })
		if m == nil {
			return nil
		}
		return o.remove(m)
	}},
	{"field of the result of another type", func(p *planter) *planted {
		m, f, _ := p.member(func(f *field) bool { return !f.optional && f.t.kind != "any" })
		if m == nil {
			return nil
		}
		return p.value(m, p.notText(f.t))
	}},
	{"field of the result not in its enum", func(p *planter) *planted {
		m, _, _ := p.member(func(f *field) bool { return f.t.kind == "enum" })
		if m == nil {
			return nil
		}
		return p.value(m, "'nothing of it'")
	}},
	{"field too many in the result", func(p *planter) *planted {
		m, _, _ := p.member(func(*field) bool { return p.s.output.strict })
		if m == nil {
			return nil
		}
		m.parts = append(m.parts, ", 'surplus': 1")
		return &planted{piece: m, whole: true}
	}},
	{"required argument dropped", func(p *planter) *planted {
		n, at, a := p.argument(func(_ *sketchNode, a *sketchArg) bool { return !a.f.optional })
		if n == nil {
			return nil
		}
		n.drop(a)
		return &planted{node: n.id, pointer: at + "/args"}
	}},
	{"argument misspelt", func(p *planter) *planted {
		n, at, a := p.argument(func(n *sketchNode, a *sketchArg) bool { return !a.f.optional || n.tool.input.strict })
		if n == nil {
			return nil
		}
		var others []string
		for _, f := range n.tool.input.fields {
			others = append(others, f.name)
		}
		a.name = p.misspell(a.name, others)
		return &planted{node: n.id, pointer: at + "/args/" + a.name}
	}},
	{"unknown argument", func(p *planter) *planted {
		n, at := p.node(func(n *sketchNode) bool { return n.tool != nil && n.tool.input.strict })
		if n == nil {
			return nil
		}
		n.args = append(n.args, &sketchArg{name: "surplus", literal: 1})
		return &planted{node: n.id, pointer: at + "/args/surplus"}
	}},
	{"literal argument of another type", func(p *planter) *planted {
		n, at, a := p.argument(func(_ *sketchNode, a *sketchArg) bool { return a.expr == nil })
		if n == nil {
			return nil
		}
		a.literal = p.not(a.f.t)
		return &planted{node: n.id, pointer: at + "/args/" + a.name}
	}},
	{"literal argument with a field missing", func(p *planter) *planted {
		missing := func(a *sketchArg) string {
			if o, ok := a.literal.(map[string]any); ok && a.expr == nil {
				for _, f := range a.f.t.fields {
					if _, there := o[f.name]; there && !f.optional {
						return f.name
					}
				}
			}
			return ""
		}
		n, at, a := p.argument(func(_ *sketchNode, a *sketchArg) bool { return missing(a) != "" })
		if n == nil {
			return nil
		}
		o := maps.Clone(a.literal.(map[string]any))
		delete(o, missing(a))
		a.literal = o
		return &planted{node: n.id, pointer: at + "/args/" + a.name}
	}},
	{"literal argument not in its enum", func(p *planter) *planted {
		n, at, a := p.argument(func(_ *sketchNode, a *sketchArg) bool { return a.expr == nil && a.f.t.kind == "enum" })
		if n == nil {
			return nil
		}
		a.literal = p.misspell(a.f.t.enum[0], a.f.t.enum)
		return &planted{node: n.id, pointer: at + "/args/" + a.name}
	}},
	{"computed argument of another type", func(p *planter) *planted {
		n, _, a := p.argument(func(_ *sketchNode, a *sketchArg) bool { return a.expr != nil })
		if n == nil {
			return nil
		}
		text := p.notText(a.f.t)
		for _, f := range p.s.input.fields { // a path, where one is certainly of another type
			if !f.optional && !f.t.nullable && p.IntN(2) == 0 && disjointTypes(f.t, a.f.t) {
				text = "$.entry." + f.name
			}
		}
		return instead(a.expr, text)
	}},
	{"computed argument not in its enum", func(p *planter) *planted {
		_, _, a := p.argument(func(_ *sketchNode, a *sketchArg) bool { return a.expr != nil && a.f.t.kind == "enum" })
		if a == nil {
			return nil
		}
		return instead(a.expr, "'"+p.misspell(a.f.t.enum[0], a.f.t.enum)+"'")
	}},
	{"computed argument with a field missing", func(p *planter) *planted {
		_, _, a := p.argument(func(_ *sketchNode, a *sketchArg) bool {
			return a.expr != nil && made(a.expr) != nil && len(required(a.f.t)) > 0
		})
		if a == nil {
			return nil
		}
		o := made(a.expr)
		for _, part := range o.parts {
			if m, ok := part.(*ex); ok && m.role == memberRole && m.node == required(a.f.t)[0] {
				return o.remove(m)
			}
		}
		return nil
	}},
	{"dangling edge", func(p *planter) *planted {
		n, at := p.node(func(n *sketchNode) bool { return n.next != "" })
		was := n.next
		n.next = p.misspell(was+"node", p.s.ids())
		return &planted{node: n.id, pointer: at + "/next", through: follows(n.id, was)}
	}},
	{"dangling condition", func(p *planter) *planted {
		n, at := p.node(func(n *sketchNode) bool { return n.kind == "switch" })
		if n == nil {
			return nil
		}
		was := n.cases[0].next
		n.cases[0].next = p.misspell(was, p.s.ids())
		return &planted{node: n.id, pointer: at + "/conditions/0/next", through: follows(n.id, was)}
	}},
	{"edge missing", func(p *planter) *planted {
		n, at := p.node(func(n *sketchNode) bool { return n.next != "" })
		was := n.next
		n.next = ""
		return &planted{node: n.id, pointer: at, through: follows(n.id, was)}
	}},
	{"tool misspelt", func(p *planter) *planted {
		n, at := p.node(func(n *sketchNode) bool { return n.tool != nil })
		if n == nil {
			return nil
		}
		n.name = p.misspell(n.name, nil)
		return &planted{node: n.id, pointer: at + "/tool", through: visits(n.id)}
	}},
	{"server misspelt", func(p *planter) *planted {
		n, at := p.node(func(n *sketchNode) bool { return n.tool != nil })
		if n == nil {
			return nil
		}
		n.server = p.misspell(n.server, nil)
		return &planted{node: n.id, pointer: at + "/server", through: visits(n.id)}
	}},
	{"type misspelt", func(p *planter) *planted {
		n, at := p.node(always)
		n.spelt = p.misspell(n.kind, nil)
		return &planted{node: n.id, pointer: at + "/type", through: visits(n.id)}
	}},
	{"no exit", func(p *planter) *planted {
		p.s.nodes = slices.DeleteFunc(p.s.nodes, func(n *sketchNode) bool { return n.kind == "exit" })
		return &planted{through: func(outcome) bool { return true }}
	}},
	{"node read that cannot have run", func(p *planter) *planted {
		found := p.pieces(func(n *sketchNode, e *ex) bool {
			return e.role == nodeRole && slices.ContainsFunc(p.s.nodes, func(m *sketchNode) bool { return m.kind != "exit" && m != n && !p.s.reaches(m.id, n.id) })
		})
		if len(found) == 0 {
			return nil
		}
		e := found[p.IntN(len(found))]
		var at *sketchNode
		p.s.expressions(func(n *sketchNode, root *ex) {
			root.each(func(x *ex) {
				if x == e {
					at = n
				}
			})
		})
		m, _ := p.node(func(m *sketchNode) bool { return m.kind != "exit" && m != at && !p.s.reaches(m.id, at.id) })
		return instead(e, m.id)
	}},
	{"operator of a rule misspelt", func(p *planter) *planted {
		n, at := p.node(func(n *sketchNode) bool { return n.kind == "switch" })
		if n == nil {
			return nil
		}
		rule := n.cases[0].rule.(map[string]any)
		for op, args := range rule {
			n.cases[0].rule = map[string]any{map[string]string{"<": "lt", "==": "equals", "in": "inside", "and": "annd", "or": "orr", "!!": "bool", "===": "====", "!=": "neq"}[op] + "x": args}
		}
		return &planted{node: n.id, pointer: at + "/conditions/0/rule", through: visits(n.id)}
	}},
}

// remove takes a member out of a constructor.
func (e *ex) remove(m *ex) *planted {
	m.parts = nil
	if first, ok := e.parts[1].(*ex); ok && first == m && len(e.parts) > 3 {
		next := e.parts[2].(*ex)
		next.parts = next.parts[1:] // its comma
	}
	return &planted{piece: m, whole: true}
}

// value writes another value of a member.
func (p *planter) value(m *ex, text string) *planted {
	m.parts[len(m.parts)-1] = text
	return &planted{piece: m, whole: true}
}

func required(t *typ) []string {
	var names []string
	for _, f := range t.fields {
		if !f.optional {
			names = append(names, f.name)
		}
	}
	return names
}

// disjointTypes reports whether no value is of both types.
func disjointTypes(a, b *typ) bool {
	class := func(t *typ) string {
		switch {
		case t.numeric():
			return "number"
		case t.kind == "enum":
			return "string"
		}
		return t.kind
	}
	if a.kind == "union" || b.kind == "union" || a.kind == "any" || b.kind == "any" {
		return false
	}
	return class(a) != class(b)
}
