package engine_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// planted is where a fault was made in a sketch.
type planted struct {
	piece   *ex                  // what was changed in an expression, or
	node    string               // the node
	pointer string               // and the place in it
	whole   bool                 // any place in the expression will do
	through func(o outcome) bool // whether a run comes to a fault that cannot be run at all
}

// kind of fault: how it is planted, if the sketch has a place for it.
type kindOfFault struct {
	name  string
	plant func(p *planter) *planted
}

type planter struct {
	*rand.Rand
	s *sketch
}

// pieces lists the pieces of expressions that can be made wrong in one way.
func (p *planter) pieces(accept func(n *sketchNode, e *ex) bool) []*ex {
	var found []*ex
	p.s.expressions(func(n *sketchNode, root *ex) {
		root.each(func(e *ex) {
			if accept(n, e) {
				found = append(found, e)
			}
		})
	})
	return found
}

// one picks a piece of a role.
func (p *planter) one(r role, accept func(e *ex) bool) *ex {
	found := p.pieces(func(_ *sketchNode, e *ex) bool { return e.role == r && (accept == nil || accept(e)) })
	if len(found) == 0 {
		return nil
	}
	return found[p.IntN(len(found))]
}

// instead writes a text in place of a piece.
func instead(e *ex, text string) *planted {
	if e == nil {
		return nil
	}
	e.parts = []any{text}
	return &planted{piece: e}
}

// misspell returns a near miss of a name that is none of others.
func (p *planter) misspell(name string, others []string) string {
	for {
		b := []byte(name)
		i := 1 + p.IntN(len(b)-1)
		switch p.IntN(4) {
		case 0:
			b = slices.Delete(b, i, i+1)
		case 1:
			b = slices.Insert(b, i, b[i])
		case 2:
			b[i-1], b[i] = b[i], b[i-1]
		default:
			b[i] = 'q'
		}
		if wrong := string(b); wrong != name && wrong != "" && wrong[0] > '9' && !slices.Contains(others, wrong) {
			return wrong
		}
	}
}

// not is a value that is certainly none of t's.
func (p *planter) not(t *typ) any {
	switch t.kind {
	case "string", "enum":
		return []any{12, true, map[string]any{"a": 1}}[p.IntN(3)]
	case "union":
		return true
	case "integer":
		return []any{"seven", 2.5, true}[p.IntN(3)]
	}
	if p.IntN(2) == 0 && t.kind != "boolean" {
		return false
	}
	return "seven"
}

func (p *planter) notText(t *typ) string {
	switch v := p.not(t).(type) {
	case string:
		return "'" + v + "'"
	case map[string]any:
		return "{'a': 1}"
	default:
		return fmt.Sprint(v)
	}
}

// place picks a node, and is the place of a field in it.
func (p *planter) node(accept func(n *sketchNode) bool) (*sketchNode, string) {
	var found []int
	for i, n := range p.s.nodes {
		if accept(n) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return nil, ""
	}
	i := found[p.IntN(len(found))]
	return p.s.nodes[i], fmt.Sprintf("/nodes/%d", i)
}

// argument picks an argument of a call.
func (p *planter) argument(accept func(n *sketchNode, a *sketchArg) bool) (n *sketchNode, at string, a *sketchArg) {
	fits := func(n *sketchNode) bool {
		return slices.ContainsFunc(n.args, func(a *sketchArg) bool { return accept(n, a) })
	}
	if n, at = p.node(fits); n == nil {
		return nil, "", nil
	}
	i := slices.IndexFunc(n.args, func(a *sketchArg) bool { return accept(n, a) })
	return n, at, n.args[i]
}

func (n *sketchNode) drop(a *sketchArg) {
	n.args = slices.DeleteFunc(n.args, func(b *sketchArg) bool { return a == b })
}

// visits is the fault of a node that a run comes to.
func visits(id string) func(outcome) bool { return func(o outcome) bool { return o.ran[id] } }

func follows(from, to string) func(outcome) bool {
	return func(o outcome) bool { return o.edges[[2]string{from, to}] }
}

func (s *sketch) ids() []string {
	var ids []string
	for _, n := range s.nodes {
		ids = append(ids, n.id)
	}
	return ids
}

// reaches reports whether a run can come from one node to another.
func (s *sketch) reaches(from, to string) bool {
	seen := map[string]bool{}
	queue := []string{from}
	for len(queue) > 0 {
		n := s.node(queue[0])
		queue = queue[1:]
		if seen[n.id] {
			continue
		}
		seen[n.id] = true
		if n.next != "" {
			queue = append(queue, n.next)
		}
		for _, c := range n.cases {
			queue = append(queue, c.next)
		}
		if slices.Contains(queue, to) {
			return true
		}
	}
	return false
}

// made is the object constructor that is an expression's value, or nil.
func made(e *ex) *ex {
	for e != nil && len(e.parts) == 1 {
		inner, ok := e.parts[0].(*ex)
		if !ok {
			return nil
		}
		e = inner
	}
	if e != nil && len(e.parts) > 0 && e.parts[0] == "{" && e.t != nil && e.t.kind == "object" {
		return e
	}
	return nil
}

// results are the constructors of the graph's results, with their nodes.
func (s *sketch) results() map[*ex]*sketchNode {
	found := map[*ex]*sketchNode{}
	for _, n := range s.nodes {
		if n.expr == nil || n.kind == "transform" && n.next != "done" {
			continue
		}
		if o := made(n.expr); o != nil && s.output.kind == "object" && n.expr.t == s.output {
			found[o] = n
		}
	}
	return found
}

// member picks a member of a result that stands for a field.
func (p *planter) member(accept func(f *field) bool) (*ex, *field, *ex) {
	type choice struct {
		object, member *ex
		f              *field
	}
	var found []choice
	results := p.s.results()
	for _, o := range slices.SortedFunc(maps.Keys(results), func(a, b *ex) int { return strings.Compare(results[a].id, results[b].id) }) {
		for _, part := range o.parts {
			if m, ok := part.(*ex); ok && m.role == memberRole {
				if f := p.s.output.field(m.node); f != nil && accept(f) {
					found = append(found, choice{o, m, f})
				}
			}
		}
	}
	if len(found) == 0 {
		return nil, nil, nil
	}
	c := found[p.IntN(len(found))]
	return c.member, c.f, c.object
}
