package catalog

import (
	"slices"
	"strings"
	"unicode"

	"github.com/patchbay-mcp/patchbay/specs"
)

// shortNames are the nodes of knowledge packs by every spelling that authors use for
// their types and names, without case and separators: FLOW/IF and "flow if" for
// FLOW_NODE:IF, http_request for ACTION_NODE:HTTP_REQUEST, trigger cron and cron for
// TRIGGER_NODE:TRIGGER_CRON.
type shortNames struct {
	nodes map[string][]*specs.Spec
	types map[string]string // names of types
}

// nodeSuffix ends the names of types, and of some nodes, of other systems.
const nodeSuffix = "_NODE"

func (s *contents) readShortNames() shortNames {
	names := shortNames{map[string][]*specs.Spec{}, map[string]string{}}
	for _, sl := range s.segments {
		for _, sp := range sl.specs {
			if !sp.NotRunnable || sp.Subtype == "" {
				continue
			}
			short := strings.TrimSuffix(sp.NodeType, nodeSuffix)
			names.types[onlyLetters(sp.NodeType)], names.types[onlyLetters(short)] = sp.NodeType, sp.NodeType
			for _, subtype := range shortSubtypes(sp) {
				for _, prefix := range []string{"", short, sp.NodeType} {
					key := onlyLetters(prefix + subtype)
					if !slices.Contains(names.nodes[key], sp) {
						names.nodes[key] = append(names.nodes[key], sp)
					}
				}
			}
		}
	}
	return names
}

// shortSubtypes are the spellings of a node's subtype: TRIGGER_CRON and CRON of the
// type TRIGGER_NODE, OPENAI_NODE and OPENAI.
func shortSubtypes(sp *specs.Spec) []string {
	all := []string{sp.Subtype}
	if short, ok := strings.CutSuffix(sp.Subtype, nodeSuffix); ok {
		all = append(all, short)
	}
	first, _, _ := strings.Cut(sp.NodeType, "_")
	if short, ok := strings.CutPrefix(sp.Subtype, first+"_"); ok {
		all = append(all, short)
	}
	return all
}

// onlyLetters is a name without case and separators.
func onlyLetters(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, name)
}

// short returns the nodes of knowledge packs that r names in another spelling.
func (s *Snapshot) short(r Ref) []*specs.Spec {
	if name := r.String(); len(name) <= maxName {
		return s.shortNames().nodes[onlyLetters(r.NodeType+r.Subtype+r.ID)]
	}
	return nil
}

// typeAlone returns the type of a knowledge pack that r names without a subtype, in any
// spelling, or "".
func (s *Snapshot) typeAlone(r Ref) string {
	if name := r.String(); len(name) <= maxName {
		return s.shortNames().types[onlyLetters(name)]
	}
	return ""
}

// TypeNamed returns the node type that a name means: the name itself, or the type of
// a knowledge pack in another spelling, such as flow for FLOW_NODE. It returns "" if
// there is none.
func (s *Snapshot) TypeNamed(name string) string {
	if slices.ContainsFunc(s.Types(), func(t Type) bool { return t.Name == name }) {
		return name
	}
	return s.typeAlone(Ref{ID: name})
}
