package catalog

import (
	"cmp"
	"slices"

	"github.com/patchbay-mcp/patchbay/specs"
)

// sortedSpecs is a list of specs sorted by id, each id once, and their ids.
type sortedSpecs struct {
	ids   []string
	specs []*specs.Spec
}

// segment is what one origin has, immutable and shared by all snapshots until the
// origin replaces it.
type segment struct {
	sortedSpecs

	origin  string
	byID    map[string]*specs.Spec
	names   map[string][]*specs.Spec // by tool or saved graph name, of any type
	servers map[string]sortedSpecs
}

func find(list []*segment, origin string) (int, bool) {
	return slices.BinarySearchFunc(list, origin, func(s *segment, o string) int { return cmp.Compare(s.origin, o) })
}

func newSegment(origin string, list []*specs.Spec) *segment {
	s := &segment{
		origin:  origin,
		byID:    make(map[string]*specs.Spec, len(list)),
		names:   make(map[string][]*specs.Spec, len(list)),
		servers: map[string]sortedSpecs{},
	}
	for _, sp := range list {
		if sp == nil {
			continue
		}
		id := sp.ID()
		if _, again := s.byID[id]; !again {
			s.byID[id] = sp
			s.ids = append(s.ids, id)
		}
	}
	slices.Sort(s.ids)
	s.specs = make([]*specs.Spec, len(s.ids))
	for i, id := range s.ids {
		sp := s.byID[id]
		s.specs[i] = sp
		if sp.Subtype != "" {
			s.names[sp.Tool()] = append(s.names[sp.Tool()], sp)
		}
		if server := sp.Server(); server != "" {
			r := s.servers[server]
			s.servers[server] = sortedSpecs{append(r.ids, id), append(r.specs, sp)}
		}
	}
	return s
}

// merged returns the lists as one. Of several specs with one id it keeps that of
// the first list.
func merged(lists []sortedSpecs) sortedSpecs {
	switch len(lists) {
	case 0:
		return sortedSpecs{}
	case 1:
		return lists[0]
	}
	a, b := merged(lists[:len(lists)/2]), merged(lists[len(lists)/2:])
	switch {
	case len(a.ids) == 0:
		return b
	case len(b.ids) == 0:
		return a
	case a.ids[len(a.ids)-1] < b.ids[0]:
		return sortedSpecs{slices.Concat(a.ids, b.ids), slices.Concat(a.specs, b.specs)}
	}
	n := len(a.ids) + len(b.ids)
	out := sortedSpecs{make([]string, 0, n), make([]*specs.Spec, 0, n)}
	take := func(r sortedSpecs, from, to int) {
		out.ids, out.specs = append(out.ids, r.ids[from:to]...), append(out.specs, r.specs[from:to]...)
	}
	i, j := 0, 0
	for i < len(a.ids) && j < len(b.ids) {
		switch cmp.Compare(a.ids[i], b.ids[j]) {
		case 0:
			j++
		case -1:
			take(a, i, i+1)
			i++
		default:
			take(b, j, j+1)
			j++
		}
	}
	take(a, i, len(a.ids))
	take(b, j, len(b.ids))
	return out
}
