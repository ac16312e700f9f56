package catalog

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

const (
	maxSuggestions = 5
	maxName        = 200  // bytes of a name worth comparing
	minStart       = 4    // runes of a name's beginning that are worth completing
	minScore       = 0.25 // of a search hit worth suggesting
)

// candidate is a node near a name. Slips come first: distance counts edits.
// Beginnings and ends come behind every slip.
type candidate struct {
	spec     *specs.Spec
	id       string
	distance int
}

// partial is the distance of a name that was only begun.
const partial = 1000

// Nearest returns the one node that r, which names none, clearly means: by a
// slip that brings no other node as near, or by the beginning of one name only.
// An ambiguous name has no nearest node, nor has a type that needs a subtype.
func (s *Snapshot) Nearest(r Ref) (*specs.Spec, bool) {
	r = r.clean()
	if sp := s.exact(r); sp != nil {
		return sp, true
	}
	if found := s.byName(r); len(found) > 0 {
		return only(found), len(found) == 1
	}
	if short := s.short(r); len(short) > 0 {
		return short[0], len(short) == 1
	}
	if s.typeAlone(r) != "" {
		return nil, false
	}
	near := s.near(r)
	if len(near) == 0 || len(near) > 1 && near[1].distance == near[0].distance {
		return nil, false
	}
	return near[0].spec, true
}

// suggest returns the ids nearest to r, by spelling and then by meaning.
func (s *Snapshot) suggest(r Ref) []string {
	var out []string
	for _, c := range s.near(r) {
		if out = append(out, c.id); len(out) == maxSuggestions {
			return out
		}
	}
	if len(out) > 0 {
		return out
	}
	text := r.String()
	if len(text) > maxName {
		return nil
	}
	words := strings.Map(func(c rune) rune {
		if strings.ContainsRune(":/_-.", c) {
			return ' '
		}
		return c
	}, strings.TrimPrefix(text, "mcp"))
	hits, err := s.Search(context.Background(), search.Query{Text: words, Max: 3})
	if err != nil {
		return nil
	}
	for _, h := range hits.Hits {
		if h.Score >= max(minScore, .75*hits.Hits[0].Score) {
			out = append(out, h.Spec.ID())
		}
	}
	return out
}

// near returns the nodes that r may mean, nearest first. A type that makes no
// sense is left aside if the rest does.
func (s *Snapshot) near(r Ref) []candidate {
	nodeType, name := r.NodeType, r.Subtype
	if r.ID != "" {
		nodeType, name = "", r.ID
		if t, sub, ok := strings.Cut(r.ID, ":"); ok {
			nodeType, name = t, sub
		}
	}
	if name == "" || len(name) > maxName {
		return nil
	}
	list := s.candidates(nodeType, name)
	if len(list) == 0 && nodeType != "" {
		list = s.candidates("", name)
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.id, b.id))
	})
	// Beside a slip, names that only begin alike are noise.
	if i := slices.IndexFunc(list, func(c candidate) bool { return c.distance >= partial }); i > 0 {
		list = list[:i]
	}
	return list
}

func (s *Snapshot) candidates(nodeType, name string) []candidate {
	var list []candidate
	if server, tool, ok := strings.Cut(name, "/"); ok {
		for _, have := range s.Servers() {
			if at, ok := slip(server, have); ok {
				for _, sp := range s.Server(have) {
					if d, ok := part(tool, sp.Tool()); ok && (nodeType == "" || nodeType == sp.NodeType) {
						list = append(list, candidate{sp, sp.ID(), at + d})
					}
				}
			}
		}
		return list
	}
	all := s.all()
	for i, sp := range all.specs {
		if d, ok := measure(sp, all.ids[i], nodeType, name); ok {
			list = append(list, candidate{sp, all.ids[i], d})
		}
	}
	return list
}

// measure says how far a node is from a name without a server, if it is near at
// all.
func measure(sp *specs.Spec, id, nodeType, name string) (int, bool) {
	if nodeType == "" {
		// A kind's name, or a name in full that lacks its separator. The name of a type
		// alone means none of its nodes.
		if d, ok := slip(name, id); ok && (sp.Subtype == "" || d < diag.Distance(name, sp.NodeType, d)) {
			return d, true
		}
		if len(id) > 3 && strings.HasPrefix(name, "mcp-") && sp.Server() != "" {
			if d, ok := slip(name[4:], strings.Replace(id[4:], "/", "-", 1)); ok {
				return d, true
			}
		}
	}
	if sp.Subtype == "" {
		return 0, false
	}
	apart := 0
	if nodeType != "" && nodeType != sp.NodeType {
		d, ok := slip(nodeType, sp.NodeType)
		if !ok {
			return 0, false
		}
		apart = d
	}
	d, ok := part(name, sp.Tool())
	return apart + d, ok
}

// part compares a name with one it may be a slip or the beginning of.
func part(given, have string) (int, bool) {
	if d, ok := slip(given, have); ok {
		return d, true
	}
	if utf8.RuneCountInString(given) >= minStart && len(given) < len(have) && strings.EqualFold(given, have[:len(given)]) {
		return partial, true
	}
	return 0, false
}

// slip returns the edits between two names, and whether they are few enough for
// one to be meant by the other.
func slip(given, have string) (int, bool) {
	runes := utf8.RuneCountInString(given)
	most := runes / 3 // none in names of one or two letters, which are all alike
	if apart := runes - utf8.RuneCountInString(have); apart > most || -apart > most || differ(given, have) > 2*most {
		return 0, false
	}
	d := diag.Distance(given, have, most)
	return d, d <= most
}

// differ counts the letters that only one of two names has: at most two for an
// edit. It spares most pairs the comparison.
func differ(a, b string) int { return bits.OnesCount64(letters(a) ^ letters(b)) }

// letters is the set of a name's letters and digits; others share one bit.
func letters(s string) uint64 {
	var set uint64
	for i := range len(s) {
		switch c := s[i] | 0x20; {
		case 'a' <= c && c <= 'z':
			set |= 1 << (c - 'a')
		case '0' <= s[i] && s[i] <= '9':
			set |= 1 << (s[i] - '0' + 26)
		default:
			set |= 1 << 40
		}
	}
	return set
}
