package catalog

import (
	"maps"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/specs"
)

// A Ref is a node as a caller names it: by id, or by type and subtype. An id
// goes before the others.
type Ref struct {
	NodeType, Subtype, ID string
}

// String is the id that r means.
func (r Ref) String() string {
	switch {
	case r.ID != "":
		return r.ID
	case r.Subtype == "" || r.Subtype == r.NodeType:
		return r.NodeType
	case r.NodeType == "":
		return r.Subtype
	}
	return r.NodeType + ":" + r.Subtype
}

// A Miss says why a name resolves to no node, or to more than one.
type Miss struct {
	Ambiguous   []string // the ids it may mean, sorted
	Type        string   // the node type it is, which needs a subtype; the suggestions are its nodes
	Suggestions []string // otherwise: the nearest ids, nearest first
}

// Resolve returns the node that r names: by its id, by type and subtype, by its
// type again as the subtype, as mcp-<server>-<tool> (the longest matching server
// wins), or by a tool's bare name where only one node has it. Otherwise it
// returns nil and why.
func (s *Snapshot) Resolve(r Ref) (*specs.Spec, *Miss) {
	r = r.clean()
	if sp := s.exact(r); sp != nil {
		return sp, nil
	}
	found := s.byName(r)
	switch len(found) {
	case 0:
		return nil, s.miss(r)
	case 1:
		return only(found), nil
	}
	return nil, &Miss{Ambiguous: slices.Sorted(maps.Keys(found))}
}

// miss says why r names no node.
func (s *Snapshot) miss(r Ref) *Miss {
	short := s.short(r)
	if len(short) == 0 {
		if t := s.nodeType(r); t != "" {
			m := &Miss{Type: t}
			for _, subtype := range s.Subtypes(t, "") {
				m.Suggestions = append(m.Suggestions, t+":"+subtype)
			}
			return m
		}
		return &Miss{Suggestions: s.suggest(r)}
	}
	ids := make([]string, len(short))
	for i, sp := range short {
		ids[i] = sp.ID()
	}
	slices.Sort(ids)
	if len(ids) == 1 {
		return &Miss{Suggestions: ids}
	}
	return &Miss{Ambiguous: ids}
}

// nodeType returns the type that r names without a subtype, or "".
func (s *Snapshot) nodeType(r Ref) string {
	for _, t := range s.Types() {
		if len(t.Subtypes) > 0 && strings.EqualFold(r.String(), t.Name) && s.Spec(t.Name) == nil {
			return t.Name
		}
	}
	return s.typeAlone(r)
}

// only returns the spec of a map that has one.
func only(m map[string]*specs.Spec) *specs.Spec {
	for _, sp := range m {
		return sp
	}
	return nil
}

// clean puts a name into one of two forms: an ID, or a NodeType with a Subtype.
func (r Ref) clean() Ref {
	nodeType, subtype, id := strings.TrimSpace(r.NodeType), strings.TrimSpace(r.Subtype), strings.TrimSpace(r.ID)
	switch {
	case id != "":
		if t, again, ok := strings.Cut(id, ":"); ok && t == again {
			id = t
		}
		return Ref{ID: id}
	case subtype == "" || nodeType == "" || subtype == nodeType:
		return Ref{ID: Ref{NodeType: nodeType, Subtype: subtype}.String()}
	}
	return Ref{NodeType: nodeType, Subtype: subtype}
}

// exact resolves what names a node in full.
func (s *Snapshot) exact(r Ref) *specs.Spec {
	if r.ID != "" {
		return s.full(r.ID)
	}
	if r.Subtype == "" {
		return nil
	}
	if sp := s.Spec(r.NodeType + ":" + r.Subtype); sp != nil {
		return sp
	}
	// The subtype may be a name in full by itself.
	if sp := s.full(r.Subtype); sp != nil && sp.NodeType == r.NodeType {
		return sp
	}
	return nil
}

func (s *Snapshot) full(name string) *specs.Spec {
	if sp := s.Spec(name); sp != nil {
		return sp
	}
	if strings.Contains(name, "/") {
		if sp := s.Spec("mcp:" + name); sp != nil {
			return sp
		}
	}
	return s.hyphenated(name)
}

// hyphenated resolves mcp-<server>-<tool>, where both may hold hyphens.
func (s *Snapshot) hyphenated(name string) *specs.Spec {
	rest, ok := strings.CutPrefix(name, "mcp-")
	if !ok {
		return nil
	}
	var best *specs.Spec
	longest := -1
	for _, server := range s.Servers() {
		if tool, ok := strings.CutPrefix(rest, server+"-"); ok && len(server) > longest {
			if sp := s.Tool(server, tool); sp != nil {
				best, longest = sp, len(server)
			}
		}
	}
	return best
}

// byName returns the nodes whose tool or graph has that name, by id. An idiom is meant
// only where no node has its name.
func (s *Snapshot) byName(r Ref) map[string]*specs.Spec {
	name := r.ID
	if name == "" {
		name = r.Subtype
	} else if t, sub, ok := strings.Cut(name, ":"); ok {
		r.NodeType, name = t, sub
	}
	found := map[string]*specs.Spec{}
	for _, sl := range s.segments {
		for _, sp := range sl.names[name] {
			if id := sp.ID(); found[id] == nil && (r.NodeType == "" || r.NodeType == sp.NodeType) {
				found[id] = sp
			}
		}
	}
	if len(found) > 1 {
		maps.DeleteFunc(found, func(_ string, sp *specs.Spec) bool { return sp.NodeType == specs.Idiom })
	}
	return found
}
