package search

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/specs"
)

const (
	firstPlaces  = 10  // places that one family may not fill
	familyShown  = 3   // of the first places that one family may take
	familyDepth  = 100 // ranks that are looked through to fill the first places
	alsoListed   = 5   // ids that a hit names of those moved after
	resemblance  = .5  // share of terms that two nodes of a family have in common
	noVerb       = ^uint32(0)
	nameKeyParts = 8
)

// An identity is what makes a node a candidate for a family.
type identity struct {
	verb uint32 // the first word of its name, server's name aside
	name string // its name's words, joined
}

// identify reads a node's name.
func identify(sp *specs.Spec, a *analyzer, words *vocabulary) identity {
	own := map[string]bool{}
	a.text(sp.Server(), true, func(t *token) { own[t.term] = true })
	id := identity{verb: noVerb}
	n := 0
	a.text(sp.Tool(), true, func(t *token) {
		if t.joined || t.stop {
			return
		}
		if id.verb == noVerb && !own[t.term] {
			id.verb = words.intern(t).id
		}
		if n++; n <= nameKeyParts {
			id.name += t.term + " "
		}
	})
	return id
}

// A lineup is the order in which matches are shown.
type lineup struct {
	order []match
	first int              // of order, how many are in the first places
	also  map[int][]string // by place: ids of its near-duplicates moved after the first places
}

// lineUp lets at most familyShown nodes of one family into the first places of
// found, which is sorted, and moves the others right after those. When nothing
// else is left to fill the first places, they stay empty.
func (s *Snapshot) lineUp(found []match) lineup {
	l := lineup{order: found, first: min(firstPlaces, len(found))}
	if !s.opt.fair || len(found) <= familyShown {
		return l
	}
	type family struct {
		head  match
		place int
		size  int
	}
	var families []*family
	var first, moved []match
	depth := 0
	for _, m := range found[:min(len(found), familyDepth)] {
		if len(first) == firstPlaces {
			break
		}
		depth++
		var f *family
		for _, other := range families {
			if alike(other.head, m) {
				f = other
				break
			}
		}
		if f == nil {
			f = &family{head: m, place: len(first)}
			families = append(families, f)
		}
		if f.size++; f.size <= familyShown {
			first = append(first, m)
			continue
		}
		moved = append(moved, m)
		if l.also == nil {
			l.also = map[int][]string{}
		}
		if len(l.also[f.place]) < alsoListed {
			l.also[f.place] = append(l.also[f.place], m.id())
		}
	}
	if len(moved) == 0 {
		return l
	}
	l.first = len(first)
	l.order = slices.Concat(first, moved, found[depth:])
	return l
}

// alike reports whether two nodes are of one family: one verb of one server in
// variants, or one tool on several servers, with mostly the same words.
func alike(a, b match) bool {
	x, y := a.segment, b.segment
	p, q := x.identity[a.node], y.identity[b.node]
	if p.verb == noVerb || q.verb == noVerb || a.spec().NodeType != b.spec().NodeType {
		return false
	}
	variants := a.spec().Server() == b.spec().Server() && p.verb == q.verb
	return (variants || p.name == q.name) && common(x, y, int(a.node), int(b.node)) >= resemblance
}

// common is the share of two nodes' terms that both have; the terms of the
// server's name are left out.
func common(x, y *segment, a, b int) float64 {
	terms := map[uint32]bool{}
	for _, p := range x.of(a) {
		if !p.onlyServer() {
			terms[p.term] = true
		}
	}
	both, either := 0, len(terms)
	for _, p := range y.of(b) {
		switch {
		case p.onlyServer():
		case terms[p.term]:
			both++
		default:
			either++
		}
	}
	return float64(both) / float64(max(1, either))
}

// onlyServer reports whether the term occurs in the server's name and tags only.
func (p posting) onlyServer() bool {
	for f, n := range p.tf {
		if n > 0 && field(f) != fieldServer {
			return false
		}
	}
	return true
}
