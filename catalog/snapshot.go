package catalog

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A Snapshot is one state of the catalog. It never changes, nor may the lists it
// returns be changed.
type Snapshot struct {
	*contents

	index  *search.Snapshot
	hidden func(*specs.Spec) bool // that the index has, and the contents do not; nil: none
}

// contents are what a state of the catalog holds; states that differ only in how
// they are indexed share them.
type contents struct {
	segments []*segment // by origin

	all        func() sortedSpecs
	routes     func() routes
	types      func() []Type
	shortNames func() shortNames
}

// routes say which segments to look into.
type routes struct {
	servers []string              // sorted
	at      map[string][]*segment // by server
	rest    []*segment            // those that hold specs of no server
}

func newSnapshot(list []*segment, index *search.Snapshot) *Snapshot {
	s := &contents{segments: list}
	// What concerns all origins is put together when it is first asked for: most
	// snapshots of a starting server are replaced before that.
	s.all = sync.OnceValue(s.merge)
	s.routes = sync.OnceValue(s.route)
	s.types = sync.OnceValue(s.sortTypes)
	s.shortNames = sync.OnceValue(s.readShortNames)
	return &Snapshot{contents: s, index: index}
}

// Search searches this state of the catalog.
func (s *Snapshot) Search(ctx context.Context, q search.Query) (*search.Results, error) {
	if hidden := s.hidden; hidden != nil {
		accept := q.Accept
		q.Accept = func(sp *specs.Spec) bool { return !hidden(sp) && (accept == nil || accept(sp)) }
	}
	return s.index.Search(ctx, q)
}

// Without returns this state of the catalog without the specs that are hidden: they are
// neither found nor listed.
func (s *Snapshot) Without(hidden func(*specs.Spec) bool) *Snapshot {
	list := make([]*segment, len(s.segments))
	for i, sl := range s.segments {
		list[i] = sl
		if slices.ContainsFunc(sl.specs, hidden) {
			list[i] = newSegment(sl.origin, slices.DeleteFunc(slices.Clone(sl.specs), hidden))
		}
	}
	out := newSnapshot(list, s.index)
	out.hidden = hidden
	return out
}

// All returns every spec, sorted by id. Of several with one id it is the one of
// the first origin.
func (s *Snapshot) All() []*specs.Spec { return s.all().specs }

// Spec returns the spec of exactly that id, or nil.
func (s *Snapshot) Spec(id string) *specs.Spec {
	r := s.routes()
	among := r.rest
	if subtype, ok := strings.CutPrefix(id, "mcp:"); ok {
		server, _, _ := strings.Cut(subtype, "/")
		if at := r.at[server]; at != nil {
			among = at
		}
	}
	for _, sl := range among {
		if sp := sl.byID[id]; sp != nil {
			return sp
		}
	}
	return nil
}

// Servers returns the names of the servers that have tools, sorted.
func (s *Snapshot) Servers() []string { return s.routes().servers }

// Server returns a server's tools, sorted by id, nil if it has none.
func (s *Snapshot) Server(name string) []*specs.Spec {
	var lists []sortedSpecs
	for _, sl := range s.routes().at[name] {
		lists = append(lists, sl.servers[name])
	}
	return merged(lists).specs
}

// Tool returns the spec of a server's tool, or nil.
func (s *Snapshot) Tool(server, tool string) *specs.Spec {
	return s.Spec("mcp:" + server + "/" + tool)
}

func (s *contents) merge() sortedSpecs {
	lists := make([]sortedSpecs, len(s.segments))
	for i, sl := range s.segments {
		lists[i] = sl.sortedSpecs
	}
	return merged(lists)
}

func (s *contents) route() routes {
	r := routes{at: map[string][]*segment{}}
	for _, sl := range s.segments {
		tools := 0
		for name, own := range sl.servers {
			r.at[name] = append(r.at[name], sl)
			tools += len(own.ids)
		}
		if tools < len(sl.ids) {
			r.rest = append(r.rest, sl)
		}
	}
	r.servers = slices.Sorted(maps.Keys(r.at))
	return r
}
