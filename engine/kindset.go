package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A KindSet is the node types that a graph may use. It does not change, and is safe
// for concurrent use. A nil KindSet is the built-in kinds.
type KindSet struct {
	types   map[string]*Kind
	names   []string          // sorted
	aliases map[string]string // what authors write, in plain letters, to the type
}

// builtIn are the kinds that are registered in this package.
var builtIn = sync.OnceValue(func() *KindSet { return newKindSet(kinds) })

// Extend returns the built-in kinds and more. It fails for a kind without a type or
// without Compile, for a type that is taken, and for a field that names other nodes
// and does not say so. The kinds' specs have the source
// "library".
func Extend(more ...Kind) (*KindSet, error) {
	all := maps.Clone(kinds)
	for _, k := range more {
		name := k.Spec.NodeType
		switch {
		case !ValidName(name):
			return nil, fmt.Errorf("%q cannot be a node type: use letters, digits, _ and -", name)
		case k.Compile == nil:
			return nil, fmt.Errorf("the node type %q has no Compile", name)
		case all[name] != nil || name == specs.Idiom:
			return nil, fmt.Errorf("the node type %q is already taken", name)
		}
		for _, f := range k.Fields {
			if f.Edges != slices.Contains(graph.EdgeKeys, f.Name) {
				return nil, fmt.Errorf("the field %q of the node type %q: Edges is set for %s and for no other field", f.Name, name, diag.OneOf(graph.EdgeKeys, len(graph.EdgeKeys)))
			}
		}
		all[name] = complete(k, "library")
	}
	return newKindSet(all), nil
}

func newKindSet(all map[string]*Kind) *KindSet {
	s := &KindSet{types: all, names: slices.Sorted(maps.Keys(all)), aliases: map[string]string{}}
	for _, name := range s.names {
		for _, a := range all[name].Aliases {
			s.aliases[plain(a)] = name
		}
	}
	for _, name := range s.names {
		if _, taken := s.aliases[plain(name)]; !taken || !all[name].InWorkflow {
			s.aliases[plain(name)] = name
		}
	}
	return s
}

func (s *KindSet) orBuiltIn() *KindSet {
	if s == nil {
		return builtIn()
	}
	return s
}

// Kinds returns every kind, sorted by type.
func (s *KindSet) Kinds() []*Kind {
	s = s.orBuiltIn()
	return lists.Each(s.names, func(name string) *Kind { return s.types[name] })
}

// Specs returns the knowledge of every kind, sorted by type.
func (s *KindSet) Specs() []*specs.Spec {
	s = s.orBuiltIn()
	return lists.Each(s.names, func(name string) *specs.Spec { return &s.types[name].Spec })
}

// Asks reports whether a person decides the output of nodes of a type.
func (s *KindSet) Asks(nodeType string) bool {
	k := s.orBuiltIn().types[nodeType]
	return k != nil && k.Asks
}

// CallsTool reports whether nodes of a type call a tool of a downstream server.
func (s *KindSet) CallsTool(nodeType string) bool {
	k := s.orBuiltIn().types[nodeType]
	return k != nil && k.CallsTool
}

// AsksModel reports whether nodes of a type ask a model.
func (s *KindSet) AsksModel(nodeType string) bool {
	k := s.orBuiltIn().types[nodeType]
	return k != nil && k.AsksModel
}

// Ends reports whether a run ends at nodes of a type.
func (s *KindSet) Ends(nodeType string) bool {
	k := s.orBuiltIn().types[nodeType]
	return k != nil && k.Ends
}

// Waits reports whether nodes of a type only let time pass.
func (s *KindSet) Waits(nodeType string) bool {
	k := s.orBuiltIn().types[nodeType]
	return k != nil && k.Waits
}

// RunsGraph reports whether nodes of a type run another graph.
func (s *KindSet) RunsGraph(nodeType string) bool {
	k := s.orBuiltIn().types[nodeType]
	return k != nil && k.RunsGraph
}

// Forwards reports whether nodes of a type make the call around which a workflow runs.
func (s *KindSet) Forwards(nodeType string) bool {
	k := s.orBuiltIn().types[nodeType]
	return k != nil && k.Forwards
}

// complete returns a kind whose spec has the parameters of its fields.
func complete(k Kind, source string) *Kind {
	k.Fields = slices.Concat(k.Fields, k.Modifiers.fields())
	k.Spec.Category, k.Spec.Source, k.Spec.Version = "built-in", source, cmp.Or(k.Spec.Version, "1")
	k.Spec.Starts, k.Spec.Ends = k.Starts, k.Ends
	k.Spec.Parameters = nil
	for _, f := range k.Fields {
		k.Spec.Parameters = append(k.Spec.Parameters, specs.Parameter{Name: f.Name, Type: f.Type, Required: f.Required, Description: f.Doc})
	}
	return &k
}
