package connect

import (
	"cmp"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

// A Path is nodes in the order in which they run: one node, or a chain.
type Path struct {
	Steps  []Step
	Score  float64 // 0..1
	Links  []Link
	Input  map[string]any // the JSON Schema of the part of what is there that is used
	Result string         // the expression of what is wanted, "" without that
	Lacks  []string       // fields that are wanted and that no step gives
}

// A Step is a node, and the expressions of its arguments.
type Step struct {
	Spec *specs.Spec
	Args map[string]string
}

// A Link is a connection: an argument of a step, or a field that is wanted, is the value of
// an expression.
type Link struct {
	To      string // "step.argument", or "wants.field"
	Expr    string
	Because string
}

// path is a sketch with its expressions.
func (q *query) path(s *sketch) *Path {
	p := &Path{Score: s.score}
	names := lists.Each(s.nodes, func(n *node) string { return cmp.Or(n.spec.Tool(), n.spec.NodeType) })
	ids := drafting.StepIDs(names)
	p.Input = types.SchemaOf(q.used(s))
	for i, n := range s.nodes {
		step := Step{Spec: n.spec, Args: map[string]string{}}
		for k, arg := range n.args {
			if u := &s.args[i][k]; u.score > 0 {
				step.Args[arg.label] = u.expr(ids)
				p.Links = append(p.Links, Link{ids[i] + "." + arg.label, step.Args[arg.label], u.because(arg)})
			}
		}
		p.Steps = append(p.Steps, step)
	}
	if len(q.fields) == 0 && len(s.result) == 1 && s.result[0].score > 0 {
		p.Result = s.result[0].expr(ids)
		p.Links = append(p.Links, Link{"wants", p.Result, s.result[0].because(q.wants)})
		return p
	}
	var members []string
	for i, f := range q.fields {
		u := &s.result[i]
		if u.score == 0 {
			p.Lacks = append(p.Lacks, f.label)
			continue
		}
		e := u.expr(ids)
		members = append(members, types.QuoteString(f.label)+": "+e)
		p.Links = append(p.Links, Link{"wants." + f.label, e, u.because(f)})
	}
	if len(members) > 0 {
		p.Result = "{" + strings.Join(members, ", ") + "}"
	}
	return p
}

// used is the type of the arguments of a graph that does what a sketch says.
func (q *query) used(s *sketch) types.Type {
	names := map[string]bool{}
	for _, args := range s.args {
		for i := range args {
			if args[i].score > 0 {
				args[i].sources(func(from *source) {
					if from.step == given {
						names[from.top] = true
					}
				})
			}
		}
	}
	var list []types.Field
	for i := range q.has {
		if f := q.has[i].field; f.depth == 1 && names[f.top] {
			list = append(list, types.Field{Name: f.label, Type: f.typ})
		}
	}
	return types.ObjectOf(true, list...)
}

// expr is the expression of a use, where ids are those of the steps.
func (u *use) expr(ids []string) string {
	if u.names == nil {
		return u.from.expression(u.from.at(ids), u.as)
	}
	members := make([]string, len(u.parts))
	for i := range u.parts {
		members[i] = types.QuoteString(u.names[i]) + ": " + u.parts[i].expr(ids)
	}
	object := "{" + strings.Join(members, ", ") + "}"
	if u.list == nil {
		return object
	}
	return "[" + u.list.at(ids) + u.list.list + "." + object + "]"
}

// at is the expression of what a source is in; "" is the item of a list.
func (s *source) at(ids []string) string {
	switch {
	case s.inList:
		return ""
	case s.step == given:
		return "$.entry"
	}
	return "$." + types.QuoteName(ids[s.step])
}

// because is what a connection rests on.
func (u *use) because(to *field) string {
	switch {
	case u.names == nil:
		return describe(u.from.field, to.typ, u.as)
	case u.list != nil:
		return "made of the fields of each item"
	}
	return "made of fields"
}
