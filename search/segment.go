package search

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A field is a part of a node's text that is weighed by itself.
type field uint8

const (
	fieldName field = iota
	fieldDescription
	fieldIntents
	fieldParameters    // names
	fieldParameterText // descriptions and enums
	fieldServer        // and tags
	fieldOutput
	fieldCount
)

// fieldText bounds what of one field is indexed, in bytes: a description of a
// megabyte must not cost more than its first pages are worth.
const fieldText = 16 << 10

// keptPostings is how many are kept as scratch between segments.
const keptPostings = 1 << 16

// A posting says how often a term occurs in each field of one node.
type posting struct {
	term uint32   // its number in the vocabulary
	tf   [8]uint8 // by field; eight, so that all are read at once
}

// A segment is one origin's specs with the tables that ranking needs. It is
// immutable: sums over segments are made at query time.
type segment struct {
	origin string
	sum    [sha256.Size]byte // fingerprint of origin and specs

	specs    []*specs.Spec // by id
	ids      []string
	postings []posting // of node i: postings[start[i]:start[i+1]], in no order
	start    []uint32
	order    wordOrder
	called   map[uint64][]uint32  // nodes by fingerprint of what they are called
	lens     [][fieldCount]uint16 // terms per field
	counted  int                  // nodes but idioms: tools are compared with texts of tools
	total    [fieldCount]uint64   // sums of lens of those
	having   [fieldCount]uint64   // nodes with any term in the field
	identity []identity
	favour   []float64

	making sync.Mutex // guards alone
	alone  *part      // the segment in bleve by itself, nil until it is needed

	terms []uint32 // numbers of all terms, ascending
	df    []uint32 // for each of them: nodes that have it
}

// newSegment returns the specs of an origin, sorted, without their tables.
func newSegment(origin string, list []*specs.Spec) *segment {
	s := &segment{origin: origin}
	s.keep(list)
	s.sum = fingerprint(origin, s.specs)
	return s
}

// analyze makes the tables from the text of the specs.
func (s *segment) analyze(a *analyzer, words *vocabulary) {
	n := len(s.specs)
	s.start, s.lens = append(make([]uint32, 0, n+1), 0), make([][fieldCount]uint16, 0, n)
	s.identity, s.favour, s.called = make([]identity, 0, n), make([]float64, 0, n), make(map[uint64][]uint32, 3*n)

	all := a.postings[:0]
	var node []posting // of the node at hand
	at := a.places     // by term: its place in node, valid where node has it there
	df := a.counts     // by term: nodes that have it, zero before and after
	for _, sp := range s.specs {
		node = node[:0]
		s.order.next()
		var lens [fieldCount]uint16
		for f, text := range texts(sp) {
			text = text[:min(len(text), fieldText)]
			keepsStops := f == fieldIntents || f == fieldName && sp.NodeType != specs.Idiom
			ordered := f
			if sp.NodeType == specs.Idiom && f == fieldIntents { // what people say is its description
				ordered = fieldDescription
			}
			s.order.begin(ordered)
			a.text(text, f == fieldName, func(t *token) {
				if t.stop && !keepsStops {
					return
				}
				n := words.intern(t).id
				if int(n) >= len(at) {
					at = append(at, make([]int32, int(n)+1-len(at))...)
					df = append(df, make([]uint32, len(at)-len(df))...)
				}
				i := at[n]
				if int(i) >= len(node) || node[i].term != n {
					i = int32(len(node))
					at[n] = i
					node = append(node, posting{term: n})
				}
				if c := &node[i].tf[f]; *c < 255 {
					*c++
				}
				if !t.joined && !t.stop {
					s.order.add(ordered, n)
					if lens[f] < 65535 {
						lens[f]++
					}
				}
			})
		}
		for _, p := range node {
			if df[p.term]++; df[p.term] == 1 {
				s.terms = append(s.terms, p.term)
			}
		}
		all = append(all, node...)
		s.start = append(s.start, uint32(len(all)))
		s.lens = append(s.lens, lens)
		s.identity = append(s.identity, identify(sp, a, words))
		s.favour = append(s.favour, favour(sp))
		for _, c := range callings(sp) {
			s.called[c] = append(s.called[c], uint32(len(s.favour)-1))
		}
		if sp.NodeType == specs.Idiom {
			continue
		}
		s.counted++
		for f, n := range lens {
			s.total[f] += uint64(n)
			if n > 0 {
				s.having[f]++
			}
		}
	}
	s.order.end()
	s.postings = slices.Clone(all)
	if a.postings = all; len(all) > keptPostings {
		a.postings = nil
	}
	slices.Sort(s.terms)
	s.terms = slices.Clone(s.terms)
	s.df = make([]uint32, len(s.terms))
	for i, n := range s.terms {
		s.df[i], df[n] = df[n], 0
	}
	a.places, a.counts = at, df
}

// keep takes the specs over in the order of their ids.
func (s *segment) keep(list []*specs.Spec) {
	type named struct {
		id   string
		spec *specs.Spec
	}
	sorted := make([]named, 0, len(list))
	for _, sp := range list {
		if sp != nil {
			sorted = append(sorted, named{sp.ID(), sp})
		}
	}
	slices.SortStableFunc(sorted, func(x, y named) int { return strings.Compare(x.id, y.id) })
	s.ids, s.specs = make([]string, len(sorted)), make([]*specs.Spec, len(sorted))
	for i, n := range sorted {
		s.ids[i], s.specs[i] = n.id, n.spec
	}
}

// of is the postings of one node.
func (s *segment) of(node int) []posting { return s.postings[s.start[node]:s.start[node+1]] }

// texts yields a spec's text, field by field; a field may come more than once.
func texts(sp *specs.Spec) func(yield func(field, string) bool) {
	return func(yield func(field, string) bool) {
		yielded := true
		give := func(f field, text string) {
			if yielded && text != "" {
				yielded = yield(f, text)
			}
		}
		if tool := sp.Tool(); tool != "" {
			give(fieldName, tool)
		} else {
			give(fieldName, sp.NodeType)
		}
		if sp.Subtype != "" && sp.NodeType != specs.MCP && sp.NodeType != specs.Graph && sp.NodeType != specs.Idiom {
			give(fieldServer, sp.NodeType)
		}
		give(fieldServer, sp.Server())
		for _, tag := range sp.Tags {
			give(fieldServer, tag)
		}
		if sp.Title != "" && !strings.EqualFold(sp.Title, sp.Tool()) {
			give(fieldDescription, sp.Title)
		}
		if sp.NodeType != specs.Idiom { // found by its title and the phrases of people: its text is about many things
			give(fieldDescription, sp.Description)
		}
		for _, in := range sp.Intents {
			give(fieldIntents, in)
		}
		for _, alias := range sp.Aliases {
			give(fieldIntents, alias)
		}
		for _, p := range sp.Parameters {
			give(fieldParameters, p.Name)
			give(fieldParameterText, p.Description)
			for _, e := range p.EnumValues[:min(len(p.EnumValues), 50)] {
				if text, ok := e.(string); ok {
					give(fieldParameterText, text)
				}
			}
		}
		for _, p := range sp.OutputPorts {
			give(fieldOutput, p.Name)
			give(fieldOutput, p.Description)
		}
		if sp.NodeType == specs.Idiom { // its schemas are those of an example
			return
		}
		outputs(schema.Read(sp.OutputSchema), 2, func(name, description string) {
			give(fieldOutput, name)
			give(fieldOutput, description)
		})
	}
}
