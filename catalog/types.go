package catalog

import (
	"cmp"
	"slices"
)

// A Type is a node type of the catalog.
type Type struct {
	Name     string
	Subtypes []string // sorted; empty for a kind without variants
	Servers  []Count  // of the mcp type: tools per server, sorted by name
}

// A Count is how many tools a server has.
type Count struct {
	Server string
	Tools  int
}

// Types returns the node types, sorted by name.
func (s *Snapshot) Types() []Type { return s.types() }

func (s *contents) sortTypes() []Type {
	var types []Type
	at := map[string]int{}
	for _, sp := range s.all().specs {
		i, ok := at[sp.NodeType]
		if !ok {
			i = len(types)
			at[sp.NodeType] = i
			types = append(types, Type{Name: sp.NodeType, Subtypes: []string{}})
		}
		t := &types[i]
		if sp.Subtype != "" {
			t.Subtypes = append(t.Subtypes, sp.Subtype)
		}
		if server := sp.Server(); server != "" {
			if n := len(t.Servers); n > 0 && t.Servers[n-1].Server == server {
				t.Servers[n-1].Tools++
			} else {
				t.Servers = append(t.Servers, Count{server, 1})
			}
		}
	}
	for _, t := range types {
		slices.Sort(t.Subtypes)
		slices.SortFunc(t.Servers, func(a, b Count) int { return cmp.Compare(a.Server, b.Server) })
	}
	slices.SortFunc(types, func(a, b Type) int { return cmp.Compare(a.Name, b.Name) })
	return types
}

// Subtypes returns the subtypes of a type, sorted; with a server, only its own.
func (s *Snapshot) Subtypes(nodeType, server string) []string {
	if server == "" {
		i := slices.IndexFunc(s.Types(), func(t Type) bool { return t.Name == nodeType })
		if i < 0 {
			return nil
		}
		return s.Types()[i].Subtypes
	}
	var own []string
	for _, sp := range s.Server(server) {
		if sp.NodeType == nodeType {
			own = append(own, sp.Subtype)
		}
	}
	slices.Sort(own)
	return own
}

// Page returns at most limit items of a sorted list that come after a given
// one, which need not be in it any more ("" starts at the first), and the after
// of the next page, "" on the last.
func Page(sorted []string, after string, limit int) (page []string, next string) {
	from := 0
	if after != "" {
		i, found := slices.BinarySearch(sorted, after)
		from = i
		if found {
			from++
		}
	}
	page = sorted[from:min(from+max(1, limit), len(sorted))]
	if from+len(page) < len(sorted) {
		next = page[len(page)-1]
	}
	return page, next
}
