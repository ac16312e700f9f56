package jsonata

import (
	"slices"
)

// A slot is one "%" looking for the step whose context it means. level counts
// the steps still to go back; at 0 target is found.
type slot struct {
	level  int
	at     *Node
	target *Node
}

// An ancestry is what a node has to do with "%": slot is its own, if it is one;
// seeking are those below it that have to look further out.
type ancestry struct {
	slot    *slot
	seeking []*slot
}

// open reports whether a "%" at or below root is still looking.
func (a *ancestry) open(root *Node) bool {
	return a != nil && (root.Kind == KindParent || len(a.seeking) > 0)
}

// inherit makes what parts seek n's to pass on.
func (n *Node) inherit(parts ...*Node) {
	for _, part := range parts {
		if part.ancestry == nil {
			continue
		}
		if n.ancestry == nil {
			n.ancestry = &ancestry{}
		}
		n.ancestry.seeking = append(n.ancestry.seeking, part.ancestry.slots()...)
	}
}

// slots are those of the node itself and below it.
func (a *ancestry) slots() []*slot {
	if a == nil {
		return nil
	}
	if a.slot != nil {
		return append(slices.Clip(a.seeking), a.slot)
	}
	return a.seeking
}

// resolve looks in path's earlier steps for what its last step seeks.
func (p *parser) resolve(path *Node) {
	for _, s := range path.Last().ancestry.slots() {
		i := len(path.Args) - 2
		for s.level > 0 {
			if i < 0 {
				if path.ancestry == nil {
					path.ancestry = &ancestry{}
				}
				path.ancestry.seeking = append(path.ancestry.seeking, s)
				break
			}
			step := path.Args[i]
			i--
			for i >= 0 && step.Focus != nil && path.Args[i].Focus != nil { // focus steps do not move the context
				step = path.Args[i]
				i--
			}
			if !p.seek(step, s) {
				return
			}
		}
	}
}

// seek takes s one or more levels up through n, or fails.
func (p *parser) seek(n *Node, s *slot) bool {
	switch n.Kind {
	case KindName, KindWildcard:
		if s.level--; s.level == 0 {
			s.target = n
			n.tuple, n.sought = true, true
		}
	case KindParent:
		s.level++
	case KindBlock:
		if len(n.Args) > 0 {
			n.tuple = true
			return p.seek(n.Args[len(n.Args)-1], s)
		}
	case KindPath:
		n.tuple = true
		i := len(n.Args) - 1
		if !p.seek(n.Args[i], s) {
			return false
		}
		for i--; s.level > 0 && i >= 0; i-- {
			if !p.seek(n.Args[i], s) {
				return false
			}
		}
	default:
		p.postpone(parentless(s.at))
		return false
	}
	return true
}

// noParent is the error for a "%" that found nothing.
func (p *parser) noParent(root *Node) *Error {
	for _, s := range root.ancestry.slots() {
		return parentless(s.at)
	}
	return parentless(root)
}

func parentless(at *Node) *Error {
	return syntax(at.Start, at.End, "S0217", `"%" has no parent here`, `"%" goes from a step of a path back to the object it was read from, as in orders.items.{"id": %.id}; the remainder is written a % b`)
}
