package catalog

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"github.com/patchbay-mcp/patchbay/specs"
)

// run is a list of specs sorted by id, each id once, with the ids beside it.
type run struct {
	ids   []string
	specs []*specs.Spec
}

// slice is what one origin has, immutable and shared by all snapshots until the
// origin replaces it.
type slice struct {
	run

	origin  string
	byID    map[string]*specs.Spec
	names   map[string][]*specs.Spec // by tool or saved graph name, of any type
	servers map[string]run
	sum     [sha256.Size]byte
}

func find(list []*slice, origin string) (int, bool) {
	return slices.BinarySearchFunc(list, origin, func(s *slice, o string) int { return cmp.Compare(s.origin, o) })
}

func newSlice(origin string, list []*specs.Spec) *slice {
	s := &slice{
		origin:  origin,
		byID:    make(map[string]*specs.Spec, len(list)),
		names:   make(map[string][]*specs.Spec, len(list)),
		servers: map[string]run{},
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
	sum := newDigest()
	for i, id := range s.ids {
		sp := s.byID[id]
		s.specs[i] = sp
		if sp.Subtype != "" {
			s.names[sp.Tool()] = append(s.names[sp.Tool()], sp)
		}
		if server := sp.Server(); server != "" {
			r := s.servers[server]
			s.servers[server] = run{append(r.ids, id), append(r.specs, sp)}
		}
		sum.add(sp)
	}
	sum.hash.Sum(s.sum[:0])
	return s
}

// merged returns the runs as one. Of several specs with one id it keeps that of
// the first run.
func merged(runs []run) run {
	switch len(runs) {
	case 0:
		return run{}
	case 1:
		return runs[0]
	}
	a, b := merged(runs[:len(runs)/2]), merged(runs[len(runs)/2:])
	switch {
	case len(a.ids) == 0:
		return b
	case len(b.ids) == 0:
		return a
	case a.ids[len(a.ids)-1] < b.ids[0]:
		return run{slices.Concat(a.ids, b.ids), slices.Concat(a.specs, b.specs)}
	}
	n := len(a.ids) + len(b.ids)
	out := run{make([]string, 0, n), make([]*specs.Spec, 0, n)}
	take := func(r run, from, to int) {
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
